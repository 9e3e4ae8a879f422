/** Quantises rows of numbers into blocks without any data, or by how much each column counts. */

import { AppError } from '../../../protocol/index.ts';
import { packNibbles } from '../sources/nibbles.ts';
import type { BlockForm, BlockRows } from '../sources/tensorSource.ts';
import { blockKernels, kernelName } from './blockKernels.ts';

/**
 * What the scale that takes the whole range is divided by. Somewhat finer scales that cut a few numbers
 * off have a smaller error altogether; with 8 bits nothing is gained.
 */
const tries4 = [1, 1.05, 1.11, 1.17, 1.25, 1.33, 1.43, 1.54, 1.67];
const tries8 = [1];

/** Numbers that are worked on at a time: with what comes of them they stay in a processor's own memory. */
const numbersAtOnce = 32_768;
const pageBytes = 65_536;
const align = (bytes: number): number => Math.ceil(bytes / 16) * 16;

/**
 * The blocks with the least squared error that a search finds. Rows do not depend on each other.
 * @param numbers `[rows, columns]`
 * @param form without a residual; the block is a multiple of 16
 * @param importance one per column: how much an error there counts, e.g. the mean square of what the column is
 * multiplied by
 * @throws AppError `unsupported_model` when a number is not finite
 */
export function quantiseBlocks(
	numbers: Float32Array,
	rows: number,
	columns: number,
	form: BlockForm,
	importance?: Float32Array,
): BlockRows {
	const { bits, block, zeroPoints } = form;
	if (form.residual) throw new RangeError('Quantised numbers have no residual.');
	const tries = bits === 4 ? tries4 : tries8;
	const { packed, scales, points } = searchScales(numbers, rows, columns, form, tries, importance);
	if (!zeroPoints) return { bits, block, packed, scales };
	return {
		bits,
		block,
		packed,
		scales,
		zeroPoints: bits === 8 ? points : packNibbles(points, scales.length / rows),
	};
}

interface Found {
	readonly packed: Uint8Array;
	readonly scales: Float32Array;
	/** One per block. */
	readonly points: Uint8Array;
}

/** As {@link quantiseBlocks}, with what the scale of the whole range is divided by. */
export function searchScales(
	numbers: Float32Array,
	rows: number,
	columns: number,
	{ bits, block, zeroPoints }: Pick<BlockForm, 'bits' | 'block' | 'zeroPoints'>,
	tries: readonly number[],
	importance?: Float32Array,
): Found {
	if (block % 16 !== 0 || numbers.length !== rows * columns)
		throw new RangeError(`${numbers.length} numbers in ${rows} rows, blocks of ${block}`);
	if (importance !== undefined && importance.length !== columns)
		throw new RangeError(`${importance.length} weights for ${columns} columns`);
	const blocks = Math.ceil(columns / block);
	const width = blocks * block;
	const codeBytes = (width * bits) / 8;
	const packed = new Uint8Array(rows * codeBytes);
	const scales = new Float32Array(rows * blocks);
	const points = new Uint8Array(rows * blocks);
	const band = Math.min(rows, Math.max(1, Math.floor(numbersAtOnce / width)));
	const { memory, exports } = blockKernels();
	const run = exports[kernelName(bits, zeroPoints, importance !== undefined)];
	const at = layOut({
		tries: tries.length * 4,
		weights: width * 4,
		numbers: band * width * 4,
		codes: band * codeBytes,
		scales: band * blocks * 4,
		points: band * blocks,
	});
	const missing = Math.ceil(at.end / pageBytes) - memory.buffer.byteLength / pageBytes;
	if (missing > 0) memory.grow(missing);
	const floats = new Float32Array(memory.buffer);
	const bytes = new Uint8Array(memory.buffer);
	floats.set(tries, at.tries / 4);
	if (importance !== undefined) {
		floats.fill(0, at.weights / 4, at.weights / 4 + width);
		floats.set(positive(importance), at.weights / 4);
	}
	for (let row = 0; row < rows; row += band) {
		const count = Math.min(band, rows - row);
		copyRows(numbers, row, count, columns, floats, at.numbers / 4, width);
		// Weights begin anew with every row.
		const perRun = importance === undefined ? count : 1;
		for (let k = 0; k < count; k += perRun)
			run(
				at.numbers + k * width * 4,
				at.numbers + (k + perRun) * width * 4,
				at.codes + k * codeBytes,
				at.scales + k * blocks * 4,
				at.points + k * blocks,
				block * 4,
				at.tries,
				at.tries + tries.length * 4,
				at.weights,
			);
		packed.set(bytes.subarray(at.codes, at.codes + count * codeBytes), row * codeBytes);
		const from = at.scales / 4;
		scales.set(floats.subarray(from, from + count * blocks), row * blocks);
		points.set(bytes.subarray(at.points, at.points + count * blocks), row * blocks);
	}
	if (!scales.every(Number.isFinite))
		throw new AppError(
			'unsupported_model',
			'The weights of the model have numbers that are not finite. Take another build of the model.',
		);
	return { packed, scales, points };
}

/** Copies rows, each followed by zeros up to `width`. */
function copyRows(
	numbers: Float32Array,
	row: number,
	count: number,
	columns: number,
	into: Float32Array,
	at: number,
	width: number,
): void {
	if (width === columns) {
		into.set(numbers.subarray(row * columns, (row + count) * columns), at);
		return;
	}
	for (let k = 0; k < count; k++) {
		const from = (row + k) * columns;
		into.set(numbers.subarray(from, from + columns), at + k * width);
		into.fill(0, at + k * width + columns, at + (k + 1) * width);
	}
}

/** Addresses of parts one after the other, and of what comes behind them. */
function layOut<Part extends string>(
	sizes: Readonly<Record<Part, number>>,
): Record<Part | 'end', number> {
	const at: Record<string, number> = {};
	let end = 0;
	for (const [part, size] of Object.entries<number>(sizes)) {
		at[part] = end;
		end += align(size);
	}
	return { ...at, end } as Record<Part | 'end', number>;
}

/** Columns that no prompt has used keep some weight: others may use them. */
function positive(importance: Float32Array): Float32Array {
	let sum = 0;
	for (const value of importance) sum += value;
	const least = (sum / importance.length) * 1e-3;
	return least > 0 ? importance.map((value) => Math.max(value, least)) : importance.map(() => 1);
}
