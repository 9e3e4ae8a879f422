import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { createGzip, gunzipSync, gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { ZipFile } from 'yazl';
import { findInArchive, unpack } from '../../server/hub/archive.ts';
import { AppError } from '../../server/protocol/index.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

interface Entry {
	readonly name: string;
	readonly type?: 'directory' | 'symlink' | 'link' | 'character-device';
	readonly linkname?: string;
	readonly text?: string;
}

const never = new AbortController().signal;
const folder = temporaryFolder('archive');

async function tar(name: string, entries: readonly Entry[]): Promise<string> {
	const path = join(folder, name);
	const archive = pack();
	for (const { text, ...header } of entries) archive.entry(header, text ?? '');
	archive.finalize();
	await pipeline(archive, createGzip(), createWriteStream(path));
	return path;
}

test('tar.gz and zip archives unpack to the same files', async () => {
	const first = await tar('good.tar.gz', [
		{ name: './model/', type: 'directory' },
		{ name: './model/config.json', text: '{}' },
		{ name: 'model/onnx/model.onnx', text: 'graph' },
	]);
	await unpack(first, join(folder, 'a'), never);
	const zip = new ZipFile();
	zip.addBuffer(Buffer.from('{}'), 'model/config.json');
	zip.addBuffer(Buffer.from('graph'), 'model/onnx/model.onnx');
	zip.end();
	const second = join(folder, 'good.zip');
	await pipeline(zip.outputStream, createWriteStream(second));
	await unpack(second, join(folder, 'b'), never);
	for (const name of ['a', 'b']) {
		assert.equal(
			await readFile(join(folder, name, 'model', 'onnx', 'model.onnx'), 'utf8'),
			'graph',
		);
		assert.deepEqual((await readdir(join(folder, name, 'model'))).sort(), ['config.json', 'onnx']);
	}
});

test('before anything is unpacked it is asked whether there is room, with the bytes that will be written', async () => {
	const content = randomBytes(40_000);
	const packed = join(folder, 'room.tar.gz');
	const plain = join(folder, 'room.tar');
	const entries = pack();
	entries.entry({ name: 'model/weights.bin' }, content);
	entries.finalize();
	await pipeline(entries, createWriteStream(plain));
	await writeFile(packed, gzipSync(await readFile(plain)));
	const zip = new ZipFile();
	zip.addBuffer(content, 'model/weights.bin');
	zip.end();
	const zipped = join(folder, 'room.zip');
	await pipeline(zip.outputStream, createWriteStream(zipped));
	for (const path of [plain, packed, zipped]) {
		const to = join(folder, `to-${basename(path)}`);
		let asked = 0;
		const full = async (bytes: number) => {
			asked = bytes;
			throw new AppError('disk_full', 'no room');
		};
		await assert.rejects(unpack(path, to, never, undefined, full), { code: 'disk_full' }, path);
		const more = path === packed ? 512 * 20 : 0;
		assert.ok(asked >= content.length && asked <= content.length + more, `${path}: ${asked}`);
		assert.deepEqual(await readdir(to), []);
	}
});

test('names that leave the folder, links and devices are refused', async () => {
	for (const [index, header] of (
		[
			{ name: '../evil', text: 'x' },
			{ name: '/etc/evil', text: 'x' },
			{ name: 'a/../../evil', text: 'x' },
			{ name: 'nul.txt', text: 'x' },
			{ name: 'link', type: 'symlink', linkname: '/etc/passwd' },
			{ name: 'hard', type: 'link', linkname: '/etc/passwd' },
			{ name: 'device', type: 'character-device' },
		] as Entry[]
	).entries()) {
		const path = await tar(`bad${index}.tar.gz`, [header]);
		await assert.rejects(
			unpack(path, join(folder, `bad${index}`), never),
			{ code: 'invalid_request' },
			header.name,
		);
	}
	assert.equal((await readdir(folder)).includes('evil'), false);
});

test('names that most disks of Windows and macOS take for one are refused', async () => {
	const pairs = [
		['model/config.json', 'model/Config.json'],
		['model/ü.json', 'model/u\u0308.json'],
	];
	for (const [index, names] of pairs.entries()) {
		const entries = names.map((name) => ({ name, text: '{}' }));
		const path = await tar(`same${index}.tar.gz`, entries);
		await assert.rejects(unpack(path, join(folder, `same${index}`), never), /one file on/);
	}
});

test('a name that an archive holds twice is told apart from two that look alike', async () => {
	const entry = { name: 'm/config.json', text: '{}' };
	const path = await tar('twice.tar.gz', [entry, entry]);
	await assert.rejects(unpack(path, join(folder, 'twice'), never), {
		message: 'The archive is refused: it holds "m/config.json" twice.',
	});
});

test('a broken archive is an error, not a half model', async () => {
	const path = join(folder, 'broken.zip');
	await writeFile(path, 'PK\u0003\u0004 not really');
	await assert.rejects(unpack(path, join(folder, 'broken'), never), { code: 'invalid_request' });
});

test('an archive that is cut off or damaged is said to be, wherever that is', async () => {
	const whole = await readFile(
		await tar('whole.tar.gz', [
			{ name: 'model/config.json', text: '{}' },
			{ name: 'model/onnx/model.onnx', text: 'graph '.repeat(20_000) },
		]),
	);
	const plain = gunzipSync(whole);
	const middle = Math.floor(whole.length / 2);
	const zip = new ZipFile();
	zip.addBuffer(randomBytes(20_000), 'model/config.json');
	zip.end();
	const zipped = await buffer(zip.outputStream as Readable);
	const faults = {
		'cut.tgz': whole.subarray(0, middle),
		'cut.tar': plain.subarray(0, Math.floor(plain.length / 2)),
		'wrong.tar.gz': Buffer.concat([whole.subarray(0, middle), Buffer.alloc(200, 7)]),
		'cut.zip': zipped.subarray(0, zipped.length / 2),
		'no.tar': Buffer.alloc(2048, 7),
	};
	for (const [name, bytes] of Object.entries(faults)) {
		const path = join(folder, name);
		await writeFile(path, bytes);
		await assert.rejects(
			unpack(path, join(folder, `of-${name}`), never),
			{ code: 'invalid_request', message: /cut off or damaged/ },
			name,
		);
	}
});

test('an archive says what it holds without being unpacked', async () => {
	const path = await tar('weights.tgz', [
		{ name: './m/', type: 'directory' },
		{ name: 'm/link.gguf', type: 'symlink', linkname: 'x' },
		{ name: 'm/config.json', text: '{}' },
		{ name: 'm/b.safetensors', text: 'x'.repeat(100_000) },
		{ name: 'm/c.onnx', text: 'y' },
	]);
	assert.equal(await findInArchive(path, /\.(gguf|safetensors|onnx)$/, never), 'm/b.safetensors');
	assert.equal(await findInArchive(path, /\.bin$/, never), undefined);
	const zip = new ZipFile();
	zip.addBuffer(Buffer.from('{}'), 'm/config.json');
	zip.addBuffer(Buffer.from('x'), 'm/b.gguf');
	zip.end();
	const second = join(folder, 'weights.zip');
	await pipeline(zip.outputStream, createWriteStream(second));
	assert.equal(await findInArchive(second, /\.gguf$/, never), 'm/b.gguf');
	assert.equal(await findInArchive(second, /\.onnx$/, never), undefined);
	const broken = join(folder, 'broken.zip');
	await writeFile(broken, 'PK nothing');
	await assert.rejects(findInArchive(broken, /./, never), { code: 'invalid_request' });
});

test('how much of an archive was read is told, and a cancelled reading ends at once', async () => {
	const text = 'weights '.repeat(100_000);
	const first = await tar('told.tar.gz', [
		{ name: 'm/model.safetensors', text },
		{ name: 'm/config.json', text: '{}' },
	]);
	const plain = join(folder, 'told.tar');
	await writeFile(plain, gunzipSync(await readFile(first)));
	const zip = new ZipFile();
	zip.addBuffer(Buffer.from(text), 'm/model.safetensors');
	zip.addBuffer(Buffer.from('{}'), 'm/config.json', { compress: false });
	zip.end();
	const second = join(folder, 'told.zip');
	await pipeline(zip.outputStream, createWriteStream(second));
	for (const path of [first, plain, second]) {
		const { length } = await readFile(path);
		const told: number[] = [];
		await unpack(path, join(folder, `of-${basename(path)}`), never, (read, size) => {
			assert.equal(size, length);
			told.push(read);
		});
		assert.ok(told.every((read, at) => read >= (told[at - 1] ?? 0) && read <= length));
		assert.ok((told.at(-1) ?? 0) > length / 2, path);
		const stop = new AbortController();
		const stopped = unpack(path, join(folder, `stopped-${basename(path)}`), stop.signal, () =>
			stop.abort(),
		);
		await assert.rejects(stopped, { code: 'cancelled' });
		const none = { test: () => stop.signal.aborted === false };
		await assert.rejects(findInArchive(path, none, stop.signal), { code: 'cancelled' });
	}
	const searched = new AbortController();
	const found = findInArchive(plain, /none/, searched.signal, () => searched.abort());
	await assert.rejects(found, { code: 'cancelled' });
});

test('folders of an archive count, so that one of folders alone ends', async () => {
	const entries = Array.from({ length: 10_001 }, (_, at) => ({
		name: `f${at}/`,
		type: 'directory' as const,
	}));
	const path = await tar('folders.tar.gz', entries);
	await assert.rejects(unpack(path, join(folder, 'folders'), never), /more than 10000 entries/);
});
