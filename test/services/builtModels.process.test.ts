/** Models built of a repository: what is fetched, what stays, what is told, with a builder that only copies. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { before, describe, it } from 'node:test';
import { ZipFile } from 'yazl';
import type { DownloadEvent } from '../../server/hub/downloadModel.ts';
import { createHubHttp } from '../../server/hub/http.ts';
import { readManifest } from '../../server/hub/manifest.ts';
import { recipeVersion } from '../../server/hub/recipeVersion.ts';
import { readRepository } from '../../server/hub/repository.ts';
import { selectWeights } from '../../server/hub/weightFiles.ts';
import { AppError } from '../../server/protocol/index.ts';
import { holdsWeights, unpackedWeights } from '../../server/services/archivedWeights.ts';
import { archiveNotices } from '../../server/services/archiveNotices.ts';
import type { BuildFlags } from '../../server/services/buildWork.ts';
import { buildFromHub, buildFromPath } from '../../server/services/builtModels.ts';
import { type Logger, silentLogger } from '../../server/services/logger.ts';
import type { BuildFacts, BuildRequest, ModelBuilder } from '../../server/services/modelBuilder.ts';
import type { BuildDeps } from '../../server/services/runBuild.ts';
import { startHub, type TestHub } from '../support/hubServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const never = new AbortController().signal;
const weights = randomBytes(300_000);
const repository = {
	'config.json': Buffer.from('{"model_type":"llama"}'),
	'tokenizer.json': Buffer.from('{}'),
	'model.safetensors': weights,
	'README.md': Buffer.from('# tiny'),
};

let base = '';
before(async () => {
	base = temporaryFolder('a built');
});

/** Writes what it reads of the first file, and the settings beside it. */
class CopyingBuilder implements ModelBuilder {
	readonly requests: BuildRequest[] = [];
	sizeBytes = 1000;
	isTextPart = false;
	fail: Error | undefined;
	more: Partial<BuildFacts> = {};
	tokenBytes: number | undefined;

	build: ModelBuilder['build'] = async (request, listener, signal) => {
		this.requests.push(request);
		const facts = {
			architecture: 'llama',
			parameters: 1_500_000,
			sizeBytes: this.sizeBytes,
			memoryBytes: 5000,
			license: 'apache-2.0',
			storedAs: 'bf16',
			...(this.tokenBytes === undefined ? {} : { tokenBytes: this.tokenBytes }),
			...(this.isTextPart ? { isTextPart: true as const } : {}),
			...this.more,
		};
		if (!(await listener.onPlan(facts))) return undefined;
		if (this.fail !== undefined) throw this.fail;
		await mkdir(join(request.target, 'onnx'), { recursive: true });
		const { source, sides } = request;
		const bytes =
			source.kind === 'path'
				? await readFile(source.path)
				: await source.files[0]?.read(100_000, 50_000, signal);
		await writeFile(join(request.target, 'onnx', 'model_q4.onnx'), bytes ?? '');
		if (sides !== undefined)
			await writeFile(
				join(request.target, 'config.json'),
				await readFile(join(sides, 'config.json')),
			);
		for (const doneBytes of [500, 1000])
			listener.onProgress({ phase: 'build', doneBytes, totalBytes: 1000 });
		listener.onProgress({ phase: 'check', doneBytes: 1, totalBytes: 1 });
		return facts;
	};
}

function depsOf(builder: ModelBuilder, memoryBytes = 2 ** 40): BuildDeps {
	return {
		builder,
		memoryBytes: () => memoryBytes,
		memorySpeed: async () => 3e10,
		now: () => 0,
		elapsed: () => 0,
	};
}

