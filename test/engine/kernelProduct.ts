/** Matrices in blocks of 4 bits, and their products in double precision. */

import { float16ToFloat32, toFloat16 } from '../../server/engine/runtime/float16.ts';
import { Random } from '../fixtures/graphBuilder.ts';

export interface Case {
	readonly rows: number;
	readonly inner: number;
	readonly columns: number;
	readonly block: number;
	/** Scales in half precision. */
	readonly half?: boolean;
	readonly zeros?: boolean;
	readonly minima?: boolean;
	/** Zero point where there are none for each block. */
	readonly zero?: number;
	/** Changes a scale: zero, subnormal, not a number. */
	readonly scale?: (index: number, usual: number) => number;
	/** Changes an activation. */
	readonly x?: (index: number, usual: number) => number;
}

export interface Product {
	readonly shape: BigInt64Array;
	readonly x: Float32Array;
	readonly weights: Uint8Array;
	readonly scales: Float32Array | Uint16Array;
	readonly zeros: Uint8Array | null;
	readonly minima: Uint16Array | null;
	/** With activations in 8 bits, as the operator has them: [rows, columns]. */
	readonly exact: Float64Array;
	/** Sum of the sizes of what is added for each element. */
	readonly size: Float64Array;
	/** With activations as they are. */
	readonly ideal: Float64Array;
	/** Largest error that activations in 8 bits may bring to each element. */
	readonly loss: Float64Array;
}

const roundEven = (value: number): number => {
	const down = Math.floor(value);
	const rest = value - down;
	return rest < 0.5 || (rest === 0.5 && down % 2 === 0) ? down : down + 1;
};

const halves = (values: Float32Array): Uint16Array =>
	Uint16Array.from(values, (value) => toFloat16(value));

/** Codes of a block of activations, and their scale. */
function quantized(x: Float32Array): { codes: number[]; scale: number } {
	const peak = x.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
	if (!(peak < Number.POSITIVE_INFINITY)) return { codes: [...x].map(() => 0), scale: Number.NaN };
	if (peak < 1e-35) return { codes: [...x].map(() => 0), scale: 0 };
	const scale = Math.fround(peak / 127);
	const inverse = Math.fround(1 / scale);
	return { codes: [...x].map((value) => roundEven(Math.fround(value * inverse))), scale };
}

/** A random case and its products. */
export function makeProduct(one: Case, seed = 1): Product {
	const { rows, inner, columns, block, zero = 8 } = one;
	const random = new Random(seed * 7919 + rows * 31 + inner + columns * 17 + block);
	const blocks = Math.ceil(inner / block);
	const x = Float32Array.from({ length: rows * inner }, (_, index) => {
		const usual = random.normal();
		return one.x?.(index, usual) ?? usual;
	});
	const weights = Uint8Array.from(
		{ length: (columns * blocks * block) / 2 },
		() => random.bits() & 255,
	);
	const wanted = Float32Array.from({ length: columns * blocks }, (_, index) => {
		const usual = 0.01 + (random.bits() % 1000) / 10_000;
		return one.scale?.(index, usual) ?? usual;
	});
	const scales = one.half === true ? halves(wanted) : wanted;
	const values = scales instanceof Uint16Array ? float16ToFloat32(scales) : scales;
	const zeroBytes = Math.ceil(blocks / 2);
	const zeros =
		one.zeros === true
			? Uint8Array.from({ length: columns * zeroBytes }, () => random.bits() & 255)
			: null;
	const minima =
		one.minima === true
			? halves(Float32Array.from({ length: columns * blocks }, () => random.normal() / 10))
			: null;
	const lowest = minima === null ? undefined : float16ToFloat32(minima);
	const result = () => new Float64Array(rows * columns);
	const [exact, size, ideal, loss] = [result(), result(), result(), result()];
	for (let row = 0; row < rows; row++) {
		for (let b = 0; b < blocks; b++) {
			const end = Math.min(inner, (b + 1) * block);
			const part = x.subarray(row * inner + b * block, row * inner + end);
			const { codes, scale } = quantized(part);
			for (let column = 0; column < columns; column++) {
				const at = column * blocks + b;
				const own =
					zeros === null
						? zero
						: ((zeros[column * zeroBytes + (b >> 1)] as number) >> ((b & 1) * 4)) & 15;
				let dot = 0;
				let sum = 0;
				let truth = 0;
				let weight = 0;
				for (const [k, code] of codes.entries()) {
					const byte = weights[(at * block + k) >> 1] as number;
					const number = ((byte >> ((k & 1) * 4)) & 15) - own;
					const w = (values[at] as number) * number + (lowest?.[at] ?? 0);
					dot += code * number;
					sum += code;
					truth += (part[k] as number) * w;
					weight += Math.abs(w);
				}
				const to = row * columns + column;
				const add = (list: Float64Array, value: number): void => {
					list[to] = (list[to] as number) + value;
				};
				add(exact, ((values[at] as number) * dot + (lowest?.[at] ?? 0) * sum) * scale);
				add(size, Math.abs(scale) * 127 * weight);
				add(ideal, truth);
				// Half a step, and what rounding in single precision adds to it.
				add(loss, weight * scale * 0.5001);
			}
		}
	}
	const isHalf = one.half === true ? 1 : 0;
	const shape = BigInt64Array.from([rows, inner, columns, block, zero, isHalf], BigInt);
	return { shape, x, weights, scales, zeros, minima, exact, size, ideal, loss };
}

/** What is wrong with a result; `undefined` if nothing is. */
export function faultOf(product: Product, y: Float32Array): string | undefined {
	for (const [index, value] of y.entries()) {
		const exact = product.exact[index] as number;
		const size = product.size[index] as number;
		if (Object.is(value, exact)) continue;
		if (!Number.isFinite(exact)) return `element ${index} is ${value} instead of ${exact}`;
		if (!(Math.abs(value - exact) <= size * 1e-6 + 1e-37))
			return `element ${index} is ${value} instead of ${exact}`;
		const ideal = product.ideal[index] as number;
		if (!(Math.abs(value - ideal) <= (product.loss[index] as number) + size * 1e-6 + 1e-30))
			return `element ${index} is ${value}, too far from ${ideal}`;
	}
	return undefined;
}
