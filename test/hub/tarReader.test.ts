/** Tar and zip archives by their bytes: what is read of them, what is refused, and when. */

import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { ZipFile } from 'yazl';
import { findInArchive, unpack } from '../../server/hub/archive.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const never = new AbortController().signal;
const folder = temporaryFolder('tar');

interface HeaderFields {
	readonly type?: string;
	/** As it stands in its twelve bytes; default: octal digits of the content's length. */
	readonly size?: Buffer | string;
	readonly magic?: string;
	readonly prefix?: string;
}

/** A header and its content, filled up to whole blocks. */
function entry(name: string, content: Buffer | string = '', fields: HeaderFields = {}): Buffer {
	const bytes = Buffer.from(content);
	const block = Buffer.alloc(512);
	block.write(name, 0, 100);
	block.write('0000644\0', 100);
	const size = fields.size ?? `${bytes.length.toString(8).padStart(11, '0')}\0`;
	Buffer.from(size).copy(block, 124, 0, 12);
	block.write(fields.type ?? '0', 156);
	block.write(fields.magic ?? 'ustar\x0000', 257, 'latin1');
	block.write(fields.prefix ?? '', 345, 155);
	block.fill(' ', 148, 156);
	const sum = block.reduce((total, byte) => total + byte, 0);
	block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
	const padding = Buffer.alloc((512 - (bytes.length % 512)) % 512);
	return Buffer.concat([block, bytes, padding]);
}

function pax(fields: Readonly<Record<string, string>>): Buffer {
	const lines = Object.entries(fields).map(([key, value]) => {
		const rest = ` ${key}=${value}\n`;
		let length = rest.length + 1;
		while (String(length).length + rest.length !== length) length++;
		return `${length}${rest}`;
	});
	return entry('PaxHeader', lines.join(''), { type: 'x' });
}

const end = Buffer.alloc(1024);

async function archive(name: string, ...parts: readonly Buffer[]): Promise<string> {
	const path = join(folder, name);
	await writeFile(path, Buffer.concat([...parts, end]));
	return path;
}

/** How many files and folders a refused archive has left. */
const leftIn = (target: string) =>
	readdir(target, { recursive: true }).then(({ length }) => length);

test('of a plain tar archive only the headers are read to know what it holds', async () => {
	const size = 256 * 2 ** 20;
	const path = join(folder, 'large.tar');
	const head = entry('m/model.safetensors', '', {
		size: `${size.toString(8).padStart(11, '0')}\0`,
	});
	const tail = Buffer.concat([entry('m/config.json', '{}'), end]);
	const file = await open(path, 'w');
	await file.write(head, 0, head.length, 0);
	// A hole in between: nothing of it is on the disk.
	await file.write(tail, 0, tail.length, head.length + size);
	await file.close();
	const told: number[] = [];
	const found = await findInArchive(path, /config\.json$/, never, (read) => told.push(read));
	assert.equal(found, 'm/config.json');
	assert.ok(told.length < 20, `told ${told.length} times`);
	const none = await findInArchive(path, /\.onnx$/, never);
	assert.equal(none, undefined);
});

test('what is behind the end of an archive is none of it', async () => {
	const path = await archive('behind.tar', entry('m/config.json', '{}'), end, entry('m/late', 'x'));
	await unpack(path, join(folder, 'behind'), never);
	assert.deepEqual(await readdir(join(folder, 'behind', 'm')), ['config.json']);
});