async function pull(
	hub: TestHub,
	models: string,
	deps: BuildDeps,
	flags: BuildFlags = {},
	path = '',
	commit?: string,
	events: DownloadEvent[] = [],
): Promise<{ folder: string | undefined; events: DownloadEvent[] }> {
	const http = createHubHttp({ endpoint: hub.url });
	try {
		const found = await readRepository(http, 'acme/tiny', 'main', never);
		const chosen = selectWeights(found.files, { path });
		assert.ok(chosen);
		const folder = await buildFromHub(
			http,
			deps,
			{
				modelsFolder: models,
				folderName: 'tiny@1',
				repository: commit === undefined ? found : { ...found, commit },
				weights: chosen,
				identity: {
					id: 'tiny:1',
					name: 'tiny',
					version: '1',
					alias: 'acme/tiny',
					displayName: 'tiny',
					path,
					license: 'mit',
				},
				flags,
			},
			(event) => events.push(event),
			never,
		);
		return { folder, events };
	} finally {
		http.close();
	}
}

const startsOf = (events: readonly DownloadEvent[]) =>
	events.flatMap((event) => (event.type === 'start' ? [event.start] : []));
const noticesOf = (events: readonly DownloadEvent[]) =>
	events.flatMap((event) => (event.type === 'notice' ? [event.notice] : []));

