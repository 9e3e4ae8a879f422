/**
 * A hub on this machine for examples that download: whatever repository they name has the files of a built-in model of the
 * same task, or, where the name is a placeholder, a small GGUF file.
 */

import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { smallGguf } from '../engine/build/smallGguf.ts';
import { testCommit } from '../support/hubServer.ts';
import { root } from './blocks.ts';

export interface StandInHub extends AsyncDisposable {
	readonly url: string;
}

type Files = ReadonlyMap<string, Buffer>;

function filesOf(model: string): Files {
	const folder = join(root, 'starter/models', model);
	const names = globSync('**/*', { cwd: folder }).filter((name) =>
		statSync(join(folder, name)).isFile(),
	);
	return new Map(
		names.flatMap((each) => {
			const name = each.replaceAll('\\', '/');
			const bytes = readFileSync(join(folder, each));
			// Whichever of the usual precisions the catalogue wants of the repository.
			return ['_quantized', '_q4'].map(
				(form) => [name.replace('_quantized', form), bytes] as const,
			);
		}),
	);
}

const placeholders: Files = new Map(
	['Q4_K_M', 'Q8_0'].map((form) => [`name-${form}.gguf`, Buffer.from(smallGguf())]),
);

function repositoryFiles(name: string): Files {
	if (name === 'OWNER/NAME') return placeholders;
	if (/opus|marian/i.test(name)) return filesOf('starter-translate');
	if (/whisper/i.test(name)) return filesOf('starter-speech');
	return filesOf('starter-chat');
}

const listed = (files: Files) =>
	[...files].map(([path, bytes]) => ({
		type: 'file',
		path,
		size: bytes.length,
		oid: createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'),
		lfs: { oid: createHash('sha256').update(bytes).digest('hex'), size: bytes.length },
	}));

export async function startStandInHub(): Promise<StandInHub> {
	const server = createServer((request, response) => {
		const { pathname } = new URL(request.url ?? '/', 'http://hub');
		const asked =
			/^\/api\/models\/([^/]+\/[^/]+)\/(revision|tree)\//.exec(pathname) ??
			/^\/([^/]+\/[^/]+)\/(resolve)\/[^/]+\/(.+)$/.exec(pathname);
		if (asked === null) return response.writeHead(404).end('{}');
		const [, name = '', what, file = ''] = asked.map((each) => decodeURIComponent(each ?? ''));
		const files = repositoryFiles(name);
		if (what === 'revision')
			return response.end(JSON.stringify({ sha: testCommit, cardData: { license: 'mit' } }));
		if (what === 'tree') return response.end(JSON.stringify(listed(files)));
		const bytes = files.get(file);
		if (bytes === undefined) return response.writeHead(404).end('{}');
		const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
		const from = Number(range?.[1] ?? 0);
		const to = Math.min(Number(range?.[2] || bytes.length - 1), bytes.length - 1);
		response.writeHead(range === null ? 200 : 206, {
			'content-length': to + 1 - from,
			etag: `"${createHash('sha256').update(bytes).digest('hex')}"`,
			...(range === null ? {} : { 'content-range': `bytes ${from}-${to}/${bytes.length}` }),
		});
		return response.end(bytes.subarray(from, to + 1));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
