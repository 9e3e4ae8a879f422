/** Small runs of an encoder and a decoder whose results are compared with those of the published graphs. */

import { float16ToFloat32, toFloat16 } from '../runtime/float16.ts';
import type { Tensor } from '../runtime/runtime.ts';
import { createData, elementCount } from '../runtime/tensorType.ts';
import type { Reading } from '../verify/readings.ts';
import type { Seq2SeqGraphs } from './decoderGraphs.ts';
import { createDecoderRun } from './decoderRun.ts';
import { type EncoderGraph, encodeBatch, encoderInputs } from './encodeBatch.ts';
import type { EncodedBatch } from './encoderDecoder.ts';
import type { HeadWeights } from './headWeights.ts';

/** Largest difference of logits whose columns are multiplied as float32, which the whole head is not. */
const maxColumnsDifference = 0.05;

/** Tokens of two texts that an encoder is given. */
const lengths = [6, 4];

/** An encoder to be asked. */
export interface EncoderToRead extends Omit<EncoderGraph, 'graphs'> {
	readonly vocabularySize: number;
	/** Texts may share a run. */
	readonly batches: boolean;
}

/** What an encoder gives for two inputs: alone, and in one batch where it may be. */
export async function readEncoder(parts: EncoderToRead): Promise<Reading[]> {
	const { encoder, names, batches } = parts;
	const graph = { encoder, names, graphs: { cross: [], crossFromEncoder: false } };
	const run = async (items: readonly number[]): Promise<Reading[]> => {
		const { hidden } = await encodeBatch(graph, encoderInput(parts, items), undefined);
		const all = floats(hidden);
		const size = all.length / items.length;
		const [, positions = 1] = hidden.dims;
		return items.map((item, index) => {
			// What a text gives at padding behind it has no meaning.
			const isText = encoder.inputs.has('input_ids');
			const used = isText ? (size / positions) * (lengths[item] as number) : size;
			return { of: 'an input', values: all.slice(index * size, index * size + used) };
		});
	};
	const alone = [...(await run([0])), ...(await run([1]))];
	const together = batches ? await run([0, 1]) : alone;
	return [...alone, ...together.map(({ values }) => ({ of: 'a batch of two inputs', values }))];
}

/** Two texts of different length, or spectra and samples without meaning. */
function encoderInput(
	{ encoder, names, vocabularySize }: EncoderToRead,
	items: readonly number[],
): Record<string, Tensor> {
	if (!encoder.inputs.has('input_ids')) {
		return Object.fromEntries(
			[...encoderInputs(encoder, names)].map(([name, info]) => {
				const usual = info.dims.length === 3 ? [1, 80, 3000] : [1, 8000];
				const dims = info.dims.map((dim, axis) => (dim > 0 ? dim : (usual[axis] as number)));
				const batch = items.map((item) => tensorOf(info.type, [1, ...dims.slice(1)], item));
				return [name, concatenate(batch)];
			}),
		);
	}
	const width = Math.max(...items.map((item) => lengths[item] as number));
	const dims = [items.length, width];
	const ids = new BigInt64Array(items.length * width);
	const mask = new BigInt64Array(items.length * width);
	for (const [index, item] of items.entries()) {
		const tokens = tokensOf(vocabularySize, item * 20, lengths[item] as number);
		ids.set(tokens.map(BigInt), index * width);
		mask.fill(1n, index * width, index * width + tokens.length);
	}
	const tensor = (data: BigInt64Array): Tensor => ({ type: 'int64', dims, data });
	return { input_ids: tensor(ids), attention_mask: tensor(mask) };
}

/** A decoder to be asked. */
export interface DecoderToRead {
	readonly graphs: Seq2SeqGraphs;
	readonly vocabularySize: number;
	/** Rows may share a run. */
	readonly batches: boolean;
	/** Head that words are taken from, where a table of words is to be used. */
	readonly head: HeadWeights | undefined;
	/** The graphs can be given the columns of these words. */
	readonly takesColumns: boolean;
}

/**
 * Logits of two made-up encoder results: a prompt and a continuation, alone and, where they may be,
 * side by side; and those of a few words.
 */
