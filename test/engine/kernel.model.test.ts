/** The engine's own product of 4-bit weights, by all the instructions that this processor has, against double precision. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { kernelFile } from '../../server/engine/runtime/kernelLibrary.ts';
import { loadKoffi } from '../../server/engine/runtime/nativePackages.ts';
import { type Case, faultOf, makeProduct, type Product } from './kernelProduct.ts';

const name = kernelFile(process.platform, process.arch);
const file = fileURLToPath(
	new URL(`../../server/engine/kernel/libraries/${name}`, import.meta.url),
);
const options = { skip: !existsSync(file) && `no library for this platform: ${name}` };
const paths = ['plain', 'avx2', 'avx-vnni', 'avx512-vnni', 'neon-dot', 'neon-i8mm'];

let multiply: ((...args: unknown[]) => number) | undefined;

/** `null` where the processor lacks these instructions. */
function product(path: string, one: Product): Float32Array | null {
	multiply ??= loadKoffi()
		.load(file)
		.func(
			'int NearglotMatMul(const char* path, int64_t* shape, float* x, uint8_t* weights, void* scales, uint8_t* zeros, void* minima, _Out_ float* y)',
		) as unknown as (...args: unknown[]) => number;
	const y = new Float32Array(Number((one.shape[0] as bigint) * (one.shape[2] as bigint)));
	const { shape, x, weights, scales, zeros, minima } = one;
	const done = multiply(path, shape, x, weights, scales, zeros, minima, y);
	return done === 0 ? null : y;
}

/** All instructions give the right product, and the same one. */
function check(one: Case, seed?: number): void {
	const made = makeProduct(one, seed);
	const expected = product('plain', made) as Float32Array;
	const what = JSON.stringify(one);
	assert.equal(faultOf(made, expected), undefined, what);
	for (const path of paths) {
		const found = product(path, made);
		if (found !== null)
			assert.deepEqual(
				new Uint8Array(found.buffer),
				new Uint8Array(expected.buffer),
				`${path} ${what}`,
			);
	}
}

for (const block of [32, 64, 128]) {
	test(`blocks of ${block}: 1 to 17 rows, widths that fill no vector, tails`, options, () => {
		for (let rows = 1; rows <= 17; rows++) {
			for (const [inner, columns] of [
				[block, 1],
				[256, 33],
				[block * 3 + 7, 15],
				[block * 5, 40],
			] as const)
				check({ rows, inner, columns, block });
		}
		check({ rows: 70, inner: 1100, columns: 20, block });
	});

	test(`blocks of ${block}: half-precision scales, zero points, minima`, options, () => {
		for (const rows of [1, 2, 5, 13]) {
			for (const half of [false, true]) {
				const one = { rows, inner: 320, columns: 35, block, half };
				check(one);
				check({ ...one, zeros: true });
				check({ ...one, minima: true });
			}
		}
		check({ rows: 3, inner: 600, columns: 31, block, half: true, minima: true, zero: 0 });
		check({ rows: 300, inner: 64, columns: 5, block, half: true });
	});
}

test(
	'scales that are zero, subnormal, infinite or not a number stay in their columns',
	options,
	() => {
		const odd = [0, 1e-41, -3e-39, Number.NaN, Number.POSITIVE_INFINITY, -0.5];
		const scale = (index: number, usual: number): number =>
			index % 7 === 0 ? (odd[(index / 7) % odd.length] as number) : usual;
		for (const half of [false, true]) {
			for (const rows of [1, 9]) check({ rows, inner: 96, columns: 50, block: 32, half, scale });
		}
		// Half precision has subnormals of its own.
		const small = (index: number): number => (index % 3 === 0 ? 6e-8 * (index % 50) : 3e-5);
		check({ rows: 4, inner: 256, columns: 40, block: 32, half: true, scale: small });
	},
);

test('activations that are not finite spoil their rows, and nothing else', options, () => {
	const x = (index: number, usual: number): number =>
		index === 70
			? Number.NaN
			: index === 300
				? Number.POSITIVE_INFINITY
				: index === 500
					? 3e36
					: usual;
	const made = makeProduct({ rows: 6, inner: 128, columns: 20, block: 32, x });
	const y = product('plain', made) as Float32Array;
	assert.ok(y.subarray(0, 20).every(Number.isNaN), 'the row with NaN');
	assert.ok(y.subarray(40, 60).every(Number.isNaN), 'the row with infinity');
	assert.ok(y.subarray(20, 40).every(Number.isFinite));
	assert.equal(faultOf(made, y), undefined);
	check({ rows: 6, inner: 128, columns: 20, block: 32, x });
	const tiny = (_: number, usual: number): number => usual * 1e-37;
	check({ rows: 2, inner: 64, columns: 20, block: 32, x: tiny });
});

test('weights and scales may lie at any place of a file', options, () => {
	for (const half of [false, true]) {
		const made = makeProduct({ rows: 3, inner: 288, columns: 37, block: 32, half, minima: true });
		const expected = product('plain', made) as Float32Array;
		for (let offset = 1; offset < 8; offset += 2) {
			const moved = (data: ArrayBufferView): Uint8Array => {
				const bytes = new Uint8Array(data.byteLength + offset);
				bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), offset);
				return bytes.subarray(offset);
			};
			const one = {
				...made,
				weights: moved(made.weights),
				scales: moved(made.scales),
				minima: moved(made.minima as Uint16Array),
			} as unknown as Product;
			for (const path of paths) {
				const found = product(path, one);
				if (found !== null) assert.deepEqual(found, expected, `${path}, offset ${offset}`);
			}
		}
	}
});

test('a row gives the same bits alone and among others', options, () => {
	const made = makeProduct({ rows: 17, inner: 320, columns: 45, block: 32, half: true });
	for (const path of paths) {
		const all = product(path, made);
		for (let row = 0; row < 17 && all !== null; row++) {
			const shape = made.shape.slice();
			shape[0] = 1n;
			const alone = product(path, { ...made, shape, x: made.x.slice(row * 320, (row + 1) * 320) });
			assert.deepEqual(alone, all.subarray(row * 45, (row + 1) * 45), `${path}, row ${row}`);
		}
	}
});
