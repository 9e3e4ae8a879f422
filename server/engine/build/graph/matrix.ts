/**
 * Rows of a matrix of the graph, put together from tensors of a source and read in bands: `[rows, columns]`,
 * a row for each output, as PyTorch and GGUF keep them.
 */

import { AppError } from '../../../protocol/index.ts';
import {
	type BlockForm,
	type BlockRows,
	columnsOf,
	rowsOf,
	type SourceTensor,
	type TensorSource,
} from '../sources/tensorSource.ts';

/** Most bytes of a band, counted as float32. */
export const bandBytes = 16 * 2 ** 20;

/** Heads whose rotated rows come in pairs (`x0 y0 x1 y1 …`); here they become halves (`x0 x1 … y0 y1 …`). */
export interface PairedHeads {
	readonly headSize: number;
	readonly rotarySize: number;
}

/** Rows `from` to `to` of a tensor. */
export interface TensorRange {
	readonly tensor: SourceTensor;
	readonly from: number;
	readonly to: number;
	readonly paired?: PairedHeads;
}

export interface Matrix {
	readonly ranges: readonly TensorRange[];
	readonly rows: number;
	readonly columns: number;
	/** The common form of all ranges, if their numbers lie in blocks already. */
	readonly blocks: BlockForm | undefined;
}

/** Some rows of one range. */
export interface MatrixBand extends TensorRange {
	/** First row in the matrix. */
	readonly at: number;
}

/** A matrix of whole tensors or parts of them, one below the other. */
export function matrixOf(ranges: readonly TensorRange[]): Matrix {
	const [first] = ranges;
	if (first === undefined) throw new AppError('internal', 'A matrix of nothing.');
	const columns = columnsOf(first.tensor.shape);
	const rows = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
	const { blocks } = first.tensor;
	const isCommon = ranges.every(({ tensor }) => sameForm(tensor.blocks, blocks));
	return { ranges, rows, columns, blocks: isCommon ? blocks : undefined };
}

/** All rows of a tensor. */
export function wholeTensor(tensor: SourceTensor, paired?: PairedHeads): TensorRange {
	const range = { tensor, from: 0, to: rowsOf(tensor.shape) };
	return paired === undefined ? range : { ...range, paired };
}

/** Whether rows of both can be parts of one matrix. */
export function sameForm(a: BlockForm | undefined, b: BlockForm | undefined): boolean {
	if (a === undefined || b === undefined) return a === b;
	return (
		a.bits === b.bits &&
		a.block === b.block &&
		a.zeroPoints === b.zeroPoints &&
		a.residual === b.residual
	);
}

/** The rows in bands of at most {@link bandBytes}, or of one head. */
export function bandsOf({ ranges, columns }: Matrix): MatrixBand[] {
	const bands: MatrixBand[] = [];
	let at = 0;
	for (const range of ranges) {
		const unit = range.paired?.headSize ?? 1;
		const most = Math.max(1, Math.floor(bandBytes / (4 * columns * unit))) * unit;
		for (let from = range.from; from < range.to; from += most) {
			const to = Math.min(range.to, from + most);
			bands.push({ ...range, from, to, at });
			at += to - from;
		}
	}
	return bands;
}

/** The numbers of a band, `[rows, columns]`. */
export async function readNumbers(
	source: TensorSource,
	{ tensor, from, to, paired }: MatrixBand,
	signal?: AbortSignal,
): Promise<Float32Array> {
	const numbers = await source.rows(tensor.name, from, to, signal);
	const columns = columnsOf(tensor.shape);
	if (numbers.length !== (to - from) * columns)
		throw new AppError('internal', `${numbers.length} numbers for rows of ${tensor.name}.`);
	return paired === undefined ? numbers : unpair(numbers, columns, paired);
}

/** The numbers of one row. @throws RangeError beyond the last one */
export async function readVector(
	source: TensorSource,
	{ ranges }: Matrix,
	row: number,
	signal?: AbortSignal,
): Promise<Float32Array> {
	let at = row;
	for (const { tensor, from, to } of ranges) {
		if (at >= 0 && at < to - from)
			return source.rows(tensor.name, from + at, from + at + 1, signal);
		at -= to - from;
	}
	throw new RangeError(`There is no row ${row}.`);
}

/** The blocks of a band. Only for tensors that have them. */
export async function readBlockBand(
	source: TensorSource,
	{ tensor, from, to, paired }: MatrixBand,
	signal?: AbortSignal,
): Promise<BlockRows> {
	const rows = await source.blocks?.(tensor.name, from, to, signal);
	if (rows === undefined) throw new AppError('internal', `${tensor.name} has no blocks.`);
	if (paired === undefined) return rows;
	const ordered = <T extends Uint8Array | Float32Array>(values: T): T =>
		unpair(values, values.length / (to - from), paired);
	return {
		...rows,
		packed: ordered(rows.packed),
		scales: ordered(rows.scales),
		...(rows.zeroPoints === undefined ? {} : { zeroPoints: ordered(rows.zeroPoints) }),
		...(rows.residual === undefined ? {} : { residual: ordered(rows.residual) }),
	};
}

/** Brings the rows of whole heads into the order of halves. */
export function unpair<T extends Uint8Array | Float32Array>(
	values: T,
	width: number,
	{ headSize, rotarySize }: PairedHeads,
): T {
	const ordered = values.slice() as T;
	const half = rotarySize / 2;
	const heads = values.length / width / headSize;
	for (let head = 0; head < heads; head++) {
		for (let row = 0; row < rotarySize; row++) {
			const from = (head * headSize + (row < half ? 2 * row : 2 * (row - half) + 1)) * width;
			const to = (head * headSize + row) * width;
			ordered.set(values.subarray(from, from + width) as never, to);
		}
	}
	return ordered;
}
