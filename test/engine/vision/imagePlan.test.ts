/** Sizes, squares, positions and heads of images, as the processors of published models have them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxImagePixels, readImageHeader } from '../../../server/engine/modelFiles/imageHeader.ts';
import type { PatchLayout, TiledLayout } from '../../../server/engine/modelFiles/imageLayout.ts';
import { planImage } from '../../../server/engine/modelFiles/imagePlan.ts';
import { gridPositions } from '../../../server/engine/vision/gridPositions.ts';
import { ImageVectors } from '../../../server/engine/vision/imageVectors.ts';
import { resample } from '../../../server/engine/vision/resample.ts';
import { pngImage } from '../../fixtures/pngImage.ts';

const common = {
	mark: '<image>',
	token: '<image>',
	tokenId: 1,
	mean: [0.5, 0.5, 0.5],
	std: [0.5, 0.5, 0.5],
} as const;
const smol: TiledLayout = {
	...{ ...common, kind: 'tiles', filter: 'lanczos' },
	...{ side: 512, longestEdge: 2048, vectors: 64, splits: true },
};
const qwen: PatchLayout = {
	...{ ...common, kind: 'patches', filter: 'bicubic', patch: 14, merge: 2, temporal: 2 },
	...{ minPixels: 3136, maxPixels: 1_003_520 },
};

test('an image is enlarged to whole squares, which stand row by row before the whole', () => {
	const plan = planImage(smol, { width: 800, height: 600 }, 'auto');
	// 2048 × 1536, as SmolVLM's processor makes of it.
	assert.deepEqual(plan.sizes.at(-1), { width: 2048, height: 1536 });
	assert.deepEqual([plan.rows, plan.columns], [3, 4]);
	assert.equal(plan.vectors, 13 * 64);
	assert.equal(plan.text.split('<image>').length - 1, 13 * 64);
	assert.match(plan.text, /<row_3_col_4>(<image>){64}\n\n<fake_token_around_image><global-img>/);
	const low = planImage(smol, { width: 800, height: 600 }, 'low');
	assert.equal(low.vectors, 64);
	assert.deepEqual(low.sizes.at(-1), { width: 512, height: 512 });
});

test('an image of patches keeps its shape within the pixels that are read', () => {
	const plan = planImage(qwen, { width: 1000, height: 500 }, 'auto');
	assert.deepEqual(plan.sizes, [{ width: 1008, height: 504 }]);
	assert.equal(plan.vectors, 36 * 18);
	const large = planImage(qwen, { width: 4000, height: 3000 }, 'high');
	const [size = { width: 0, height: 0 }] = large.sizes;
	assert.ok(size.width * size.height <= qwen.maxPixels && size.width % 28 === 0);
	assert.ok(planImage(qwen, { width: 4000, height: 3000 }, 'low').vectors <= 64);
	assert.deepEqual(planImage(qwen, { width: 20, height: 20 }, 'auto').sizes, [
		{ width: 56, height: 56 },
	]);
});

test('vectors of an image have its place, row and column; a text goes on behind the longer side', () => {
	const images = new ImageVectors();
	const grid = { rows: 2, columns: 3 };
	const number = images.add(undefined, { vectors: new Float32Array(6), count: 6, grid });
	const tokens = [5, 6, ...images.ids(number), 7, 8];
	const axis = (from: number, count: number, which: number) =>
		[...gridPositions(tokens, from, count, images)]
			.slice(which * count, (which + 1) * count)
			.map(Number);
	assert.deepEqual(axis(0, 10, 0), [0, 1, 2, 2, 2, 2, 2, 2, 5, 6]);
	assert.deepEqual(axis(0, 10, 1), [0, 1, 2, 2, 2, 3, 3, 3, 5, 6]);
	assert.deepEqual(axis(0, 10, 2), [0, 1, 2, 3, 4, 2, 3, 4, 5, 6]);
	// In parts, and beyond what is known of the sequence, it is the same.
	assert.deepEqual(axis(7, 5, 2), [4, 5, 6, 7, 8]);
	images.release(number);
	assert.equal(images.vector(tokens[2] ?? 0), undefined);
});

test('an image that is made smaller is a mean, and one of one colour keeps it', () => {
	const data = new Uint8Array(8 * 8 * 3);
	for (let k = 0; k < data.length; k++) data[k] = Math.floor(k / 3) % 8 < 4 ? 40 : 200;
	const image = { data, width: 8, height: 8 };
	const small = resample(image, { width: 2, height: 2 }, 'bilinear');
	assert.ok((small.data[0] ?? 0) < 80 && (small.data[3] ?? 0) > 160);
	for (const filter of ['bilinear', 'bicubic', 'lanczos'] as const) {
		const even = resample(
			{ data: new Uint8Array(7 * 5 * 3).fill(93), width: 7, height: 5 },
			{ width: 16, height: 3 },
			filter,
		);
		assert.deepEqual([...new Set(even.data)], [93], filter);
	}
});

test('the size is read before anything decodes, and one too large is refused', () => {
	const image = pngImage(30, 20, () => 1);
	const { format, width, height } = readImageHeader(image, 'image');
	assert.deepEqual([format, width, height], ['png', 30, 20]);
	const bomb = Buffer.from(image);
	bomb.writeUInt32BE(maxImagePixels, 16);
	assert.throws(() => readImageHeader(bomb, 'image'), /million are read|one side/);
	assert.throws(
		() =>
			readImageHeader(
				pngImage(900, 1, () => 1),
				'image',
			),
		/one side may be/,
	);
	assert.throws(
		() => readImageHeader(Buffer.from('GIF89a……………………………………………'), 'image'),
		/PNG, JPEG or WebP/,
	);
	const jpeg = Buffer.from('ffd8ffe000044a46ffc0001108001400280301110002110103110100', 'hex');
	assert.deepEqual(readImageHeader(jpeg, 'image'), { format: 'jpeg', width: 40, height: 20 });
	// Lengths that lead nowhere end.
	for (let length = 0; length < image.length; length++)
		assert.doesNotThrow(() => {
			try {
				readImageHeader(jpeg.subarray(0, length), 'image');
			} catch (error) {
				assert.match(String(error), /PNG, JPEG or WebP/);
			}
		});
});