test('long names, large sizes in bytes, older headers and prefixes are read as they are meant', async () => {
	const long = `m/${'d'.repeat(90)}/${'e'.repeat(90)}.json`;
	const binary = Buffer.alloc(12);
	binary[0] = 0x80;
	binary[11] = 3;
	const path = await archive(
		'kinds.tar',
		entry('pax_global_header', '13 comment=x\n', { type: 'g' }),
		pax({ path: long, size: '4' }),
		entry('short', 'pax!', { size: '00000000000\0' }),
		entry('././@LongLink', 'm/gnu.json\0', { type: 'L', magic: 'ustar  ' }),
		entry('cut', 'gnu', { size: binary, magic: 'ustar  ' }),
		entry('old.json', 'old', { type: '\0', magic: '' }),
		entry('new.json', 'new', { prefix: 'm/inner' }),
		entry('m/folder/', '', { type: '0' }),
		entry('m/another', '', { type: '5', size: '00000001000\0' }),
		entry('m/whole.json', 'same', { type: '7' }),
	);
	const target = join(folder, 'kinds');
	await unpack(path, target, never);
	const texts: Readonly<Record<string, string>> = {
		...{ [long]: 'pax!', 'm/gnu.json': 'gnu', 'old.json': 'old' },
		...{ 'm/inner/new.json': 'new', 'm/whole.json': 'same' },
	};
	for (const [name, text] of Object.entries(texts))
		assert.equal(await readFile(join(target, name), 'utf8'), text, name);
	const packed = join(folder, 'kinds.tar.gz');
	await writeFile(packed, gzipSync(await readFile(path)));
	await unpack(packed, join(folder, 'packed'), never);
	for (const [name, text] of Object.entries(texts))
		assert.equal(await readFile(join(folder, 'packed', name), 'utf8'), text, name);
});

test('headers that are wrong are refused, packed or not, and nothing is written', async () => {
	const negative = Buffer.alloc(12, 0xff);
	const huge = Buffer.alloc(12, 0x7f);
	huge[0] = 0x80;
	const good = entry('m/config.json', '{}');
	const cases: Readonly<Record<string, readonly Buffer[]>> = {
		'size below zero': [entry('m/a', '', { size: negative })],
		'size beyond all numbers': [entry('m/a', '', { size: huge })],
		'size of letters': [entry('m/a', '', { size: 'abcdefghijk\0' })],
		'size beyond the end': [entry('m/a', 'x', { size: '00077777777\0' })],
		'pax size below zero': [pax({ size: '-1' }), entry('m/a', 'x')],
		'pax without lengths': [entry('p', 'path=m/a\n', { type: 'x' }), entry('m/a', 'x')],
		'pax with a length below zero': [entry('p', '-9 path=a\n', { type: 'x' }), entry('m/a', 'x')],
		'pax with a length beyond': [entry('p', '99 path=a\n', { type: 'x' }), entry('m/a', 'x')],
		'pax of megabytes': [pax({ comment: 'x'.repeat(2 ** 20) }), entry('m/a', 'x')],
		'names of megabytes': [entry('l', 'x'.repeat(2 ** 20 + 1), { type: 'L' }), entry('m/a', 'x')],
		'nothing but fields': [...Array.from({ length: 40 }, () => pax({ path: 'm/a' })), good],
		'a path of pax that leaves': [pax({ path: '../evil' }), entry('m/a', 'x')],
		'a long name that leaves': [entry('l', '/etc/evil\0', { type: 'L' }), entry('m/a', 'x')],
		'a file with holes': [entry('m/a', 'x', { type: 'S' })],
		'a file with holes, by pax': [pax({ 'GNU.sparse.major': '1' }), entry('m/a', 'x')],
		'a link': [entry('m/a', '', { type: '2' })],
		'a hard link': [entry('m/a', '', { type: '1' })],
		'a kind that is not known': [entry('m/a', '', { type: 'M' })],
	};
	for (const [what, parts] of Object.entries(cases)) {
		const path = await archive(`${what}.tar`, good, ...parts);
		const target = join(folder, `of ${what}`);
		const refusal = { code: 'invalid_request', message: /^The archive is refused: [^\n]+\.$/ };
		await assert.rejects(unpack(path, target, never), refusal, what);
		assert.equal(await leftIn(target), 0, what);
		const packed = join(folder, `${what}.tgz`);
		await writeFile(packed, gzipSync(await readFile(path)));
		await assert.rejects(unpack(packed, `${target}, packed`, never), refusal, what);
	}
});

