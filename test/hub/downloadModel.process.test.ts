import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
	type DownloadEvent,
	type DownloadModelOptions,
	downloadModelFiles,
} from '../../server/hub/downloadModel.ts';
import { createHubHttp } from '../../server/hub/http.ts';
import { readManifest } from '../../server/hub/manifest.ts';
import { readRepository } from '../../server/hub/repository.ts';
import { selectFiles } from '../../server/hub/selectModelFiles.ts';
import { startHub, type TestHub } from '../support/hubServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const never = new AbortController().signal;
const child = fileURLToPath(new URL('./downloadChild.ts', import.meta.url));
const small = {
	'config.json': Buffer.from('{"model_type":"llama"}'),
	'tokenizer.json': Buffer.from('{}'),
	'onnx/model_q4.onnx': randomBytes(300_000),
	'onnx/model_q4.onnx_data': randomBytes(900_000),
	'onnx/model.onnx': randomBytes(2_000_000),
	'README.md': Buffer.from('# tiny'),
};
const folder = temporaryFolder('models');

async function pull(
	hub: TestHub,
	modelsFolder: string,
	more: Partial<DownloadModelOptions> = {},
	onEvent: (event: DownloadEvent) => void = () => {},
) {
	const http = createHubHttp({ endpoint: hub.url });
	try {
		const repository = await readRepository(http, 'acme/tiny', 'main', never);
		const job = downloadModelFiles(
			http,
			{
				modelsFolder,
				folderName: 'acme--tiny',
				repository: 'acme/tiny',
				commit: repository.commit,
				selection: selectFiles(repository.files, { device: 'CPU' }),
				manifest: { id: 'tiny:1', name: 'tiny', version: '1', alias: 'tiny', displayName: 'Tiny' },
				backoffMs: 5,
				...more,
			},
			never,
		);
		for (;;) {
			const { done, value } = await job.next();
			if (done) return value;
			onEvent(value);
		}
	} finally {
		http.close();
	}
}

function spawnChild(url: string, models: string) {
	return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', child, url, models], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
}

test('only the files of the chosen variant arrive, with a manifest written last', async () => {
	await using hub = await startHub(small);
	const models = join(folder, 'chosen');
	const fractions: number[] = [];
	const target = await pull(hub, models, {}, (event) => {
		if (event.type === 'progress')
			fractions.push(event.progress.doneBytes / event.progress.totalBytes);
	});
	assert.deepEqual((await readdir(target, { recursive: true })).sort(), [
		'config.json',
		'nearglot.json',
		'onnx',
		join('onnx', 'model_q4.onnx'),
		join('onnx', 'model_q4.onnx_data'),
		'tokenizer.json',
	]);
	const manifest = await readManifest(target);
	assert.equal(manifest?.id, 'tiny:1');
	assert.equal(manifest?.files.length, 4);
	assert.equal(fractions.at(-1), 1);
	assert.deepEqual(
		fractions,
		[...fractions].sort((a, b) => a - b),
	);
	const before = hub.requests.length;
	await pull(hub, models);
	assert.equal(hub.requests.length, before + 2, 'a finished model is not fetched again');
});

test('a name that another source has taken meanwhile stays with that', async () => {
	await using hub = await startHub(small);
	const models = join(folder, 'taken');
	const named = (path: string) => ({
		id: 'tiny:1',
		name: 'tiny',
		version: '1',
		alias: 'tiny',
		displayName: 'Tiny',
		path,
	});
	const target = await pull(hub, models, { manifest: named('') });
	const refused = pull(hub, models, { manifest: named('exports') });
	await assert.rejects(refused, {
		code: 'conflict',
		message: /acme\/tiny\. Give this one another/,
	});
	assert.equal((await readManifest(target))?.path, '');
});

