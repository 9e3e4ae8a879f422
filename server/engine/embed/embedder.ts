/** Runs an encoder graph over texts and gives one vector per text. */

import { modelFile } from '../../hub/modelFile.ts';
import { AppError } from '../../protocol/index.ts';
import { Places } from '../../work/places.ts';
import type {
	EmbedRequest,
	EmbedResult,
	ModelDescription,
	ModelVariant,
	RerankRequest,
	RerankResult,
	TextModel,
} from '../api.ts';
import { readGraphSummary } from '../modelFiles/graphSummary.ts';
import { hasPerTensorScales } from '../modelFiles/precision.ts';
import { float16ToFloat32 } from '../runtime/float16.ts';
import { IntegerInput } from '../runtime/integerInput.ts';
import { paddedWidth } from '../runtime/paddedWidth.ts';
import type { Runtime, Session, SessionOptions } from '../runtime/runtime.ts';
import { createData } from '../runtime/tensorType.ts';
import type { TextReader } from '../text/textReader.ts';
import { type OpenGraph, openVerified } from '../verify/openVerified.ts';
import { type Reading, tolerances } from '../verify/readings.ts';
import type { Verdicts } from '../verify/verdict.ts';
import { PairWriter } from './pairWriter.ts';
import { type EmbeddingSettings, normalize, pool, readEmbeddingSettings } from './pooling.ts';

/** Texts computed together; more only costs memory on the CPU. */
const maxBatchSize = 16;

/** An encoder ready to embed. */
export interface Embedder {
	embed(request: EmbedRequest, signal?: AbortSignal): Promise<EmbedResult>;
	rerank(request: RerankRequest, signal?: AbortSignal): Promise<RerankResult>;
	readonly counters: { running: number; waiting: number; promptTokens: number };
	close(): void;
}

interface EmbedderParts {
	readonly description: ModelDescription;
	readonly variant: ModelVariant;
	readonly runtime: Runtime;
	readonly session: SessionOptions;
	readonly verdicts?: Verdicts;
	readonly text: TextModel;
	readonly reader: Pick<TextReader, 'encode'>;
	/** Told what keeps texts from being computed together. */
	readonly onNotice?: (notice: string) => void;
}

/** Loads the encoder of a folder. @throws AppError `unsupported_model` when its graph is another kind */
export async function loadEmbedder(parts: EmbedderParts): Promise<Embedder> {
	const { description, variant, text, reader } = parts;
	const file = variant.files.model ?? variant.files.encoder;
	if (file === undefined) {
		throw new AppError('unsupported_model', 'The embedding model has no model.onnx.');
	}
	const path = await modelFile(description.folder, file);
	const settings =
		description.task === 'rerank' ? bareLogits : await readEmbeddingSettings(description.folder);
	const isDynamic = hasPerTensorScales(await readGraphSummary(path));
	let refused = 'they would share scales';
	const { opened } = await openVerified(
		{
			paths: [path],
			dynamic: new Set(isDynamic ? [path] : []),
			runtime: parts.runtime,
			session: parts.session,
			verdicts: parts.verdicts,
			maxDifference: tolerances.quantized,
			wrap: ([graph]) => {
				const { session, source } = graph as OpenGraph;
				// Per-tensor quantization gives a text another vector in a batch than alone; per-token
				// quantization does not.
				const batchSize = isDynamic && source === path ? 1 : maxBatchSize;
				return new EncoderEmbedder(
					session,
					text,
					reader,
					settings,
					description.contextLength,
					batchSize,
				);
			},
			read: readVectors,
		},
		isDynamic ? [{ perTokenQuantization: true }] : [],
		({ change, reason, differs }) => {
			if (differs) parts.onNotice?.(`The graph is not rewritten for ${change}: ${reason}.`);
			else refused = reason;
		},
	);
	if (isDynamic && opened.sequences === 1) parts.onNotice?.(`Texts run one at a time: ${refused}.`);
	return opened;
}

/** What the head of a reranker gives is what is asked for. */
const bareLogits: EmbeddingSettings = { pooling: 'cls', normalize: false, prompt: '' };