describe('a model built of a repository', () => {
	it('has what was built, says of what, and the weights were never stored', async () => {
		await using hub = await startHub(repository);
		const models = join(base, 'one');
		const builder = new CopyingBuilder();
		const { folder, events } = await pull(hub, models, depsOf(builder));
		assert.equal(folder, join(models, 'tiny@1'));
		assert.deepEqual((await readdir(folder, { recursive: true })).sort(), [
			'config.json',
			'nearglot.json',
			'onnx',
			join('onnx', 'model_q4.onnx'),
		]);
		assert.deepEqual(
			await readFile(join(folder, 'onnx', 'model_q4.onnx')),
			weights.subarray(100_000, 150_000),
		);
		const ranges = hub.requests.filter(({ path }) => path.endsWith('model.safetensors'));
		assert.deepEqual(
			ranges.map(({ range }) => range),
			['bytes=100000-149999'],
		);
		assert.deepEqual(await readdir(join(models, '.downloads'), { recursive: true }), []);
		const manifest = await readManifest(folder);
		assert.equal(manifest?.license, 'mit');
		assert.equal(manifest?.builtFrom?.files[0]?.path, 'model.safetensors');
		assert.match(manifest?.builtFrom?.files[0]?.sha256 ?? '', /^[0-9a-f]{64}$/);
		assert.deepEqual(
			manifest?.files.map(({ path, sizeBytes }) => [path, sizeBytes]),
			[
				['config.json', 22],
				['onnx/model_q4.onnx', 50_000],
			],
		);
		const [first, second] = startsOf(events);
		for (const start of [first, second]) {
			assert.equal(start?.license, 'mit');
			assert.equal(start?.totalBytes, 300_000 + 22 + 2);
		}
		assert.equal(first?.build, undefined, 'what it says of itself was not read yet');
		assert.equal(second?.build?.parameters, 1_500_000);
		assert.match(second?.build?.reason ?? '', /safetensors/);
		assert.deepEqual(
			events.flatMap((event) =>
				event.type === 'progress' ? [[event.progress.phase, event.progress.fileFraction]] : [],
			),
			[
				[undefined, 1],
				[undefined, 1],
				['build', 0.5],
				['build', 1],
				['check', 1],
			],
		);

		await pull(hub, models, depsOf(builder));
		assert.equal(builder.requests.length, 1, 'it is there already');
		await pull(hub, models, depsOf(builder), { quality: true });
		assert.equal(builder.requests.length, 2, 'in another quality it is another one');
		assert.equal((await readManifest(folder))?.builtFrom?.quality, true);
		await rm(join(folder, 'onnx', 'model_q4.onnx'));
		await pull(hub, models, depsOf(builder), { quality: true });
		assert.equal(builder.requests.length, 3, 'what has lost a file is built again');
	});

	it('is there already at another commit of the same files, and is built again by another recipe', async () => {
		await using hub = await startHub(repository);
		const models = join(base, 'again');
		const builder = new CopyingBuilder();
		const { folder = '' } = await pull(hub, models, depsOf(builder));
		const commit = 'b'.repeat(40);
		await pull(hub, models, depsOf(builder), {}, '', commit);
		assert.equal(builder.requests.length, 1, 'only what it says of itself has changed');
		assert.equal((await readManifest(folder))?.commit, commit);
		const origin = { recipe: { version: recipeVersion } };
		await writeFile(join(folder, 'nearglot-origin.json'), JSON.stringify(origin));
		await pull(hub, models, depsOf(builder));
		assert.equal(builder.requests.length, 1);
		origin.recipe.version += 1;
		await writeFile(join(folder, 'nearglot-origin.json'), JSON.stringify(origin));
		await pull(hub, models, depsOf(builder));
		assert.equal(builder.requests.length, 1, 'a later version has built it');
		origin.recipe.version -= 2;
		await writeFile(join(folder, 'nearglot-origin.json'), JSON.stringify(origin));
		await pull(hub, models, depsOf(builder));
		assert.equal(builder.requests.length, 2, 'a better recipe');
	});

	it('is said to be built again by a better recipe, and stays as it was until then', async () => {
		await using hub = await startHub(repository);
		const models = join(base, 'better');
		const builder = new CopyingBuilder();
		const { folder = '', events: first } = await pull(hub, models, depsOf(builder));
		const progressOf = (events: readonly DownloadEvent[]) =>
			events.flatMap((event) => (event.type === 'progress' ? [event.progress] : []));
		assert.ok(progressOf(first).every(({ again }) => again === undefined));
		assert.doesNotMatch(noticesOf(first).join(), /recipe/);
		const older = JSON.stringify({ recipe: { version: recipeVersion - 1 } });
		await writeFile(join(folder, 'nearglot-origin.json'), older);
		const logged: unknown[] = [];
		const info: Logger['info'] = (message, facts) => logged.push([message, facts?.['model']]);
		const deps = { ...depsOf(builder), log: { ...silentLogger, info } };
		const { events: plan } = await pull(hub, models, deps, { plan: true });
		assert.match(
			noticesOf(plan)[0] ?? '',
			/^Building tiny:1 again with a better recipe: 1 MB .*1 s /,
		);
		builder.fail = new Error('torn');
		await assert.rejects(pull(hub, models, deps), /torn/);
		assert.equal(await readFile(join(folder, 'nearglot-origin.json'), 'utf8'), older);
		builder.fail = undefined;
		const { events } = await pull(hub, models, deps);
		assert.match(noticesOf(events)[0] ?? '', /again with a better recipe/);
		const built = progressOf(events).filter(({ phase }) => phase === 'build');
		assert.ok(built.length > 0 && built.every(({ again }) => again === true));
		assert.deepEqual(logged[0], ['building again with a better recipe', 'tiny:1']);
		await assert.rejects(readFile(join(folder, 'nearglot-origin.json')), { code: 'ENOENT' });
	});

	it('is told of and not built when only the plan is wanted', async () => {
		await using hub = await startHub(repository);
		const models = join(base, 'plan');
		const builder = new CopyingBuilder();
		builder.isTextPart = true;
		builder.tokenBytes = 1.5e9;
		const { folder, events } = await pull(hub, models, depsOf(builder, 4000), { plan: true });
		assert.equal(folder, undefined);
		const plan = startsOf(events).at(-1)?.build;
		assert.equal(plan?.tokensPerSecond, 20);
		assert.match(plan?.reason ?? '', /text only: what it has for images or sound/);
		assert.match(noticesOf(events).join(), /this machine has 0\.0 GB/);
		assert.deepEqual(
			(await readdir(models, { recursive: true })).filter((name) => name !== '.downloads'),
			[],
		);
		await pull(hub, models, depsOf(builder));
		const again = await pull(hub, models, depsOf(builder), { plan: true });
		assert.equal(again.folder, undefined);
		assert.deepEqual(noticesOf(again.events), [
			'tiny:1 is here already, just as it would be built now.',
		]);
	});

	it('is planned while it is built, and the build goes on undisturbed', async () => {
		await using hub = await startHub(repository);
		const models = join(base, 'beside');
		const copying = new CopyingBuilder();
		const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
		const { promise: free, resolve: release } = Promise.withResolvers<void>();
		const held: ModelBuilder = {
			build: async (request, listener, signal) => {
				begin();
				await free;
				return await copying.build(request, listener, signal);
			},
		};
		const building = pull(hub, models, depsOf(held));
		await begun;
		const { events } = await pull(hub, models, depsOf(copying), { plan: true, keep: true });
		assert.deepEqual(
			events.filter(({ type }) => type === 'waiting'),
			[],
		);
		assert.equal(startsOf(events).at(-1)?.build?.parameters, 1_500_000);
		assert.equal(copying.requests[0]?.plan, true);
		release();
		assert.equal((await building).folder, join(models, 'tiny@1'));
		assert.equal(copying.requests[1]?.plan, undefined);
		assert.equal(copying.requests[1]?.keep, undefined, 'the plan has not changed how it is built');
		assert.deepEqual((await readdir(models)).sort(), ['.downloads', 'tiny@1']);
	});

	it('tells licence and size before its first file comes', async () => {
		await using hub = await startHub(repository);
		const events: DownloadEvent[] = [];
		const told: (string | undefined)[] = [];
		hub.faults.onFile = () => {
			told.push(startsOf(events)[0]?.license);
			return false;
		};
		const deps = depsOf(new CopyingBuilder());
		await pull(hub, join(base, 'first'), deps, {}, '', undefined, events);
		assert.ok(told.length >= 3);
		assert.deepEqual(new Set(told), new Set(['mit']));
	});

	it('goes on as it was begun, whatever the older model was built by, until it is told otherwise', async () => {
		await using hub = await startHub(repository);
		const models = join(base, 'flags');
		const builder = new CopyingBuilder();
		const last = () => {
			const { keep, quality } = builder.requests.at(-1) ?? {};
			return { keep, quality };
		};
		await pull(hub, models, depsOf(builder));
		builder.fail = new Error('torn');
		await assert.rejects(pull(hub, models, depsOf(builder), { keep: true }), /torn/);
		const planned = await pull(hub, models, depsOf(builder), { plan: true });
		assert.match(noticesOf(planned.events).join(), /^As it was begun, its numbers stay.*--no-keep/);
		await assert.rejects(pull(hub, models, depsOf(builder)), /torn/);
		assert.deepEqual(last(), { keep: true, quality: undefined });
		builder.fail = undefined;
		const { folder = '' } = await pull(hub, models, depsOf(builder));
		assert.deepEqual(last(), { keep: true, quality: undefined });
		assert.equal((await readManifest(folder))?.builtFrom?.keep, true);
		assert.deepEqual(await readdir(join(models, '.downloads'), { recursive: true }), []);
		const count = builder.requests.length;
		await pull(hub, models, depsOf(builder));
		assert.equal(builder.requests.length, count, 'it is there already');
		await pull(hub, models, depsOf(builder), { keep: false });
		assert.deepEqual(last(), { keep: undefined, quality: undefined });
		await assert.rejects(pull(hub, models, depsOf(builder), { keep: true, quality: true }), {
			param: 'quality',
		});
	});

	it('says when what was asked for changes nothing, and when less of the context is built', async () => {
		await using hub = await startHub(repository);
		const builder = new CopyingBuilder();
		builder.more = { isUnchanged: true, cutContext: { published: 1_048_576, built: 262_144 } };
		const said = async (flags: BuildFlags) => {
			const models = join(base, 'unchanged');
			return noticesOf(
				(await pull(hub, models, depsOf(builder), { ...flags, plan: true })).events,
			).join(' ');
		};
		assert.match(
			await said({ keep: true }),
			/^'keep' changes nothing here.* 1,048,576 tokens; up to 262,144 /,
		);
		assert.match(await said({ quality: true }), /^'quality' changes nothing here/);
	});

	it('is refused where the files beside its weights are too many', async () => {
		const spm = Array.from({ length: 9 }, (_, at) => [`${at}.spm`, Buffer.alloc(1)]);
		await using hub = await startHub({ ...repository, ...Object.fromEntries(spm) });
		const http = createHubHttp({ endpoint: hub.url });
		try {
			const found = await readRepository(http, 'acme/tiny', 'main', never);
			const large = found.files.map((file) =>
				file.path.endsWith('.spm') ? { ...file, sizeBytes: 120_000_000 } : file,
			);
			const chosen = selectWeights(large);
			assert.ok(chosen);
			const identity = { id: 'a:1', name: 'a', version: '1', alias: 'a', displayName: '' };
			const models = join(base, 'many');
			const place = { modelsFolder: models, folderName: 'a@1', flags: {}, identity };
			const build = { ...place, repository: { ...found, files: large }, weights: chosen };
			await assert.rejects(
				buildFromHub(http, depsOf(new CopyingBuilder()), build, () => {}, never),
				/1081 MB of files beside its weights; at most 1000 MB/,
			);
			assert.deepEqual(await readdir(join(models, '.downloads')), []);
		} finally {
			http.close();
		}
	});

	it('fails before a byte is built when the disk is too small, and keeps what it has fetched', async () => {
		await using hub = await startHub(repository);
		const models = join(base, 'full');
		const builder = new CopyingBuilder();
		builder.sizeBytes = 2 ** 60;
		await assert.rejects(pull(hub, models, depsOf(builder)), { code: 'disk_full' });
		builder.sizeBytes = 10;
		builder.fail = new Error('torn');
		await assert.rejects(pull(hub, models, depsOf(builder)), /torn/);
		assert.deepEqual(await readdir(models), ['.downloads']);
		builder.fail = undefined;
		await pull(hub, models, depsOf(builder));
		const fetched = hub.requests.filter(({ path }) => path.endsWith('/config.json'));
		assert.equal(fetched.length, 1);
	});

	it('leaves nothing where it cannot be built, or nothing of it may be read', async () => {
		await using hub = await startHub(repository);
		const builder = new CopyingBuilder();
		builder.fail = new AppError('unsupported_model', 'No such form.');
		const models = join(base, 'refused');
		await assert.rejects(pull(hub, models, depsOf(builder)), { code: 'unsupported_model' });
		assert.deepEqual(await readdir(join(models, '.downloads'), { recursive: true }), []);
		hub.faults.onFile = (_request, response) => {
			response.writeHead(403).end('{}');
			return true;
		};
		await assert.rejects(pull(hub, models, depsOf(builder)), { code: 'forbidden' });
		assert.deepEqual(await readdir(join(models, '.downloads'), { recursive: true }), []);
	});

	it('does not take the place of another model', async () => {
		await using hub = await startHub({ ...repository, 'm-Q8_0.gguf': randomBytes(2000) });
		const models = join(base, 'taken');
		await pull(hub, models, depsOf(new CopyingBuilder()), {}, 'Q8_0').catch(() => {});
		await mkdir(join(models, 'tiny@1'), { recursive: true });
		await assert.rejects(pull(hub, models, depsOf(new CopyingBuilder())), { code: 'conflict' });
	});
});