test('what an unfinished download of another source left is not taken over', async () => {
	const graph = randomBytes(2000);
	const of = (folder: string) => ({
		[`${folder}/config.json`]: Buffer.from(`{"model_type":"${folder}"}`),
		[`${folder}/tokenizer.json`]: Buffer.from('{}'),
		[`${folder}/onnx/model_q4.onnx`]: graph,
	});
	await using hub = await startHub({ 'onnx/model_q4.onnx': graph, ...of('one'), ...of('two') });
	const models = join(folder, 'unfinished');
	const http = createHubHttp({ endpoint: hub.url });
	const { files } = await readRepository(http, 'acme/tiny', 'main', never);
	http.close();
	const pullFolder = (subfolder: string) =>
		pull(hub, models, { selection: selectFiles(files, { device: 'CPU', subfolder }) });
	hub.faults.onFile = (_request, response, path) => {
		if (!path.endsWith('.onnx')) return false;
		response.writeHead(404).end();
		return true;
	};
	await assert.rejects(pullFolder('one'));
	delete hub.faults.onFile;
	const asked = hub.requests.length;
	const target = await pullFolder('two');
	assert.equal(await readFile(join(target, 'config.json'), 'utf8'), '{"model_type":"two"}');
	const fetched = hub.requests.slice(asked).filter(({ path }) => path.includes('/resolve/'));
	assert.ok(!fetched.some(({ path }) => path.endsWith('tokenizer.json')), 'the same file stays');
	assert.deepEqual(await readdir(join(models, '.downloads')), []);
});

test('two processes that pull the same model download it once', async () => {
	await using hub = await startHub(small);
	const models = join(folder, 'two');
	const children = [spawnChild(hub.url, models), spawnChild(hub.url, models)];
	const codes = await Promise.all(
		children.map(async (process) => (await once(process, 'exit'))[0]),
	);
	assert.deepEqual(codes, [0, 0]);
	const files = hub.requests.filter((request) => request.path.includes('/resolve/'));
	assert.equal(files.length, 4);
});

test('twenty kills during a download end with the right file, and what was on disk is not fetched again', async () => {
	const weights = Buffer.alloc(96 * 1024 * 1024);
	const block = randomBytes(1 << 20);
	for (let at = 0; at < weights.length; at += block.length) {
		block.writeUInt32LE(at, 0);
		block.copy(weights, at);
	}
	const content = { 'config.json': Buffer.from('{}'), 'onnx/model.onnx': weights };
	await using hub = await startHub(content);
	const models = join(folder, 'killed');
	let kills = 0;
	const journal = join(models, '.downloads', 'acme--tiny', 'onnx', 'model.onnx.part.at');
	for (let round = 0; round < 60; round++) {
		// Where every part stands; nothing before that may be asked for again.
		const stands = await positions(journal);
		const asked = hub.requests.length;
		// What is sent and not read is lost with the process, so only what it had counts below.
		const goal = hub.sentBytes + weights.length / 24;
		hub.faults = kills < 20 ? { maxSentBytes: goal } : {};
		const process = spawnChild(hub.url, models);
		let said = '';
		process.stdout.setEncoding('utf8').on('data', (text: string) => {
			said += text;
		});
		const closed = once(process, 'close');
		if (kills < 20) {
			while (process.exitCode === null && hub.sentBytes < goal) await sleep(1);
			if (process.exitCode === null && process.kill('SIGKILL')) kills++;
		}
		const [code] = await closed;
		for (const { range } of hub.requests.slice(asked)) {
			const start = Number(range?.match(/^bytes=(\d+)-/)?.[1] ?? Number.NaN);
			const part = Math.floor(start / partBytes);
			if (Number.isNaN(start) || part >= stands.length) continue;
			assert.ok(start >= part * partBytes + (stands[part] ?? 0), `asked again from ${start}`);
		}
		if (code === 0) break;
		const had = Math.max(0, ...said.split('\n').slice(0, -1).map(Number));
		const kept = (await positions(journal)).reduce((sum, done) => sum + done, 0);
		const others = content['config.json'].length;
		assert.ok(kept + others >= had, `it had ${had} bytes, and ${kept} are on the disk`);
	}
	assert.equal(kills, 20);
	const target = join(models, 'acme--tiny', 'onnx', 'model.onnx');
	const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
	assert.equal(sha256(await readFile(target)), sha256(weights));
	assert.deepEqual(await readdir(join(models, '.downloads')), []);
});