/** Vectors of two texts, alone and together. */
async function readVectors(embedder: EncoderEmbedder): Promise<Reading[]> {
	const texts = [
		[2, 5, 3, 7, 4],
		[6, 2, 8],
	];
	const alone = [
		...(await embedder.vectors(texts.slice(0, 1))),
		...(await embedder.vectors(texts.slice(1))),
	];
	const together = await embedder.vectors(texts);
	return [
		...alone.map((values) => ({ of: 'a text', values })),
		...together.map((values) => ({ of: 'a batch of two texts', values })),
	];
}

class EncoderEmbedder implements Embedder {
	readonly #session: Session;
	readonly #text: TextModel;
	readonly #reader: Pick<TextReader, 'encode'>;
	readonly #settings: EmbeddingSettings;
	readonly #contextLength: number;
	/** Texts computed together at most. */
	readonly sequences: number;
	/** One request is computed after the other. */
	readonly #places = new Places(1);
	readonly counters = { running: 0, waiting: 0, promptTokens: 0 };

	constructor(
		session: Session,
		text: TextModel,
		reader: Pick<TextReader, 'encode'>,
		settings: EmbeddingSettings,
		contextLength: number,
		sequences: number,
	) {
		this.#session = session;
		this.#text = text;
		this.#reader = reader;
		this.#settings = settings;
		this.#contextLength = contextLength;
		this.sequences = sequences;
	}

