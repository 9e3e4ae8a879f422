/**
 * The three passes over all logits of a position, in WebAssembly's vector instructions: largest entry
 * of every block, sum of exponentials, numbers of entries by magnitude. The logits are copied
 * into its memory; the engine works on those of one position at a time.
 */

import { AppError } from '../../protocol/index.ts';
import {
	type Code,
	compile,
	op,
	valueType as type,
	type ValueType,
	type WasmFunction,
	type WasmMemory,
} from './wasmAssembler.ts';

/** Entries per block. */
export const blockSize = 64;
const blockBytes = blockSize * 4;
const vectorsPerBlock = blockSize / 4;
const each = (count: number, make: (index: number) => Code): Code =>
	Array.from({ length: count }, (_, index) => make(index));

/** Puts what `join` makes of all four lanes of a vector into its lane 0. */
const acrossLanes = (local: number, join: Code): Code =>
	[
		[8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7],
		[4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11],
	].map((lanes) => [
		[op.get(local), op.get(local), op.get(local), op.shuffle(lanes)],
		[join, op.set(local)],
	]);

/** Runs over the blocks from `logits` (local 0) to `end` (local 1), with an entry per block at local 2. */
const overBlocks = (body: Code): Code =>
	op.loop(
		[
			body,
			[op.get(0), op.i32(blockBytes), op.add, op.set(0)],
			[op.get(2), op.i32(4), op.add, op.set(2)],
		],
		[op.get(0), op.get(1), op.lessUnsigned],
	);

const pointers: readonly ValueType[] = [type.i32, type.i32, type.i32];

/** (logits, end, largest) → largest of all; NaN counts as −∞. */
const maxima: WasmFunction = {
	parameters: pointers,
	results: [type.f32],
	locals: [type.v128, type.v128],
	body: [
		[op.splat(Number.NEGATIVE_INFINITY), op.set(4)],
		overBlocks([
			[op.splat(Number.NEGATIVE_INFINITY), op.set(3)],
			each(vectorsPerBlock, (k) => [
				[op.get(3), op.get(0), op.loadVector(16 * k)],
				[op.maxVector, op.set(3)],
			]),
			acrossLanes(3, op.maxVector),
			[op.get(2), op.get(3), op.laneF32(0), op.storeF32()],
			[op.get(4), op.get(3), op.maxVector, op.set(4)],
		]),
		[op.get(4), op.laneF32(0)],
	],
};

/** 2^f for −½ ≤ f ≤ ½, from f⁵ down: relative error at most 8·10⁻⁸. */
const powers = [1.3276472e-3, 9.6755e-3, 5.550713e-2, 0.24022121, 0.69314694, 1.0000001];
/** Added to a small number it leaves the nearest whole number, and 127 more, in the low bits. */
const rounder = 1.5 * 2 ** 23 + 127;

/** (logits, end, unused, max) → Σ e^(entry − max), relative error below 10⁻⁶; −∞ and NaN count as 0. */
const sum: WasmFunction = {
	parameters: [...pointers, type.f32],
	results: [type.f64],
	// 4: sum of a block, 5: power of two wanted, 6: its whole part, 7: 2^fraction, 8: max, 9: sum.
	locals: [type.v128, type.v128, type.v128, type.v128, type.v128, type.f64],
	body: [
		[op.get(3), op.spread, op.set(8)],
		overBlocks([
			[op.splat(0), op.set(4)],
			each(vectorsPerBlock, (k) => [
				[op.splat(-126), op.get(0), op.loadVector(16 * k), op.get(8), op.subtractVector],
				[op.splat(Math.LOG2E), op.multiplyVector, op.maxVector, op.set(5)],
				[op.get(5), op.splat(rounder), op.addVector, op.set(6)],
				[op.get(5), op.get(6), op.splat(rounder), op.subtractVector, op.subtractVector, op.set(5)],
				[op.splat(powers[0] as number), op.set(7)],
				powers.slice(1).map((factor) => [
					[op.get(7), op.get(5), op.multiplyVector],
					[op.splat(factor), op.addVector, op.set(7)],
				]),
				[op.get(7), op.get(6), op.i32(23), op.shiftLeftVector, op.multiplyVector],
				[op.get(4), op.addVector, op.set(4)],
			]),
			acrossLanes(4, op.addVector),
			[op.get(9), op.get(4), op.laneF32(0), op.toF64, op.addF64, op.set(9)],
		]),
		op.get(9),
	],
};

