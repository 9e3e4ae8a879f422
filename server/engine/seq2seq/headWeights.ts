/** The columns of a decoder's head that belong to chosen tokens, as float32. */

import { toFloat32 } from '../onnx/castToFloat32.ts';
import { loadGraphWithoutWeights } from '../onnx/graphWithoutWeights.ts';
import {
	type ColumnBytes,
	type HeadSource,
	headTensors,
	shortlistHead,
	unsignedZero,
} from '../onnx/shortlistHead.ts';
import { WeightReader } from '../onnx/weightReader.ts';

/** Columns and biases of a shortlist. */
export interface HeadColumns {
	/** `[width, tokens]`; bytes where the graph multiplies with such. */
	readonly weights: Float32Array | Int8Array | Uint8Array;
	readonly bias: Float32Array | undefined;
	readonly width: number;
	readonly tokens: number;
}

export interface HeadWeights {
	readonly vocabulary: number;
	readonly hasBias: boolean;
	readonly width: number;
	columns(ids: ArrayLike<number>): HeadColumns;
}

/** Larger heads are not kept in memory a second time. */
const maxBytes = 160 << 20;

/**
 * Reads the head of the decoder graph at `path`; `undefined` where it has none that can be cut.
 */
export async function readHeadWeights(
	path: string,
	columnBytes: ColumnBytes = 'signed',
): Promise<HeadWeights | undefined> {
	const { graph } = await loadGraphWithoutWeights(path);
	const headers = headTensors(graph);
	const source = shortlistHead(graph, columnBytes);
	if (typeof source === 'string') return undefined;
	const reader = new WeightReader(path);
	try {
		const read = async (name: string | undefined) => {
			const header = name === undefined ? undefined : headers.get(name);
			if (header === undefined) return undefined;
			return { dims: header.dims, type: header.dataType, bytes: await reader.bytes(header) };
		};
		const weight = await read(source.weight);
		const scales = await read(source.scales);
		const bias = await read(source.bias);
		const zero = await read(source.zero);
		if (weight === undefined || weight.bytes.length > maxBytes) return undefined;
		const biases = bias === undefined ? undefined : toFloat32(bias.type, bias.bytes);
		if (source.scales === undefined) {
			const values = toFloat32(weight.type, weight.bytes);
			return values === undefined
				? undefined
				: rowMajor(values, weight.dims, Float32Array.of(1), [0], biases);
		}
		const numbers = scales === undefined ? undefined : toFloat32(scales.type, scales.bytes);
		if (source.isInt8 === true && numbers !== undefined) {
			const [weights, zeros] = [weight, zero].map(
				(one) => one && wholeNumbers(one.type, one.bytes),
			);
			if (source.takesBytes === true)
				return weights instanceof Int8Array
					? asBytes(columnBytes === 'signed' ? weights : unsigned(weights), weight.dims, biases)
					: undefined;
			return weights === undefined
				? undefined
				: rowMajor(weights, weight.dims, numbers, zeros ?? [0], biases);
		}
		return numbers === undefined
			? undefined
			: packed(Uint8Array.from(weight.bytes), weight.dims, numbers, source, biases);
	} finally {
		await reader.close();
	}
}

/** True if both graphs of a decoder in two parts end in the same head, looked at in some places. */
export function sameHead(a: HeadWeights, b: HeadWeights): boolean {
	if (a.width !== b.width || a.vocabulary !== b.vocabulary) return false;
	const ids = [0, 1, 2, 3].map((part) => Math.floor(((a.vocabulary - 1) * part) / 3));
	const [one, other] = [a.columns(ids), b.columns(ids)];
	return one.weights.every((value, index) => value === other.weights[index]);
}

/** The numbers of int8 or uint8 bytes; `undefined` for other types. */
function wholeNumbers(type: number, bytes: Uint8Array): Int8Array | Uint8Array | undefined {
	const { buffer } = Uint8Array.from(bytes);
	return type === 3 ? new Int8Array(buffer) : type === 2 ? new Uint8Array(buffer) : undefined;
}

