/** A list of translation models with their files, as Firefox's registry has them. */

import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { StudentFolder } from '../fixtures/student.ts';

export interface StudentServer extends AsyncDisposable {
	/** Address of the list. */
	readonly url: string;
	/** Paths that were asked for. */
	readonly requests: string[];
	/** Path → what is sent instead. */
	readonly damage: Map<string, Buffer>;
	list: unknown;
}

/** @param students content by direction, `en-de` */
export async function startStudents(
	students: Readonly<Record<string, StudentFolder>>,
): Promise<StudentServer> {
	const files = new Map<string, Buffer>();
	const requests: string[] = [];
	const damage = new Map<string, Buffer>();
	const server = createServer((request, response) => {
		const path = decodeURIComponent(request.url ?? '/').slice(1);
		requests.push(path);
		const body =
			path === 'db/models.json'
				? Buffer.from(JSON.stringify(found.list))
				: (damage.get(path) ?? files.get(path));
		if (body === undefined) response.writeHead(404).end('{}');
		else response.writeHead(200, { 'content-length': body.length }).end(body);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const models = Object.fromEntries(
		Object.entries(students).map(([pair, content]) => {
			const [source = '', target = ''] = pair.split('-');
			const file = (name: string, bytes: Uint8Array) => {
				const path = `models/${pair}/${name}.gz`;
				files.set(path, gzipSync(bytes));
				return {
					path,
					uncompressedSize: bytes.length,
					uncompressedHash: createHash('sha256').update(bytes).digest('hex'),
				};
			};
			const { model, shortlist, sourceVocabulary, targetVocabulary, made } = content;
			const entry = {
				sourceLanguage: source,
				targetLanguage: target,
				architecture: 'tiny',
				releaseStatus: 'Release',
				files: {
					model: file(`model.${pair}.bin`, model),
					lexicalShortlist: file(`lex.${pair}.bin`, shortlist),
					...(made.shape.separate === true
						? {
								srcVocab: file(`src.${pair}.spm`, sourceVocabulary),
								trgVocab: file(`trg.${pair}.spm`, targetVocabulary),
							}
						: { vocab: file(`vocab.${pair}.spm`, sourceVocabulary) }),
				},
			};
			return [pair, [entry]];
		}),
	);
	const found: StudentServer = {
		url: `${base}/db/models.json`,
		requests,
		damage,
		list: { generated: '2026-01-01T00:00:00Z', baseUrl: base, models },
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
	return found;
}
