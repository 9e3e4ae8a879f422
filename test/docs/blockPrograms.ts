/** Programs of others that read blocks of the documents: PowerShell's grammar, Compose, Caddy. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import * as z from 'zod';
import { freePort } from '../support/freePort.ts';
import { root } from './blocks.ts';

export const isThere = (command: string, option = '--version') =>
	spawnSync(command, [option], { encoding: 'utf8' }).status === 0;

/** The grammar that editors have for PowerShell; the program itself is in no distribution that the tests run on. */
export async function parsesAsPowerShell(text: string): Promise<void> {
	const { Language, Parser } = await import('web-tree-sitter');
	await Parser.init();
	const grammar = join(
		root,
		'node_modules/@vscode/tree-sitter-wasm/wasm/tree-sitter-powershell.wasm',
	);
	const parser = new Parser();
	parser.setLanguage(await Language.load(grammar));
	const faulty = (source: string) => parser.parse(source)?.rootNode.hasError ?? true;
	assert.ok(faulty('if ($env:A { "a" }'), 'what is wrong is found');
	assert.ok(!faulty(text), text);
	parser.delete();
}

/** Compose itself reads both files as it would on the machine of the tutorial, where it is installed. */
export function mergedByCompose(text: string, folder: string): void {
	if (!isThere('docker-compose')) return;
	const there = join(folder, 'deploy');
	cpSync(join(root, 'deploy'), there, { recursive: true });
	writeFileSync(join(there, 'docker-compose.override.yml'), text);
	writeFileSync(
		join(there, '.env'),
		'NEARGLOT_KEY=a\nNEARGLOT_GATEWAY_SECRET=b\nGITHUB_CLIENT_SECRET=c\n',
	);
	const { status, stdout, stderr } = spawnSync('docker-compose', ['config'], {
		cwd: there,
		encoding: 'utf8',
	});
	assert.equal(status, 0, stderr);
	const { services } = z
		.object({
			services: z.object({
				gateway: z.object({ ports: z.array(z.unknown()) }),
				models: z.object({
					command: z.array(z.string()),
					ports: z.array(z.unknown()),
					read_only: z.literal(true),
				}),
			}),
		})
		.parse(parseYaml(stdout));
	// The model server has a port of its own now; the command takes the other's place.
	for (const { ports } of [services.gateway, services.models])
		assert.equal(ports.length, 1, stdout);
	assert.deepEqual(
		services.models.command,
		(parseYaml(text) as { services: { models: { command: string[] } } }).services.models.command,
	);
}

/** Caddy with the block's rules, in front of a server that sends the beginning of a stream and waits. */
export async function behindCaddy(text: string, folder: string): Promise<void> {
	const answers: ServerResponse[] = [];
	let seen: IncomingHttpHeaders = {};
	const app = createServer((request, response) => {
		seen = request.headers;
		response.writeHead(200, { 'content-type': 'text/plain' });
		response.write('first');
		answers.push(response);
	});
	await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
	const port = await freePort();
	const own = text
		.replace(/^\S+ \{/m, `http://127.0.0.1:${port} {`)
		.replace(/127\.0\.0\.1:\d+ \{$/m, `127.0.0.1:${port} {`)
		.replace(/(reverse_proxy 127\.0\.0\.1:)\d+/, `$1${(app.address() as AddressInfo).port}`);
	const file = join(folder, 'Caddyfile.run');
	writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${own}`);
	const caddy = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
		env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
		stdio: ['ignore', 'ignore', 'pipe'],
	});
	const ended = once(caddy, 'exit');
	try {
		await new Promise<void>((resolve, reject) => {
			let log = '';
			caddy.stderr.setEncoding('utf8').on('data', (line: string) => {
				log += line;
				if (log.includes('serving initial configuration')) resolve();
			});
			caddy.once('exit', () => reject(new Error(log)));
		});
		const response = await fetch(`http://127.0.0.1:${port}/v1/models`);
		const reader = response.body!.getReader();
		// It comes before the answer has ended.
		const { value } = await reader.read();
		assert.equal(Buffer.from(value ?? []).toString(), 'first');
		assert.equal(seen['x-forwarded-proto'], 'http');
		assert.equal(seen['x-forwarded-host'], `127.0.0.1:${port}`);
		assert.equal(seen['x-forwarded-for'], '127.0.0.1');
		answers[0]?.end();
		assert.equal((await reader.read()).done, true);
	} finally {
		caddy.kill('SIGTERM');
		await ended;
		app.closeAllConnections();
		app.close();
	}
}
