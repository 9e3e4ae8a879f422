/** One run of the encoder: its inputs under the names the graph has, and what the decoder needs of it. */

import { AppError } from '../../protocol/index.ts';
import type { GenaiNames } from '../modelFiles/genaiNames.ts';
import { toFloat16 } from '../runtime/float16.ts';
import type { Session, Tensor, TensorInfo } from '../runtime/runtime.ts';
import type { Seq2SeqGraphs } from './decoderGraphs.ts';
import type { EncodedBatch } from './encoderDecoder.ts';

export interface EncoderGraph {
	readonly encoder: Session;
	/** Set for the ONNX Runtime GenAI layout. */
	readonly names: GenaiNames | undefined;
	readonly graphs: Pick<Seq2SeqGraphs, 'cross' | 'crossFromEncoder'>;
}

/** What callers name `input_features`, some layouts name otherwise. */
const features = 'input_features';

/** Inputs of the encoder by the names callers use. */
export function encoderInputs(
	encoder: Session,
	names: GenaiNames | undefined,
): ReadonlyMap<string, TensorInfo> {
	return new Map(
		[...encoder.inputs].map(([name, info]) => [name === names?.features ? features : name, info]),
	);
}

export async function encodeBatch(
	{ encoder, names, graphs }: EncoderGraph,
	inputs: Readonly<Record<string, Tensor>>,
	signal: AbortSignal | undefined,
): Promise<EncodedBatch> {
	const binding = encoder.createBinding();
	try {
		for (const [name, { type }] of encoder.inputs) {
			const tensor = inputs[name === names?.features ? features : name];
			if (tensor === undefined) {
				throw new AppError(
					'unsupported_model',
					`The encoder asks for '${name}', which is not known.`,
				);
			}
			const isHalf = type === 'float16' && tensor.data instanceof Float32Array;
			binding.input(name, isHalf ? halves(tensor.data) : tensor.data, tensor.dims);
		}
		const wanted = names?.hidden ?? 'last_hidden_state';
		const output = encoder.outputs.has(wanted)
			? wanted
			: (encoder.outputs.keys().next().value ?? '');
		binding.outputAny(output);
		const caches = graphs.crossFromEncoder ? graphs.cross.map(({ present }) => present) : [];
		for (const name of caches) binding.outputAny(name);
		await binding.run(signal);
		const hidden = binding.take(output);
		const [items = 0, positions = 0] = hidden.dims;
		const given = inputs['encoder_attention_mask'] ?? inputs['attention_mask'];
		return {
			items,
			positions,
			hidden,
			mask: decoderMask(given, items, positions),
			...(graphs.crossFromEncoder ? { cross: caches.map((name) => binding.take(name)) } : {}),
		};
	} finally {
		binding.release();
	}
}

function halves(values: Float32Array): Uint16Array {
	return Uint16Array.from(values, toFloat16);
}

/** The decoder's mask over encoder positions; a longer mask (raw samples) is read at equal strides. */
function decoderMask(given: Tensor | undefined, items: number, positions: number): Tensor {
	const data = new BigInt64Array(items * positions).fill(1n);
	const width = given?.dims[1] ?? 0;
	if (given !== undefined && width > 0) {
		const stride = width / positions;
		for (let item = 0; item < items; item++) {
			for (let position = 0; position < positions; position++) {
				const at = item * width + Math.min(width - 1, Math.floor(position * stride));
				data[item * positions + position] = BigInt(given.data[at] as number | bigint);
			}
		}
	}
	return { type: 'int64', dims: [items, positions], data };
}