export async function readDecoder(parts: DecoderToRead): Promise<Reading[]> {
	const { graphs, vocabularySize, batches, head, takesColumns } = parts;
	const encoded = madeUp(graphs);
	const ids = [0, 1, 2, 3].map((part) => Math.floor(((vocabularySize - 1) * part) / 3));
	const columns = takesColumns ? head?.columns(ids) : undefined;
	const run = async (items: readonly number[], short = false): Promise<Reading[]> => {
		const decoder = createDecoderRun({
			graphs,
			encoded: choose(encoded, items),
			sequencesPerItem: 1,
			attentions: graphs.attentions.size > 0,
			vocabularySize,
			columns: short ? columns : undefined,
		});
		const found: Reading[] = [];
		try {
			for (const [of, first, count] of [
				['a prompt', 0, 3],
				['a continuation', 3, 1],
			] as const) {
				const tokens = items.map((item) => tokensOf(vocabularySize, item * 20 + first, count));
				// With per-tensor scales each token is fed alone: per-token quantization comes closest to that.
				const steps = batches ? [tokens] : tokensOneByOne(tokens);
				let output = await decoder.feed(steps[0] as number[][]);
				for (const step of steps.slice(1)) output = await decoder.feed(step);
				for (const index of items.keys()) found.push({ of, values: output.logits(index).slice() });
			}
		} finally {
			decoder.release();
		}
		return found;
	};
	const alone = [await run([0]), await run([1])];
	const alternating = [0, 1].flatMap((round) =>
		alone.map((readings) => readings[round] as Reading),
	);
	const together = batches ? await run([0, 1]) : alternating;
	const few =
		columns === undefined
			? (alone[0] ?? []).map(({ values }) => Float32Array.from(ids, (id) => values[id] as number))
			: (await run([0], true)).map(({ values }) => values);
	return [
		...alternating,
		...together.map(({ of, values }) => ({ of: `${of} beside another`, values })),
		...(head === undefined
			? []
			: few.map((values) => ({ of: 'a table of words', values, most: maxColumnsDifference }))),
	];
}

function tokensOneByOne(batch: readonly (readonly number[])[]): number[][][] {
	return (batch[0] ?? []).map((_, k) => batch.map((sequence) => [sequence[k] as number]));
}

function tokensOf(vocabularySize: number, first: number, count: number): number[] {
	const top = Math.max(2, Math.min(vocabularySize, 1000));
	return Array.from({ length: count }, (_, k) => 1 + (((first + k) * 7919) % (top - 1)));
}

/** Two items as an encoder could have given them; the second one ends in padding. */
export function madeUp({ later, first, cross, hidden }: Seq2SeqGraphs): EncodedBatch {
	const [, heads = 1, fixed = -1, headSize = 1] =
		later.inputs.get(cross[0]?.past ?? '')?.dims ?? [];
	const [, length = -1, stated = -1] = hidden?.dims ?? [];
	const positions = [fixed, length].find((size) => size > 0) ?? 6;
	const width = stated > 0 ? stated : heads * headSize;
	const mask = new BigInt64Array(2 * positions).fill(1n);
	mask[mask.length - 1] = 0n;
	const givesCross = !cross.every(({ present }) => first.outputs.has(present));
	return {
		items: 2,
		positions,
		hidden: tensorOf(hidden?.type ?? 'float32', [2, positions, width], 0),
		mask: { type: 'int64', dims: [2, positions], data: mask },
		...(givesCross
			? {
					cross: cross.map(({ type, heads: own, headSize: size }, index) =>
						tensorOf(type, [2, own, positions, size], index + 1),
					),
				}
			: {}),
	};
}

function tensorOf(type: Tensor['type'], dims: readonly number[], seed: number): Tensor {
	const data = createData(type, elementCount(dims));
	const isWhole = data instanceof BigInt64Array;
	for (let k = 0; k < data.length; k++) {
		const value = spread(k + seed * 1e5);
		if (isWhole) data[k] = 1n;
		else data[k] = type === 'float16' ? toFloat16(value) : value;
	}
	return { type, dims, data };
}

/** Rows of one shape as a batch. */
function concatenate(batch: readonly Tensor[]): Tensor {
	const { type, dims } = batch[0] as Tensor;
	const data = createData(type, elementCount(dims) * batch.length);
	for (const [index, one] of batch.entries())
		(data as Float32Array).set(one.data as Float32Array, index * elementCount(dims));
	return { type, dims: [batch.length, ...dims.slice(1)], data };
}

/** Numbers without a pattern, of about the size of a layer's output. */
function spread(k: number): number {
	const x = Math.sin(k * 12.9898) * 43758.5453;
	return (x - Math.floor(x)) * 3 - 1.5;
}

export function choose(encoded: EncodedBatch, items: readonly number[]): EncodedBatch {
	const part = ({ type, dims, data }: Tensor): Tensor => {
		const size = data.length / encoded.items;
		const chosen = createData(type, size * items.length);
		for (const [index, item] of items.entries())
			(chosen as Float32Array).set(
				(data as Float32Array).subarray(item * size, (item + 1) * size),
				index * size,
			);
		return { type, dims: [items.length, ...dims.slice(1)], data: chosen };
	};
	return {
		items: items.length,
		positions: encoded.positions,
		hidden: part(encoded.hidden),
		mask: part(encoded.mask),
		...(encoded.cross === undefined ? {} : { cross: encoded.cross.map(part) }),
	};
}

function floats({ type, data }: Tensor): Float32Array {
	return type === 'float16' ? float16ToFloat32(data as Uint16Array) : (data as Float32Array);
}
