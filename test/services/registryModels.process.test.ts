/** Translation models of Firefox's list: fetched, held against their hashes, kept, with a builder that only looks. */

import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, statfs, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { DownloadEvent } from '../../server/hub/downloadModel.ts';
import { createHubHttp } from '../../server/hub/http.ts';
import { readManifest } from '../../server/hub/manifest.ts';
import { chooseStudent, readStudents } from '../../server/hub/studentRegistry.ts';
import type { BuildFlags } from '../../server/services/buildWork.ts';
import type { BuildRequest, ModelBuilder } from '../../server/services/modelBuilder.ts';
import { buildFromRegistry } from '../../server/services/registryModels.ts';
import { studentContent, tinyStudent } from '../fixtures/student.ts';
import { noBuilding } from '../support/noBuilding.ts';
import { type StudentServer, startStudents } from '../support/studentServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const never = new AbortController().signal;
const content = studentContent({ ...tinyStudent, vocabulary: 64 });
const facts = {
	architecture: 'marian',
	parameters: 1000,
	sizeBytes: 1000,
	memoryBytes: 5000,
	storedAs: 'intgemm8',
};

let base = '';
before(() => {
	base = temporaryFolder('a student');
});

/** Keeps what lies in the folder it is given. */
function lookingBuilder(requests: BuildRequest[]): ModelBuilder {
	return {
		build: async (request, listener) => {
			requests.push(request);
			if (!(await listener.onPlan(facts))) return undefined;
			assert.equal(request.source.kind, 'path');
			const from = request.source.kind === 'path' ? request.source.path : '';
			await mkdir(request.target, { recursive: true });
			for (const name of await readdir(from))
				await writeFile(join(request.target, name), await readFile(join(from, name)));
			return facts;
		},
	};
}

async function pull(
	server: StudentServer,
	models: string,
	requests: BuildRequest[] = [],
	flags: BuildFlags = {},
	signal = never,
) {
	const http = createHubHttp({ endpoint: server.url });
	const events: DownloadEvent[] = [];
	try {
		const student = chooseStudent(
			await readStudents(http, never),
			'firefox-translations/en-de',
			'',
		);
		const folder = await buildFromRegistry(
			http,
			{
				builder: lookingBuilder(requests),
				memoryBytes: () => 2 ** 40,
				memorySpeed: async () => 1e10,
				now: () => 0,
				elapsed: () => 0,
			},
			{
				modelsFolder: models,
				folderName: 'firefox-en-de@1',
				student,
				identity: {
					id: 'firefox-en-de:1',
					name: 'firefox-en-de',
					version: '1',
					alias: 'firefox-translations/en-de',
					displayName: 'English → German',
				},
				flags,
				retries: { tries: 2, backoffMs: 1 },
			},
			(event) => events.push(event),
			signal,
		);
		return { folder, events };
	} finally {
		http.close();
	}
}

const model = 'models/en-de/model.en-de.bin.gz';
const fetched = ({ requests }: StudentServer) =>
	requests.filter((path) => path.endsWith('.gz')).map((path) => path.split('/').at(-1));

