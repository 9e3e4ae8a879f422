/** Runs an encoder graph over texts and gives one vector per text. */

import { modelFile } from '../../hub/modelFile.ts';
import { AppError } from '../../protocol/index.ts';
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
import { Admission, type AdmissionQueue } from '../queue/admission.ts';
import { RequestQueue } from '../queue/requestQueue.ts';
import { float16ToFloat32 } from '../runtime/float16.ts';
import { IntegerInput } from '../runtime/integerInput.ts';
import { paddedWidth } from '../runtime/paddedWidth.ts';
import type { Runtime, Session, SessionOptions } from '../runtime/runtime.ts';
import { createData } from '../runtime/tensorType.ts';
import type { TextReader } from '../text/textReader.ts';
import { type OpenGraph, openVerified } from '../verify/openVerified.ts';
import { type Reading, tolerances } from '../verify/readings.ts';
import type { Verdicts } from '../verify/verdict.ts';
import { inputValues, tokensOf } from './encoderInputs.ts';
import { PairWriter } from './pairWriter.ts';
import {
	cutVector,
	type EmbeddingSettings,
	normalize,
	pool,
	pooledOutput,
	readEmbeddingSettings,
} from './pooling.ts';

/** Texts computed together; more only costs memory on the CPU. */
const maxBatchSize = 16;
/** Tokens, padding included, of texts computed together on the CPU: a run keeps others waiting. */
const maxRunTokens = 1024;
/** Somebody waits for a few texts; larger requests give way to them. */
const maxInteractiveTokens = 1024;
export const usualEmbedLimits = { maxWaiting: 256, maxWaitingWork: 1_000_000, unit: 'tokens' };

interface EmbedLimits {
	readonly contextLength: number;
	readonly batchSize: number;
	/** See {@link maxRunTokens}. */
	readonly runTokens: number;
}

/** Texts that are computed together. */
interface EmbedRun {
	/** Into the request's. */
	readonly indices: readonly number[];
	readonly tokens: number;
}

/** An encoder ready to embed. */
export interface Embedder {
	embed(request: EmbedRequest, signal?: AbortSignal): Promise<EmbedResult>;
	rerank(request: RerankRequest, signal?: AbortSignal): Promise<RerankResult>;
	readonly counters: { readonly running: number; readonly promptTokens: number };
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
	/** Where requests wait, counted in tokens. */
	readonly queue?: AdmissionQueue;
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
	const summary = await readGraphSummary(path);
	const outputs = summary.outputs.map(({ name }) => name);
	const settings =
		description.task === 'rerank'
			? bareLogits
			: await readEmbeddingSettings(description.folder, outputs);
	const isDynamic = hasPerTensorScales(summary);
	const onCpu = (parts.session.executionProvider ?? 'cpu') === 'cpu';
	const runTokens = onCpu ? maxRunTokens : Number.POSITIVE_INFINITY;
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
				const { contextLength } = description;
				const limits = { contextLength, batchSize, runTokens };
				return new EncoderEmbedder(session, text, reader, settings, limits, parts.queue);
			},
			read: readVectors,
		},
		isDynamic ? [{ perTokenQuantization: true }] : [],
		({ change, reason, differs }) => {
			if (differs) parts.onNotice?.(`The graph is not rewritten for ${change}: ${reason}.`);
			else refused = reason;
		},
	);
	if (isDynamic && opened.isSerial) parts.onNotice?.(`Texts run one at a time: ${refused}.`);
	return opened;
}