describe('what tells weights on this machine from others', () => {
	const hashesOf = async (path: string): Promise<unknown> => {
		const builder = new CopyingBuilder();
		const flags = { plan: true };
		const build = { modelsFolder: join(base, 'stamps'), folderName: 'x', path, flags };
		await buildFromPath(depsOf(builder), build, () => {}, never);
		return builder.requests[0]?.origin.hashes;
	};

	it('is every file that is read, also one that was written again in its place', async () => {
		const folder = join(base, 'stamped');
		await mkdir(folder);
		const files = [
			'config.json',
			'model-00001-of-00002.safetensors',
			'model-00002-of-00002.safetensors',
		];
		for (const file of files) await writeFile(join(folder, file), 'weights 1');
		await writeFile(join(folder, 'trainer.log'), '1');
		const first = await hashesOf(folder);
		assert.deepEqual(await hashesOf(folder), first);
		const { atime, mtime } = await stat(folder);
		for (const file of files) {
			const before = await hashesOf(folder);
			await writeFile(join(folder, file), 'weights 2', { flag: 'r+' });
			await utimes(folder, atime, mtime);
			assert.notDeepEqual(await hashesOf(folder), before, file);
		}
		const now = await hashesOf(folder);
		await writeFile(join(folder, 'trainer.log'), '2');
		assert.deepEqual(await hashesOf(folder), now);
	});

	it('is every part of a file that was split', async () => {
		const folder = join(base, 'parts');
		await mkdir(folder);
		const names = ['m-00001-of-00002.gguf', 'm-00002-of-00002.gguf'];
		for (const name of [...names, 'n-00002-of-00002.gguf', 'm.gguf'])
			await writeFile(join(folder, name), 'weights 1');
		const path = join(folder, names[0] ?? '');
		const before = await hashesOf(path);
		assert.deepEqual(Object.keys(before as object), names);
		await writeFile(join(folder, names[1] ?? ''), 'weights 2', { flag: 'r+' });
		assert.notDeepEqual(await hashesOf(path), before);
	});

	it('is looked at again when they were read', async () => {
		const path = join(base, 'changing.gguf');
		await writeFile(path, weights);
		const models = join(base, 'changing');
		const builder = new CopyingBuilder();
		const build = { modelsFolder: models, folderName: 'x', path, flags: {} };
		const changing: ModelBuilder = {
			build: async (request, listener, signal) => {
				const facts = await builder.build(request, listener, signal);
				await writeFile(path, 'other', { flag: 'r+' });
				return facts;
			},
		};
		await assert.rejects(
			buildFromPath(depsOf(changing), build, () => {}, never),
			/have changed while they were read/,
		);
		assert.deepEqual(await readdir(models), ['.downloads']);
		assert.equal(await buildFromPath(depsOf(builder), build, () => {}, never), join(models, 'x'));
	});
});