test('a kill just as a file was finished leaves nothing of it in the model', async () => {
	await using hub = await startHub(small);
	const models = join(folder, 'finishing');
	hub.faults.onFile = (_request, response, path) => {
		if (path !== 'tokenizer.json') return false;
		response.writeHead(404).end();
		return true;
	};
	await assert.rejects(pull(hub, models));
	delete hub.faults.onFile;
	const partial = join(models, '.downloads', 'acme--tiny');
	for (const ending of ['at', 'id'])
		await writeFile(join(partial, `config.json.part.${ending}`), '');
	await writeFile(join(partial, 'tokenizer.json.part.id.new'), '');
	const target = await pull(hub, models);
	const names = await readdir(target, { recursive: true });
	assert.deepEqual(
		names.filter((name) => name.includes('.part')),
		[],
	);
	assert.deepEqual(await readdir(join(models, '.downloads')), []);
});

const partBytes = 8 * 1024 * 1024;

async function positions(journal: string): Promise<number[]> {
	const bytes = await readFile(journal).catch(() => Buffer.alloc(0));
	return Array.from({ length: Math.floor(bytes.length / 8) }, (_, index) =>
		Number(bytes.readBigUInt64LE(index * 8)),
	);
}

test('a disk without enough space is a clear error before the first byte', async (context) => {
	const disk = join(folder, 'disk');
	await mkdir(disk);
	const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', disk]).status === 0;
	if (!mounted) return context.skip('mounting a small disk needs root');
	try {
		await using hub = await startHub(small);
		await assert.rejects(pull(hub, disk), { code: 'disk_full', message: /free/ });
		assert.deepEqual(await readdir(join(disk, '.downloads')), []);
		assert.ok(
			hub.requests.every(({ path }) => path.startsWith('/api/')),
			'no file was asked for',
		);
	} finally {
		spawnSync('umount', [disk]);
	}
});

test('a disk that fills while writing keeps what has arrived, and the next try goes on from there', async (context) => {
	const disk = join(folder, 'filling');
	await mkdir(disk);
	const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'none', disk]).status === 0;
	if (!mounted) return context.skip('mounting a small disk needs root');
	try {
		await using hub = await startHub(small);
		let filled = false;
		const fill = ({ type }: DownloadEvent) => {
			if (filled || type !== 'progress') return;
			filled = true;
			spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'other')}`, 'bs=64k', 'count=64']);
		};
		await assert.rejects(pull(hub, disk, {}, fill), { code: 'disk_full' });
		assert.deepEqual((await readdir(disk)).sort(), ['.downloads', 'other']);
		const sent = hub.sentBytes;
		await rm(join(disk, 'other'));
		const target = await pull(hub, disk);
		const { files = [] } = (await readManifest(target)) ?? {};
		for (const { path } of files)
			assert.deepEqual(await readFile(join(target, path)), small[path as keyof typeof small], path);
		const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
		assert.ok(hub.sentBytes - sent < total, 'what had arrived was fetched again');
	} finally {
		spawnSync('umount', [disk]);
	}
});

test('listings with dangerous names are refused before anything is written', async () => {
	for (const path of [
		'../evil.json',
		'/etc/passwd',
		'a/../../b',
		'onnx/con.onnx',
		'a\u0000b',
		'C:evil',
		'dir\\file',
		'onnx//model.onnx',
	]) {
		await using hub = await startHub({ ...small, [path]: Buffer.from('x') });
		const models = join(folder, 'names');
		await assert.rejects(pull(hub, models), { code: 'download_failed' }, path);
		await assert.rejects(readdir(models), { code: 'ENOENT' });
	}
	await using hub = await startHub({ ...small, 'Config.json': Buffer.from('x') });
	await assert.rejects(pull(hub, join(folder, 'case')), { message: /one file on many disks/ });
});

test('files for which the hub states no hash are told of and recorded', async () => {
	const models = join(folder, 'unverified');
	await using hub = await startHub(small, { hashes: false });
	let told: number | undefined;
	const target = await pull(hub, models, {}, (event) => {
		if (event.type === 'start') told = event.start.unverified;
	});
	const { files = [] } = (await readManifest(target)) ?? {};
	assert.ok(files.length > 2);
	assert.equal(told, files.length);
	assert.ok(files.every(({ unverified }) => unverified === true));
});