	async embed(request: EmbedRequest, signal?: AbortSignal): Promise<EmbedResult> {
		const texts = request.inputs.flatMap((input) =>
			typeof input === 'string' ? [this.#settings.prompt + input] : [],
		);
		const read = texts.length === 0 ? [] : await this.#reader.encode(texts, true, signal);
		const sequences = request.inputs.map((input, index) =>
			this.#checked(typeof input === 'string' ? (read.shift() ?? []) : input, index),
		);
		const promptTokens = sequences.reduce((sum, sequence) => sum + sequence.length, 0);
		using _ = await this.#takePlace(signal);
		this.counters.running++;
		const vectors = await this.vectors(sequences, signal).finally(() => this.counters.running--);
		this.counters.promptTokens += promptTokens;
		return { vectors: vectors.map((vector) => cut(vector, request.dimensions)), promptTokens };
	}

	async rerank(
		{ query, documents, truncate }: RerankRequest,
		signal?: AbortSignal,
	): Promise<RerankResult> {
		const [asked = [], ...read] = await this.#reader.encode([query, ...documents], false, signal);
		const pairs = new PairWriter(this.#text.pairTemplate, asked, this.#contextLength, truncate);
		const sequences = read.map((document, index) => pairs.write(document, index));
		const promptTokens = sequences.reduce((sum, { ids }) => sum + ids.length, 0);
		using _ = await this.#takePlace(signal);
		this.counters.running++;
		const vectors = await this.vectors(
			sequences.map(({ ids }) => ids),
			signal,
			sequences.map(({ types }) => types),
		).finally(() => this.counters.running--);
		this.counters.promptTokens += promptTokens;
		const logits = Float32Array.from(vectors, ([logit = 0]) => logit);
		return { logits, promptTokens, truncated: pairs.truncated };
	}

	async #takePlace(signal: AbortSignal | undefined): Promise<Disposable> {
		this.counters.waiting++;
		try {
			return await this.#places.take(signal);
		} finally {
			this.counters.waiting--;
		}
	}

	#checked(ids: readonly number[], index: number): readonly number[] {
		if (ids.length === 0) {
			throw new AppError('invalid_request', `input[${index}] is empty.`, { param: 'input' });
		}
		const bad = ids.find(
			(id) => !Number.isInteger(id) || id < 0 || id >= this.#text.vocabularySize,
		);
		if (bad !== undefined) {
			throw new AppError(
				'invalid_request',
				`input[${index}] has the token ${bad}, which does not exist.`,
				{
					param: 'input',
				},
			);
		}
		if (this.#contextLength > 0 && ids.length > this.#contextLength) {
			throw new AppError(
				'context_length_exceeded',
				`input[${index}] has ${ids.length} tokens; this model reads at most ${this.#contextLength}. Shorten it by ${ids.length - this.#contextLength} tokens.`,
				{ param: 'input', data: { tokens: ids.length, limit: this.#contextLength, index } },
			);
		}
		return ids;
	}

	/**
	 * One vector for each list of tokens.
	 * @param types of the tokens, which tell two texts apart; absent: there is one
	 */
	async vectors(
		sequences: readonly (readonly number[])[],
		signal?: AbortSignal,
		types: readonly (readonly number[])[] = [],
	): Promise<Float32Array[]> {
		const vectors: Float32Array[] = [];
		// Sequences of like length go together, so that little is computed for padding.
		const order = sequences.map((_, index) => index);
		order.sort((a, b) => (sequences[a]?.length ?? 0) - (sequences[b]?.length ?? 0));
		for (let at = 0; at < order.length; at += this.sequences) {
			if (signal?.aborted === true) throw new AppError('cancelled');
			const group = order.slice(at, at + this.sequences);
			const found = await this.#run(
				group.map((index) => sequences[index] as readonly number[]),
				group.map((index) => types[index] ?? []),
				signal,
			);
			for (const [position, index] of group.entries())
				vectors[index] = found[position] as Float32Array;
		}
		return vectors;
	}

	async #run(
		sequences: readonly (readonly number[])[],
		types: readonly (readonly number[])[],
		signal: AbortSignal | undefined,
	): Promise<Float32Array[]> {
		const longest = Math.max(...sequences.map((sequence) => sequence.length));
		const tokens = paddedWidth(longest, this.#contextLength || Number.POSITIVE_INFINITY);
		const dims = [sequences.length, tokens];
		const ids = new Array<number>(sequences.length * tokens).fill(0);
		const mask = new Array<number>(sequences.length * tokens).fill(0);
		const typeIds = new Array<number>(sequences.length * tokens).fill(0);
		for (const [sequence, list] of types.entries())
			for (const [column, type] of list.entries()) typeIds[sequence * tokens + column] = type;
		for (const [sequence, list] of sequences.entries()) {
			for (const [column, id] of list.entries()) {
				ids[sequence * tokens + column] = id;
				mask[sequence * tokens + column] = 1;
			}
		}
		const binding = this.#session.createBinding();
		try {
			for (const [name, info] of this.#session.inputs) {
				if (name.startsWith('past_key_values.')) {
					// A language model's graph: its caches begin and stay empty.
					const [, heads = 1, , size = 1] = info.dims;
					binding.input(name, createData(info.type, 0), [sequences.length, heads, 0, size]);
					continue;
				}
				const values = inputValues(name, ids, mask, typeIds, tokens);
				const integers = new IntegerInput(info);
				binding.input(name, integers.write(values).subarray(0, values.length), dims);
			}
			const output = this.#outputName();
			binding.outputAny(output);
			await binding.run(signal);
			const tensor = binding.take(output);
			const data =
				tensor.type === 'float16'
					? float16ToFloat32(tensor.data as Uint16Array)
					: (tensor.data as Float32Array);
			const size = tensor.dims.at(-1) as number;
			return sequences.map((sequence, index) => {
				const vector =
					tensor.dims.length === 2
						? Float32Array.from(data.subarray(index * size, (index + 1) * size))
						: pool(
								data as Float32Array,
								index,
								tokens,
								sequence.length,
								size,
								this.#settings.pooling,
							);
				return this.#settings.normalize ? normalize(vector) : vector;
			});
		} finally {
			binding.release();
		}
	}

	// Some exports pool inside the graph and offer the result beside the token vectors.
	#outputName(): string {
		const names = [...this.#session.outputs.keys()];
		const known = ['sentence_embedding', 'last_hidden_state', 'token_embeddings'];
		return known.find((name) => names.includes(name)) ?? (names[0] as string);
	}

	close(): void {
		this.#session.close();
	}
}

function inputValues(
	name: string,
	ids: readonly number[],
	mask: readonly number[],
	typeIds: readonly number[],
	tokens: number,
): readonly number[] {
	switch (name) {
		case 'input_ids':
			return ids;
		case 'attention_mask':
			return mask;
		case 'token_type_ids':
			return typeIds;
		case 'position_ids':
			return ids.map((_, index) => index % tokens);
		default:
			throw new AppError(
				'unsupported_model',
				`The embedding graph has the input '${name}', which is not known here.`,
			);
	}
}

function cut(vector: Float32Array, dimensions: number | undefined): Float32Array {
	if (dimensions === undefined || dimensions === vector.length) return vector;
	if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > vector.length) {
		throw new AppError(
			'invalid_request',
			`dimensions must be from 1 to ${vector.length}, not ${dimensions}.`,
			{ param: 'dimensions' },
		);
	}
	return normalize(vector.slice(0, dimensions));
}