/** What the head of a reranker gives is what is asked for. */
const bareLogits: EmbeddingSettings = {
	pooling: 'cls',
	normalize: false,
	prompt: '',
};

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
	readonly #limits: EmbedLimits;
	/** One run is computed after the other. */
	readonly #admission: Admission;
	readonly counters = { running: 0, promptTokens: 0 };

	constructor(
		session: Session,
		text: TextModel,
		reader: Pick<TextReader, 'encode'>,
		settings: EmbeddingSettings,
		limits: EmbedLimits,
		queue: AdmissionQueue = new RequestQueue(usualEmbedLimits),
	) {
		this.#admission = new Admission(queue);
		this.#session = session;
		this.#text = text;
		this.#reader = reader;
		this.#settings = settings;
		this.#limits = limits;
	}

	async embed(request: EmbedRequest, signal?: AbortSignal): Promise<EmbedResult> {
		const texts = request.inputs.flatMap((input) =>
			typeof input === 'string' ? [this.#settings.prompt + input] : [],
		);
		const read =
			texts.length === 0 ? [] : await this.#reader.encode(texts, true, signal, request.priority);
		const sequences = request.inputs.map((input, index) =>
			this.#checked(typeof input === 'string' ? (read.shift() ?? []) : input, index),
		);
		const vectors = await this.#admitted(sequences, [], request, signal);
		return {
			vectors: vectors.map((vector) => cutVector(vector, request.dimensions)),
			promptTokens: tokensOf(sequences),
		};
	}

	async rerank(
		{ query, documents, truncate, ...whose }: RerankRequest,
		signal?: AbortSignal,
	): Promise<RerankResult> {
		const [asked = [], ...read] = await this.#reader.encode(
			[query, ...documents],
			false,
			signal,
			whose.priority,
		);
		const { contextLength } = this.#limits;
		const pairs = new PairWriter(this.#text.pairTemplate, asked, contextLength, truncate);
		const written = read.map((document, index) => pairs.write(document, index));
		const sequences = written.map(({ ids }) => ids);
		const types = written.map((pair) => pair.types);
		const vectors = await this.#admitted(sequences, types, whose, signal);
		return {
			logits: Float32Array.from(vectors, ([logit = 0]) => logit),
			promptTokens: tokensOf(sequences),
			truncated: pairs.truncated,
		};
	}

	/**
	 * Vectors of sequences, in turn with other requests.
	 * @param types of the tokens, which tell two texts apart; none: there is one
	 */
	async #admitted(
		sequences: readonly (readonly number[])[],
		types: readonly (readonly number[])[],
		{ owner, priority: asked }: Pick<EmbedRequest, 'owner' | 'priority'>,
		signal: AbortSignal | undefined,
	): Promise<Float32Array[]> {
		const promptTokens = tokensOf(sequences);
		const runs = this.#runs(sequences);
		const isShort = asked !== 'batch' && promptTokens <= maxInteractiveTokens;
		const priority = isShort ? 'interactive' : 'batch';
		const vectors: Float32Array[] = [];
		let left = promptTokens;
		let isRunning = false;
		try {
			// Others have their turn between the runs of a request.
			for (const [at, run] of runs.entries()) {
				const found = await this.#admission.run(
					{ priority, owner, isPart: at > 0, work: at > 0 ? run.tokens : left },
					() => {
						if (!isRunning) this.counters.running++;
						isRunning = true;
						return this.#run(
							run.indices.map((index) => sequences[index] ?? []),
							run.indices.map((index) => types[index] ?? []),
							signal,
						);
					},
					signal,
				);
				left -= run.tokens;
				for (const [position, index] of run.indices.entries())
					vectors[index] = found[position] as Float32Array;
			}
		} finally {
			if (isRunning) this.counters.running--;
		}
		this.counters.promptTokens += promptTokens;
		return vectors;
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
		const limit = this.#limits.contextLength;
		if (limit > 0 && ids.length > limit) {
			throw new AppError(
				'context_length_exceeded',
				`input[${index}] has ${ids.length} tokens; this model reads at most ${limit}. Shorten it by ${ids.length - limit} tokens.`,
				{ param: 'input', data: { tokens: ids.length, limit, index } },
			);
		}
		return ids;
	}

	/** One vector for each list of tokens. */
	async vectors(sequences: readonly (readonly number[])[]): Promise<Float32Array[]> {
		const vectors: Float32Array[] = [];
		for (const { indices } of this.#runs(sequences)) {
			const found = await this.#run(
				indices.map((index) => sequences[index] ?? []),
				[],
			);
			for (const [position, index] of indices.entries())
				vectors[index] = found[position] as Float32Array;
		}
		return vectors;
	}

	/** Texts are computed one at a time. */
	get isSerial(): boolean {
		return this.#limits.batchSize === 1;
	}

	/** Sequences of like length go together, so that little is computed for padding. */
	#runs(sequences: readonly (readonly number[])[]): EmbedRun[] {
		const { batchSize, runTokens } = this.#limits;
		const lengthOf = (index: number): number => sequences[index]?.length ?? 0;
		const order = sequences.map((_, index) => index);
		order.sort((a, b) => lengthOf(a) - lengthOf(b));
		const runs: { indices: number[]; tokens: number }[] = [];
		for (const index of order) {
			const last = runs.at(-1);
			const size = (last?.indices.length ?? 0) + 1;
			const tooMuch = size > batchSize || size * this.#width(lengthOf(index)) > runTokens;
			if (last === undefined || tooMuch) runs.push({ indices: [index], tokens: lengthOf(index) });
			else {
				last.indices.push(index);
				last.tokens += lengthOf(index);
			}
		}
		return runs;
	}

	#width(longest: number): number {
		return paddedWidth(longest, this.#limits.contextLength || Number.POSITIVE_INFINITY);
	}

	async #run(
		sequences: readonly (readonly number[])[],
		types: readonly (readonly number[])[],
		signal?: AbortSignal,
	): Promise<Float32Array[]> {
		const tokens = this.#width(Math.max(...sequences.map(({ length }) => length)));
		const dims = [sequences.length, tokens];
		const zeros = () => new Array<number>(sequences.length * tokens).fill(0);
		const [ids, mask, typeIds] = [zeros(), zeros(), zeros()];
		for (const [sequence, list] of types.entries())
			for (const [column, type] of list.entries()) typeIds[sequence * tokens + column] = type;
		for (const [sequence, list] of sequences.entries())
			for (const [column, id] of list.entries()) {
				ids[sequence * tokens + column] = id;
				mask[sequence * tokens + column] = 1;
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
		const vectors = [pooledOutput, 'last_hidden_state', 'token_embeddings'];
		const known = this.#settings === bareLogits ? ['logits'] : vectors;
		return known.find((name) => names.includes(name)) ?? (names[0] as string);
	}

	close(): void {
		this.#session.close();
	}
}