describe('a model built of what lies here', () => {
	it('appears under its name, and a plan leaves nothing', async () => {
		const file = join(base, 'x.gguf');
		await writeFile(file, weights);
		const models = join(base, 'local');
		const builder = new CopyingBuilder();
		const build = { modelsFolder: models, folderName: 'x', path: file };
		const events: DownloadEvent[] = [];
		const tell = (event: DownloadEvent) => events.push(event);
		const none = await buildFromPath(
			depsOf(builder),
			{ ...build, flags: { plan: true } },
			tell,
			never,
		);
		assert.equal(none, undefined);
		const folder = await buildFromPath(depsOf(builder), { ...build, flags: {} }, tell, never);
		assert.equal(folder, join(models, 'x'));
		assert.deepEqual(await readFile(join(folder, 'onnx', 'model_q4.onnx')), weights);
		const [start] = events;
		assert.ok(start?.type === 'start');
		assert.equal(start.start.license, 'apache-2.0');
		assert.equal(start.start.repository, file);
	});

	it('of an archive, which is unpacked once for all tries and goes with them', async () => {
		const archive = join(base, 'weights.zip');
		const zip = new ZipFile();
		zip.addBuffer(Buffer.from('{"model_type":"llama"}'), 'tiny/config.json');
		zip.addBuffer(weights, 'tiny/model.safetensors');
		zip.end();
		await pipeline(zip.outputStream, createWriteStream(archive));
		assert.equal(await holdsWeights(archive, never), true);
		const models = join(base, 'archives');
		const seen: string[] = [];
		const builder: ModelBuilder = {
			build: async (request) => {
				assert.ok(request.source.kind === 'path');
				const inside = join(request.source.path, 'model.safetensors');
				assert.deepEqual(await readFile(inside), weights);
				seen.push(request.source.path);
				if (seen.length === 1) throw new Error('torn');
				await mkdir(request.target, { recursive: true });
				return {
					architecture: 'llama',
					parameters: 1,
					sizeBytes: 1,
					memoryBytes: 1,
					storedAs: 'f32',
				};
			},
		};
		const build = { modelsFolder: models, folderName: 'x', path: archive, flags: {} };
		await assert.rejects(
			buildFromPath(depsOf(builder), build, () => {}, never),
			/torn/,
		);
		await buildFromPath(depsOf(builder), build, () => {}, never);
		assert.equal(seen[0], seen[1]);
		assert.deepEqual(await readdir(models), ['.downloads', 'x']);
		assert.deepEqual(await readdir(join(models, '.downloads'), { recursive: true }), []);
	});

	it('of an archive, says what is done with it while that takes long, and leaves nothing when it is cancelled', async () => {
		const archive = join(base, 'long.zip');
		const zip = new ZipFile();
		zip.addBuffer(weights, 'tiny/model.safetensors', { compress: false });
		zip.end();
		await pipeline(zip.outputStream, createWriteStream(archive));
		let now = 0;
		const said: string[] = [];
		const listener = archiveNotices(
			archive,
			'is unpacked',
			(text) => said.push(text),
			() => now,
		);
		for (now of [4999, 5000, 5001, 24_999, 25_000]) listener(now, 50_000);
		assert.deepEqual(said, [
			'long.zip is unpacked: 10% of 0 MB.',
			'long.zip is unpacked: 50% of 0 MB.',
		]);
		const models = join(base, 'long');
		await assert.rejects(holdsWeights(archive, AbortSignal.abort()), { code: 'cancelled' });
		await mkdir(models);
		const found = { size: 1, mtimeMs: 1 };
		await assert.rejects(unpackedWeights(archive, found, models, AbortSignal.abort()), {
			code: 'cancelled',
		});
		assert.deepEqual(await readdir(models), []);
	});

	it('weights are told from models by what is there', async () => {
		const folder = join(base, 'folder');
		await mkdir(join(folder, 'onnx'), { recursive: true });
		assert.equal(await holdsWeights(folder, never), false);
		await writeFile(join(folder, 'model.safetensors'), '');
		assert.equal(await holdsWeights(folder, never), true);
		await writeFile(join(folder, 'onnx', 'model.onnx'), '');
		assert.equal(await holdsWeights(folder, never), false);
		assert.equal(await holdsWeights(join(folder, 'model.safetensors'), never), false);
	});

	it('and in archives, whatever comes first', async () => {
		const holds = async (...names: string[]) => {
			const archive = join(base, 'mixed.zip');
			const zip = new ZipFile();
			for (const name of names) zip.addBuffer(Buffer.from('1'), name);
			zip.end();
			await pipeline(zip.outputStream, createWriteStream(archive));
			return await holdsWeights(archive, never);
		};
		assert.equal(await holds('a/model.safetensors', 'a/onnx/model.onnx'), false);
		assert.equal(await holds('a/model.safetensors', 'a/config.json'), true);
		assert.equal(await holds('a/decoder.yml', 'a/model.npz', 'a/source.spm'), true);
		assert.equal(await holds('model.ende.intgemm8.bin.gz', 'vocab.ende.spm.gz'), true);
		assert.equal(await holds('pytorch_model.bin', 'source.spm', 'config.json'), false);
		assert.equal(await holds('readme.txt'), false);
	});
});