/**
 * (logits, end, largest, max, scale, counts, classes, min): counts entries by the whole part of
 * (max − entry) · scale, those of `classes` and beyond as one; blocks below `min` are left out.
 */
const count: WasmFunction = {
	parameters: [...pointers, type.f32, type.f32, type.i32, type.f32, type.f32],
	results: [],
	// 8: max, 9: scale, 10: most, 11: addresses of four counts, 12: one of them.
	locals: [type.v128, type.v128, type.v128, type.v128, type.i32],
	body: [
		[op.get(3), op.spread, op.set(8)],
		[op.get(4), op.spread, op.set(9)],
		[op.get(6), op.spread, op.set(10)],
		overBlocks([
			op.when(
				[op.get(2), op.loadF32(), op.get(7), op.greaterF32],
				each(vectorsPerBlock, (k) => [
					[op.get(10), op.get(8), op.get(0), op.loadVector(16 * k), op.subtractVector],
					[op.get(9), op.multiplyVector, op.minVector],
					[op.truncateVector, op.i32(2), op.shiftLeftVector, op.set(11)],
					each(4, (lane) => [
						[op.get(11), op.laneI32(lane), op.get(5), op.add, op.set(12)],
						[op.get(12), op.get(12), op.load(), op.i32(1), op.add, op.store()],
					]),
				]),
			),
		]),
	],
};

interface Exports {
	maxima(logits: number, end: number, largest: number): number;
	sum(logits: number, end: number, unused: number, max: number): number;
	count(
		logits: number,
		end: number,
		largest: number,
		max: number,
		scale: number,
		counts: number,
		classes: number,
		min: number,
	): void;
}

/** Logits in the memory of the kernels. */
export interface LoadedLogits {
	/** The entries, then −∞ to the end of the last block. */
	readonly padded: Float32Array;
	/** Largest entry of each block, −∞ where all are −∞ or NaN. */
	readonly largest: Float32Array;
	readonly max: number;
}

/** Maximum classes that {@link LogitsKernels.count} tells apart. */
export const maxClasses = 26 * 512;
const pageBytes = 65_536;

/** The memory and what works on it: counts first, then the logits, then the largest entries. */
class LogitsKernels {
	readonly #memory: WasmMemory;
	readonly #exports: Exports;
	readonly #logits = (maxClasses + 4) * 4;
	#end = 0;
	#loaded: Float32Array | undefined;

	constructor() {
		const { memory, exports } = compile<Exports>({ maxima, sum, count });
		this.#memory = memory;
		this.#exports = exports;
	}

	/**
	 * Copies logits in; the rest of its last block is −∞. Copy and largest entries are valid until the
	 * next call.
	 */
	load(values: Float32Array): LoadedLogits {
		const blocks = Math.max(1, Math.ceil(values.length / blockSize));
		const lacking = this.#logits + blocks * (blockBytes + 4) - this.#memory.buffer.byteLength;
		if (lacking > 0) this.#memory.grow(Math.ceil(lacking / pageBytes));
		const { buffer } = this.#memory;
		this.#end = this.#logits + blocks * blockBytes;
		const padded = new Float32Array(buffer, this.#logits, blocks * blockSize);
		padded.set(values);
		padded.fill(Number.NEGATIVE_INFINITY, values.length);
		this.#loaded = padded;
		const max = this.#exports.maxima(this.#logits, this.#end, this.#end);
		return { padded, largest: new Float32Array(buffer, this.#end, blocks), max };
	}

	#expect({ padded }: LoadedLogits): void {
		if (padded !== this.#loaded)
			throw new AppError('internal', 'Other logits have been loaded since.');
	}

	/** Σ e^(entry − max). */
	sum(loaded: LoadedLogits): number {
		this.#expect(loaded);
		const { max } = loaded;
		return this.#exports.sum(this.#logits, this.#end, 0, max);
	}

	/**
	 * Numbers of entries by the whole part of (max − entry) · scale in float32, for the whole parts
	 * below `classes`. Valid until the next call.
	 */
	count(loaded: LoadedLogits, scale: number, classes: number): Int32Array {
		this.#expect(loaded);
		const { max } = loaded;
		const counts = new Int32Array(this.#memory.buffer, 0, classes + 1).fill(0);
		const min = max - (classes + 1) / scale;
		this.#exports.count(this.#logits, this.#end, this.#end, max, scale, 0, classes, min);
		return counts.subarray(0, classes);
	}
}

export const logitsKernels = new LogitsKernels();
