/** Files as cameras and programs write them, decoded: turned, of other kinds of colours, interlaced, damaged. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import encodeJpeg, { init as initEncoder } from '@jsquash/jpeg/encode.js';
import { readImageHeader } from '../../../server/engine/modelFiles/imageHeader.ts';
import { applyOrientation } from '../../../server/engine/vision/applyOrientation.ts';
import { decodeImage } from '../../../server/engine/vision/decodeImage.ts';
import { pngFile, pngImage } from '../../fixtures/pngImage.ts';

const read = async (bytes: Uint8Array) => {
	const header = readImageHeader(bytes, 'image');
	const { width, height, data } = await decodeImage(bytes, header);
	return { width, height, red: [...data].filter((_, index) => index % 3 === 0) };
};

/** A JPEG of 16 × 8 pixels, bright in the quarter above at the left. */
async function cornerJpeg(): Promise<Buffer> {
	const { WebAssembly } = globalThis as unknown as {
		WebAssembly: { Module: new (bytes: Uint8Array) => never };
	};
	const wasm = import.meta.resolve('@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm');
	await initEncoder(new WebAssembly.Module(await readFile(new URL(wasm))));
	const data = new Uint8ClampedArray(16 * 8 * 4).fill(255);
	for (let y = 0; y < 8; y++)
		for (let x = 0; x < 16; x++)
			data.fill(x < 8 && y < 4 ? 250 : 10, 4 * (16 * y + x), 4 * (16 * y + x) + 3);
	return Buffer.from(await encodeJpeg({ data, width: 16, height: 8 } as ImageData));
}

/** A block of Exif with an orientation, put behind the beginning of a JPEG. */
function withOrientation(jpeg: Buffer, orientation: number, little: boolean): Buffer {
	const tiff = Buffer.alloc(26);
	const short = (value: number, at: number) =>
		little ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at);
	const long = (value: number, at: number) =>
		little ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at);
	tiff.write(little ? 'II' : 'MM', 0, 'latin1');
	short(42, 2);
	long(8, 4);
	short(1, 8);
	short(0x0112, 10);
	short(3, 12);
	long(1, 14);
	short(orientation, 18);
	const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
	const head = Buffer.from([0xff, 0xe1, 0, body.length + 2]);
	return Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)]);
}

/** Where the bright quarter of an image is. */
function brightCorner({ width, height, red }: Awaited<ReturnType<typeof read>>): string {
	const at = (x: number, y: number) => (red[y * width + x] ?? 0) > 128;
	const [left, right, top, bottom] = [1, width - 2, 1, height - 2];
	const corners = [
		['top left', at(left, top)],
		['top right', at(right, top)],
		['bottom left', at(left, bottom)],
		['bottom right', at(right, bottom)],
	] as const;
	return corners
		.filter(([, isBright]) => isBright)
		.map(([name]) => name)
		.join();
}

test('a JPEG is turned and mirrored as its camera notes', async () => {
	const jpeg = await cornerJpeg();
	const corners = [
		['top left', 16],
		['top right', 16],
		['bottom right', 16],
		['bottom left', 16],
		['top left', 8],
		['top right', 8],
		['bottom right', 8],
		['bottom left', 8],
	] as const;
	for (const [index, [corner, width]] of corners.entries())
		for (const little of [true, false]) {
			const image = await read(withOrientation(jpeg, index + 1, little));
			assert.equal(image.width, width, `orientation ${index + 1}`);
			assert.equal(brightCorner(image), corner, `orientation ${index + 1}`);
		}
	for (const odd of [0, 9, 65_535]) {
		const image = await read(withOrientation(jpeg, odd, true));
		assert.deepEqual([image.width, brightCorner(image)], [16, 'top left']);
	}
	assert.equal((await read(jpeg)).width, 16);
});

test('a note of a camera that is cut off or leads astray is none', async () => {
	const whole = withOrientation(await cornerJpeg(), 6, true);
	for (const [at, value] of [
		[16, 0xff],
		[22, 0xff],
		[12, 0x58],
	] as const) {
		const broken = Buffer.from(whole);
		broken[at] = value;
		assert.equal(readImageHeader(broken, 'image').width, 16, `byte ${at}`);
	}
});

test('turning keeps every pixel, there and back', () => {
	const image = { width: 3, height: 2, data: Uint8Array.from({ length: 18 }, (_, at) => at) };
	for (const [there, back] of [
		[2, 2],
		[3, 3],
		[4, 4],
		[5, 5],
		[6, 8],
		[7, 7],
		[8, 6],
	] as const)
		assert.deepEqual(applyOrientation(applyOrientation(image, there), back), image, `${there}`);
});

test('PNG files of 1 to 16 bits, with a palette, grey, see-through and interlaced say the same', async () => {
	const plain = await read(pngImage(4, 2, (x) => (x < 2 ? 255 : 0)));
	assert.deepEqual(plain.red, [255, 255, 0, 0, 255, 255, 0, 0]);
	const files: readonly (readonly [string, Buffer])[] = [
		['1 bit, grey', pngFile(4, 2, [1, 0], [0, 0xc0, 0, 0xc0])],
		['8 bits, grey', pngFile(4, 2, [8, 0], [0, 255, 255, 0, 0, 0, 255, 255, 0, 0])],
		['16 bits, grey', pngFile(4, 2, [16, 0], twice([0, 255, 255, 255, 255, 0, 0, 0, 0]))],
		[
			'16 bits, colours',
			pngFile(4, 2, [16, 2], twice([0, ...Array(12).fill(255), ...Array(12).fill(0)])),
		],
		['a palette', pngFile(4, 2, [2, 3], [0, 0x50, 0, 0x50], Buffer.from([0, 0, 0, 255, 255, 255]))],
		[
			'see-through on white',
			pngFile(4, 2, [8, 6], twice([0, ...Array(8).fill(0), ...[0, 0, 0, 255, 0, 0, 0, 255]])),
		],
		// Adam7: pixel (0,0); none; none; (2,0); none; (1,0) and (3,0); the second row.
		['interlaced', pngFile(4, 2, [8, 0, 1], [0, 255, 0, 0, 0, 255, 0, 0, 255, 255, 0, 0])],
	];
	for (const [name, file] of files) assert.deepEqual((await read(file)).red, plain.red, name);
});

test('what is cut off or damaged is refused by its kind', async () => {
	const png = pngImage(40, 40, (x, y) => (x * y) % 256);
	const jpeg = await cornerJpeg();
	const cut = [png.subarray(0, 60), Buffer.concat([png.subarray(0, 50), png.subarray(60)])];
	for (const file of cut)
		await assert.rejects(read(file), { code: 'invalid_request', message: /damaged.*PNG/ });
	for (const file of [jpeg.subarray(0, 20), Buffer.from('GIF89a'), Buffer.alloc(0)])
		await assert.rejects(read(file), { code: 'invalid_request', message: /PNG, JPEG or WebP/ });
	// 40,000 × 1,000 pixels of nothing: refused or read, never lost.
	const bomb = pngFile(4000, 4000, [8, 0], deflateSync(Buffer.alloc(100)));
	await assert.rejects(read(bomb), { code: 'invalid_request' });
});

const twice = (row: readonly number[]) => [...row, ...row];