describe('a translation model of the list', () => {
	it('comes unpacked and checked, and says where it is from', async () => {
		await using server = await startStudents({ 'en-de': content });
		const models = join(base, 'one');
		const plan = await pull(server, models, [], { plan: true });
		assert.equal(plan.folder, undefined);
		assert.deepEqual(
			plan.events.map((event) => (event.type === 'start' ? event.start.license : event.type)),
			['MPL-2.0'],
		);
		assert.deepEqual(fetched(server), []);
		const requests: BuildRequest[] = [];
		const { folder, events } = await pull(server, models, requests);
		assert.equal(folder, join(models, 'firefox-en-de@1'));
		assert.deepEqual(await readFile(join(folder, 'model.student.bin')), Buffer.from(content.model));
		assert.deepEqual(
			await readFile(join(folder, 'vocab.student.spm')),
			Buffer.from(content.sourceVocabulary),
		);
		assert.deepEqual(requests[0]?.languages, ['en', 'de']);
		const starts = events.flatMap((event) => (event.type === 'start' ? [event.start] : []));
		assert.deepEqual(
			starts.map(({ license, build }) => [license, build?.architecture]),
			[
				['MPL-2.0', undefined],
				['MPL-2.0', 'marian'],
			],
		);
		const last = events.findLast((event) => event.type === 'progress');
		assert.ok(last?.type === 'progress');
		assert.equal(last.progress.doneBytes, last.progress.totalBytes);
		const manifest = await readManifest(folder);
		assert.equal(manifest?.repository, 'firefox-translations/en-de');
		assert.equal(manifest.license, 'MPL-2.0');
		assert.equal(manifest.builtFrom?.format, 'marian');
		assert.deepEqual(await readdir(join(models, '.downloads')), []);
		await pull(server, models, requests);
		assert.equal(requests.length, 1, 'it is there already');
	});

	it('is refused when a file is not what the list says, and goes on with those that were', async () => {
		await using server = await startStudents({ 'en-de': content });
		const models = join(base, 'damaged');
		const other = Buffer.from(content.sourceVocabulary);
		other[other.length - 1] = (other.at(-1) as number) ^ 1;
		const vocabulary = 'models/en-de/vocab.en-de.spm.gz';
		const attempts: readonly (readonly [Buffer, RegExp])[] = [
			[gzipSync(other), /hash/],
			[gzipSync(Buffer.concat([content.sourceVocabulary, Buffer.alloc(2 ** 20)])), /longer/],
			[gzipSync(Buffer.from(content.sourceVocabulary)).subarray(0, 200), /Given up after 2 tries/],
			[gzipSync(Buffer.from('short')), /Given up after 2 tries/],
		];
		for (const [bytes, words] of attempts) {
			server.damage.set(vocabulary, bytes);
			await assert.rejects(pull(server, models), (error: Error & { code?: string }) => {
				assert.equal(error.code, 'download_failed');
				assert.match(error.message, words);
				return true;
			});
		}
		assert.equal(fetched(server).filter((name) => name === 'model.en-de.bin.gz').length, 1);
		server.damage.clear();
		const { folder } = await pull(server, models);
		assert.ok(folder);
		assert.equal(fetched(server).filter((name) => name === 'model.en-de.bin.gz').length, 1);
	});

	it('needs no space for what an earlier try has fetched', async () => {
		await using server = await startStudents({ 'en-de': content });
		const models = join(base, 'space');
		await mkdir(models);
		const { bavail, bsize } = await statfs(models);
		const http = createHubHttp({ endpoint: server.url });
		try {
			const all = await readStudents(http, never);
			const found = chooseStudent(all, 'firefox-translations/en-de', '');
			// Files without a block on the disk, of twice the size that the whole is said to have.
			const each = Math.ceil((2 * bavail * bsize) / found.files.length);
			const student = {
				...found,
				sizeBytes: bavail * bsize,
				files: found.files.map((file) => ({ ...file, sizeBytes: each })),
			};
			const builder: ModelBuilder = {
				build: () => Promise.reject(new Error('there was room')),
			};
			const identity = { id: 'a:1', name: 'a', version: '1', alias: 'a', displayName: '' };
			const build = { modelsFolder: models, folderName: 'a@1', student, identity, flags: {} };
			const pulled = () =>
				buildFromRegistry(http, { ...noBuilding, builder }, build, () => {}, never);
			await assert.rejects(pulled(), { code: 'disk_full' });
			const source = join(models, '.downloads', 'a@1', 'source');
			await mkdir(source, { recursive: true });
			await writeFile(
				join(models, '.downloads', 'a@1.files.json'),
				JSON.stringify(
					Object.fromEntries(student.files.map(({ name, sha256 }) => [`source/${name}`, sha256])),
				),
			);
			for (const { name } of student.files) {
				await writeFile(join(source, name), '');
				await truncate(join(source, name), each);
			}
			await assert.rejects(pulled(), /there was room/);
		} finally {
			http.close();
		}
	});

	it('may come unpacked by the server, and ends when it is cancelled', async () => {
		await using server = await startStudents({ 'en-de': content });
		server.damage.set(model, Buffer.from(content.model));
		const { folder } = await pull(server, join(base, 'plain'));
		assert.ok(folder);
		const stopped = AbortSignal.abort();
		await assert.rejects(pull(server, join(base, 'stopped'), [], {}, stopped), {
			code: 'cancelled',
		});
		assert.deepEqual(
			(await readdir(join(base, 'stopped'))).filter((name) => name !== '.downloads'),
			[],
		);
	});
});