test('an archive that ends between two entries is cut off', async () => {
	const whole = Buffer.concat([entry('m/config.json', '{}'), entry('m/model.onnx', 'x')]);
	const path = join(folder, 'between.tar');
	await writeFile(path, whole.subarray(0, 1024));
	await assert.rejects(unpack(path, join(folder, 'between'), never), /cut off/);
	await assert.rejects(findInArchive(path, /none/, never), /cut off/);
	await writeFile(path, '');
	await assert.rejects(unpack(path, join(folder, 'between'), never), /cut off/);
});

test('names that only pax can have come out as they went in', async () => {
	const name = `m/${'ü'.repeat(60)}/${'x'.repeat(120)}.json`;
	const path = join(folder, 'written.tar');
	const written = pack();
	written.entry({ name }, 'text');
	written.finalize();
	await pipeline(written, createWriteStream(path));
	await unpack(path, join(folder, 'written'), never);
	assert.equal(await readFile(join(folder, 'written', name), 'utf8'), 'text');
});

async function zip(name: string, fill: (file: ZipFile) => void): Promise<string> {
	const path = join(folder, name);
	const file = new ZipFile();
	fill(file);
	file.end();
	await pipeline(file.outputStream, createWriteStream(path));
	return path;
}

test('a zip file with a damaged byte is refused, packed or not', async () => {
	const text = 'weights '.repeat(1000);
	for (const compress of [false, true]) {
		const path = await zip(`flipped-${compress}.zip`, (file) => {
			file.addBuffer(Buffer.from(text), 'm/model.onnx', { compress });
		});
		const bytes = await readFile(path);
		const at = compress ? 60 : 2000;
		bytes[at] = (bytes[at] ?? 0) ^ 1;
		await writeFile(path, bytes);
		const target = join(folder, `flipped-${compress}`);
		await assert.rejects(unpack(path, target, never), {
			code: 'invalid_request',
			message: /cut off or damaged/,
		});
	}
});

test('what the list of a zip file tells against it is said before anything is written', async () => {
	const faults: Readonly<Record<string, (file: ZipFile) => void>> = {
		link: (file) => file.addBuffer(Buffer.from('x'), 'm/link', { mode: 0o120777 }),
		twice: (file) => file.addBuffer(Buffer.from('x'), 'M/config.json'),
	};
	for (const [name, fault] of Object.entries(faults)) {
		const path = await zip(`${name}.zip`, (file) => {
			file.addBuffer(Buffer.from('{}'), 'm/config.json');
			fault(file);
		});
		const target = join(folder, `zip ${name}`);
		await assert.rejects(unpack(path, target, never), { code: 'invalid_request' });
		assert.equal(await leftIn(target), 0, name);
	}
});

test('zip files in the form for large ones, and those that are encrypted or packed by other methods', async () => {
	const large = await zip('large.zip', (file) => {
		file.addBuffer(Buffer.from('{}'), 'm/config.json', { forceZip64Format: true });
	});
	await unpack(large, join(folder, 'zip64'), never);
	assert.equal((await stat(join(folder, 'zip64', 'm', 'config.json'))).size, 2);
	const plain = await readFile(
		await zip('plain.zip', (file) => file.addBuffer(Buffer.from('{}'), 'm/config.json')),
	);
	const listed = plain.indexOf(Buffer.from('PK\x01\x02', 'latin1'));
	const encrypted = Buffer.from(plain);
	encrypted[listed + 8] = (encrypted[listed + 8] ?? 0) | 1;
	const otherwise = Buffer.from(plain);
	otherwise[listed + 10] = 93;
	const reasons = { encrypted: /is encrypted/, otherwise: /a method that is not read here/ };
	for (const [name, bytes] of Object.entries({ encrypted, otherwise })) {
		const path = join(folder, `${name}.zip`);
		await writeFile(path, bytes);
		await assert.rejects(
			unpack(path, join(folder, `zip ${name}`), never),
			reasons[name as keyof typeof reasons],
		);
	}
});
