/**
 * Encoders of texts in GGUF files (`bert`, which BERT, RoBERTa and XLM-R share): their tensors under the names
 * that the hub has for them, and what the file says of pooling.
 */

import { AppError } from '../../../protocol/index.ts';
import type { JsonRecord } from '../../modelFiles/json.ts';
import {
	columnsOf,
	rowsOf,
	type SourceTensor,
	type TensorSource,
} from '../sources/tensorSource.ts';
import { configFault } from './configReader.ts';

/** Beginning of a name in GGUF → that of the hub; `#` is the layer. */
const names: readonly (readonly [gguf: string, hub: string])[] = [
	['token_embd_norm', 'embeddings.LayerNorm'],
	['token_embd', 'embeddings.word_embeddings'],
	['position_embd', 'embeddings.position_embeddings'],
	['token_types', 'embeddings.token_type_embeddings'],
	['blk.#.attn_q', 'encoder.layer.#.attention.self.query'],
	['blk.#.attn_k', 'encoder.layer.#.attention.self.key'],
	['blk.#.attn_v', 'encoder.layer.#.attention.self.value'],
	['blk.#.attn_output', 'encoder.layer.#.attention.output.dense'],
	['blk.#.attn_output_norm', 'encoder.layer.#.attention.output.LayerNorm'],
	['blk.#.ffn_up', 'encoder.layer.#.intermediate.dense'],
	['blk.#.ffn_down', 'encoder.layer.#.output.dense'],
	['blk.#.layer_output_norm', 'encoder.layer.#.output.LayerNorm'],
	['cls', 'classifier.dense'],
	['cls.output', 'classifier.out_proj'],
];
const hubNames: ReadonlyMap<string, string> = new Map(names);

/** Positions of the hub's RoBERTa that are those of padding; converters leave their rows out. */
const paddingPositions = 2;
const positionTable = 'embeddings.position_embeddings.weight';

/** `pooling_type` of llama.cpp → the setting of sentence-transformers. */
const poolings: ReadonlyMap<unknown, string> = new Map([
	[1, 'pooling_mode_mean_tokens'],
	[2, 'pooling_mode_cls_token'],
	[3, 'pooling_mode_lasttoken'],
]);
const rank = 4;

export interface GgufEncoder {
	readonly source: TensorSource;
	readonly config: JsonRecord;
	/** Content of `1_Pooling/config.json`, where the file says how vectors become one. */
	readonly pooling?: JsonRecord;
}

/** Whether a file's architecture is that of such encoders. */
export const isGgufEncoder = (source: TensorSource): boolean =>
	source.metadata.get('general.architecture') === 'bert';

/**
 * @param given settings of the file, in the form of the hub
 * @throws AppError `unsupported_model` that names what is not known here
 */
export function ggufEncoder(file: TensorSource, given: JsonRecord): GgufEncoder {
	if (file.metadata.get('bert.attention.causal') === true)
		throw configFault('says that tokens see earlier ones only (attention.causal)');
	const isBert = file.metadata.get('tokenizer.ggml.model') === 'bert';
	const first = isBert ? 0 : paddingPositions;
	const source = renamed(file, first);
	const positions = source.tensors.get(positionTable);
	const kind = file.metadata.get('bert.pooling_type');
	const judges = source.tensors.has('classifier.out_proj.weight');
	if (kind === rank && (isBert || !judges))
		throw new AppError(
			'unsupported_model',
			'The GGUF file is a reranker without all of its head (cls, cls.output), as converters write those of BERT. Take safetensors or an ONNX export of the model.',
		);
	const mode = poolings.get(kind);
	return {
		source,
		config: {
			...given,
			model_type: isBert ? 'bert' : 'xlm-roberta',
			...(positions === undefined ? {} : { max_position_embeddings: rowsOf(positions.shape) }),
			...(judges
				? {
						architectures: ['XLMRobertaForSequenceClassification'],
						id2label: { 0: 'LABEL_0' },
					}
				: {}),
		},
		...(mode === undefined ? {} : { pooling: { [mode]: true } }),
	};
}

function hubName(name: string): string {
	const [, beginning = name, layer = '', end = ''] =
		/^((?:blk\.(\d+)\.)?.*)\.(weight|bias)$/.exec(name) ?? [];
	const known = hubNames.get(layer === '' ? beginning : beginning.replace(`.${layer}.`, '.#.'));
	return known === undefined ? name : `${known.replace('#', layer)}.${end}`;
}

/** @param first rows of zeros before the table of positions */
function renamed(file: TensorSource, first: number): TensorSource {
	const own = new Map<string, string>();
	const tensors = new Map<string, SourceTensor>();
	for (const tensor of file.tensors.values()) {
		const name = hubName(tensor.name);
		own.set(name, tensor.name);
		tensors.set(
			name,
			name === positionTable && first > 0 ? withRows(tensor, name, first) : { ...tensor, name },
		);
	}
	const nameOf = (name: string): string => own.get(name) ?? name;
	const { blocks } = file;
	return {
		tensors,
		metadata: file.metadata,
		raw: (name, from, to, signal) => file.raw(nameOf(name), from, to, signal),
		rows: async (name, from, to, signal) => {
			if (name !== positionTable || first === 0) return file.rows(nameOf(name), from, to, signal);
			const width = columnsOf(tensors.get(name)?.shape ?? []);
			const numbers = new Float32Array((to - from) * width);
			const start = Math.max(from, first);
			if (start < to)
				numbers.set(
					await file.rows(nameOf(name), start - first, to - first, signal),
					(start - from) * width,
				);
			return numbers;
		},
		...(blocks === undefined
			? {}
			: {
					blocks: (name: string, from: number, to: number, signal?: AbortSignal) =>
						blocks(nameOf(name), from, to, signal),
				}),
		[Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
	};
}

function withRows({ shape, type }: SourceTensor, name: string, first: number): SourceTensor {
	return { name, shape: [rowsOf(shape) + first, columnsOf(shape)], type, bytesPerRow: 0 };
}