/** A matrix row by row: (number − zero) · scale, of which there is one for all columns or one for each. */
function rowMajor(
	values: Float32Array | Int8Array | Uint8Array,
	dims: readonly number[],
	scales: Float32Array,
	zeros: ArrayLike<number>,
	bias: Float32Array | undefined,
): HeadWeights {
	const [width = 0, vocabulary = 0] = dims;
	return {
		vocabulary,
		width,
		hasBias: bias !== undefined,
		columns: (ids) => {
			const count = ids.length;
			const weights = new Float32Array(width * count);
			// Plain loops: there are millions of numbers, once for each batch.
			const places = Uint32Array.from(ids);
			const scale = Float32Array.from(ids, (id) => scales[scales.length === 1 ? 0 : id] as number);
			const zero = Float32Array.from(ids, (id) => zeros[zeros.length === 1 ? 0 : id] as number);
			for (let row = 0, from = 0, target = 0; row < width; row++, from += vocabulary)
				for (let column = 0; column < count; column++, target++) {
					const number =
						(values[from + (places[column] as number)] as number) - (zero[column] as number);
					weights[target] = number * (scale[column] as number);
				}
			return { weights, width, tokens: ids.length, bias: chosen(bias, ids) };
		},
	};
}

/** Bytes around {@link unsignedZero}, in place. */
function unsigned(bytes: Int8Array): Uint8Array {
	const moved = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
	for (let k = 0; k < moved.length; k++) moved[k] = (moved[k] as number) ^ unsignedZero;
	return moved;
}

/** A matrix row by row, as it is. */
function asBytes(
	values: Int8Array | Uint8Array,
	dims: readonly number[],
	bias: Float32Array | undefined,
): HeadWeights {
	const [width = 0, vocabulary = 0] = dims;
	return {
		vocabulary,
		width,
		hasBias: bias !== undefined,
		columns: (ids) => {
			const count = ids.length;
			const weights =
				values instanceof Int8Array ? new Int8Array(width * count) : new Uint8Array(width * count);
			const places = Uint32Array.from(ids);
			for (let row = 0, from = 0, target = 0; row < width; row++, from += vocabulary)
				for (let column = 0; column < count; column++, target++)
					weights[target] = values[from + (places[column] as number)] as number;
			return { weights, width, tokens: count, bias: chosen(bias, ids) };
		},
	};
}

/** Rows of whole numbers around the middle, a scale per block. */
function packed(
	bytes: Uint8Array,
	dims: readonly number[],
	scales: Float32Array,
	{ bits = 4, block = 32 }: HeadSource,
	bias: Float32Array | undefined,
): HeadWeights {
	const [vocabulary = 0, blocks = 0] = dims;
	const width = blocks * block;
	return {
		vocabulary,
		width,
		hasBias: bias !== undefined,
		columns: (ids) => {
			const weights = new Float32Array(width * ids.length);
			const count = ids.length;
			// Block by block, so that few rows of the result are written at a time.
			for (let at = 0; at < blocks; at++) {
				for (let column = 0; column < count; column++) {
					const id = ids[column] as number;
					const scale = scales[id * blocks + at] as number;
					const from = id * width + at * block;
					let target = at * block * count + column;
					for (let place = from; place < from + block; place++, target += count) {
						const number =
							bits === 8
								? (bytes[place] as number) - 128
								: (((bytes[place >> 1] as number) >> ((place & 1) * 4)) & 15) - 8;
						weights[target] = number * scale;
					}
				}
			}
			return { weights, width, tokens: ids.length, bias: chosen(bias, ids) };
		},
	};
}

function chosen(bias: Float32Array | undefined, ids: ArrayLike<number>): Float32Array | undefined {
	return bias === undefined ? undefined : Float32Array.from(ids, (id) => bias[id] as number);
}
