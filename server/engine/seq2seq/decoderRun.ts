/** Sequences being decoded together over one encoded batch. */

import { AppError } from '../../protocol/index.ts';
import { DynamicKvCache } from '../kv/dynamicKvCache.ts';
import { gatherSequences, isIdentity } from '../kv/gatherSequences.ts';
import { shortlistBias, shortlistInput } from '../onnx/shortlistHead.ts';
import { float16ToFloat32 } from '../runtime/float16.ts';
import { IntegerInput } from '../runtime/integerInput.ts';
import type { Binding, Session, Tensor, TensorData, TensorInfo } from '../runtime/runtime.ts';
import { createData, elementCount } from '../runtime/tensorType.ts';
import { logSumExp } from '../sample/logprobs.ts';
import type { Seq2SeqGraphs } from './decoderGraphs.ts';
import type { DecoderOutput, DecoderRun, EncodedBatch } from './encoderDecoder.ts';
import type { HeadColumns } from './headWeights.ts';

export interface DecoderRunOptions {
	readonly graphs: Seq2SeqGraphs;
	readonly encoded: EncodedBatch;
	readonly sequencesPerItem: number;
	readonly attentions: boolean;
	readonly vocabularySize: number;
	/** The only tokens to compute; absent = all. */
	readonly columns?: HeadColumns | undefined;
}

interface Step {
	readonly binding: Binding;
	readonly inputs: ReadonlyMap<string, TensorInfo>;
	readonly ids: IntegerInput;
}

export function createDecoderRun(options: DecoderRunOptions): DecoderRun {
	return new Run(options);
}

/** Shapes of the logits of a first run of `prompt`, and of a later one of one more token, both of one sequence. */
export async function logitsShapes(
	options: DecoderRunOptions,
	prompt: readonly number[],
): Promise<readonly [readonly number[], readonly number[]]> {
	const run = new Run(options);
	try {
		return [await run.logitsShape(prompt), await run.logitsShape(prompt.slice(0, 1))];
	} finally {
		run.release();
	}
}

class Run implements DecoderRun {
	readonly #graphs: Seq2SeqGraphs;
	/** Width of a logits vector. */
	readonly #vocabularySize: number;
	readonly #columns: HeadColumns | undefined;
	readonly #attentions: boolean;
	readonly #positions: number;
	readonly #hiddenWidth: number;
	readonly #self: DynamicKvCache;
	readonly #first: Step;
	readonly #later: Step;
	/** Cross-attention cache per tensor, `[sequences, heads, positions, headSize]`. */
	#cross: TensorData[] = [];
	#crossBound = false;
	/** The caches are those of the encoded batch, which may serve other runs. */
	#crossBorrowed = false;
	#hidden: Tensor;
	#mask: TensorData;
	#items: number[];
	/** Sequences still to be spread from one sequence per item after the first run. */
	#spread: number;
	#logits: TensorData;
	#released = false;

	constructor(options: DecoderRunOptions) {
		const { graphs, encoded, sequencesPerItem, attentions, vocabularySize, columns } = options;
		this.#graphs = graphs;
		this.#vocabularySize = columns?.tokens ?? vocabularySize;
		this.#columns = columns;
		this.#attentions = attentions;
		this.#positions = encoded.positions;
		this.#hiddenWidth = elementCount(encoded.hidden.dims) / Math.max(1, encoded.items);
		this.#items = Array.from({ length: encoded.items }, (_, item) => item);
		this.#spread = sequencesPerItem;
		this.#hidden = encoded.hidden;
		this.#mask = encoded.mask.data.slice();
		this.#self = new DynamicKvCache(graphs.self, { sequences: encoded.items });
		if (encoded.cross !== undefined) {
			this.#cross = encoded.cross.map(({ data }) => data);
			this.#crossBorrowed = true;
		}
		this.#logits = createData(graphs.logits.type, 0);
		const step = (session: Session): Step => ({
			binding: session.createBinding(),
			inputs: session.inputs,
			ids: new IntegerInput(session.inputs.get(graphs.ids.name) as TensorInfo),
		});
		this.#first = step(graphs.first);
		this.#later = step(graphs.later);
	}

	get batchSize(): number {
		return this.#items.length * this.#spread;
	}

	get length(): number {
		return this.#self.length;
	}

	get itemOfSequence(): readonly number[] {
		return this.#items.flatMap((item) => new Array<number>(this.#spread).fill(item));
	}

	async feed(tokens: readonly (readonly number[])[], signal?: AbortSignal): Promise<DecoderOutput> {
		const count = tokens[0]?.length ?? 0;
		if (this.#released || tokens.length !== this.batchSize || count === 0) {
			throw new AppError(
				'internal',
				`${tokens.length} rows of ${count} tokens fed to ${this.batchSize}.`,
			);
		}
		if (tokens.some((sequence) => sequence.length !== count)) {
			throw new AppError('internal', 'Rows fed together must have equal lengths.');
		}
		// All sequences of an item begin alike, so one of them is computed and copied.
		const spread = this.#spread;
		if (spread > 1) {
			const alike = tokens.every(
				(sequence, index) => sequence.join() === (tokens[index - (index % spread)] ?? []).join(),
			);
			if (!alike) this.#spreadSequences();
		}
		const fed = this.#spread > 1 ? tokens.filter((_, index) => index % spread === 0) : tokens;
		const batchSize = fed.length;
		const { form, binding, run } = this.#bindStep(fed);
		const given = form.lastOnly ? 1 : count;
		const needed = batchSize * given * this.#vocabularySize;
		if (this.#logits.length < needed) this.#logits = createData(this.#graphs.logits.type, needed);
		const dims = form.isList ? [batchSize * given] : [batchSize, given];
		binding.output(this.#graphs.logits.name, this.#logits, [...dims, this.#vocabularySize]);
		if (this.#attentions) {
			for (const name of this.#graphs.attentions.values()) binding.outputAny(name);
		}
		await run(signal);
		const attentions = this.#attentions ? this.#takeAttentions(binding, batchSize) : undefined;
		const shared = this.#spread;
		if (shared > 1) this.#spreadSequences();
		return {
			tokens: count,
			logits: (sequence, position = count - 1) => {
				const place = position - (count - given);
				if (place < 0) throw new AppError('internal', 'The graph gives no logits of this token.');
				return this.#logitsAt(
					(shared > 1 ? Math.floor(sequence / shared) : sequence) * given + place,
					shared > 1,
				);
			},
			...(attentions === undefined
				? {}
				: { attentions: shared > 1 ? spreadTensors(attentions, shared) : attentions }),
		};
	}

	/** Shape of the logits of the next tokens of the only sequence, in whatever form they come. */
	async logitsShape(tokens: readonly number[]): Promise<readonly number[]> {
		const { binding, run } = this.#bindStep([tokens]);
		const { name } = this.#graphs.logits;
		binding.outputAny(name);
		await run();
		return binding.take(name).dims;
	}

	/** Binds all but the logits and the attention of the next tokens. */
	#bindStep(fed: readonly (readonly number[])[]) {
		const batchSize = fed.length;
		const count = fed[0]?.length ?? 0;
		const isFirst = this.#self.length === 0;
		const { binding, inputs, ids } = isFirst ? this.#first : this.#later;
		binding.input(ids.name, ids.write(fed.flat()), [batchSize, count]);
		this.#bindEncoder(binding, inputs, batchSize);
		if (inputs.has('use_cache_branch')) {
			binding.input('use_cache_branch', Uint8Array.of(isFirst ? 0 : 1), [1]);
		}
		this.#bindHead(binding, inputs);
		this.#bindSelf(binding, inputs, count);
		const cross = this.#bindCross(binding, inputs, batchSize, isFirst);
		binding.expectWork(batchSize * count);
		return {
			binding,
			form: isFirst ? this.#graphs.firstLogits : this.#graphs.laterLogits,
			run: async (signal?: AbortSignal) => {
				await binding.run(signal);
				this.#self.advance(count);
				if (isFirst) this.#cross = cross;
			},
		};
	}

	#bindEncoder(binding: Binding, inputs: ReadonlyMap<string, TensorInfo>, batchSize: number): void {
		if (inputs.has('encoder_hidden_states')) {
			const [, positions = 0, width = 0] = this.#hidden.dims;
			binding.input('encoder_hidden_states', this.#hidden.data, [batchSize, positions, width]);
		}
		const mask = inputs.get('encoder_attention_mask');
		if (mask !== undefined) {
			const data =
				mask.type === 'int64' ? this.#mask : Int32Array.from(this.#mask as BigInt64Array, Number);
			binding.input('encoder_attention_mask', data, [batchSize, this.#positions]);
		}
	}

	#bindHead(binding: Binding, inputs: ReadonlyMap<string, TensorInfo>): void {
		const given = inputs.get(shortlistInput);
		if (given === undefined) return;
		const { weights, bias, tokens } = this.#columns ?? {
			...noColumns,
			weights: createData(given.type, 0),
		};
		const batchSize = this.#columns?.width ?? 1;
		binding.input(shortlistInput, weights, [batchSize, tokens]);
		if (inputs.has(shortlistBias)) binding.input(shortlistBias, bias ?? noBias, [tokens]);
	}

	#bindSelf(binding: Binding, inputs: ReadonlyMap<string, TensorInfo>, count: number): void {
		const cache = this.#self;
		const { length } = cache;
		cache.reserve(length + count);
		for (const [index, { past, present }] of cache.tensors.entries()) {
			if (inputs.has(past)) binding.input(past, cache.past(index), cache.dims(index, length));
			binding.output(present, cache.present(index), cache.dims(index, length + count));
		}
	}

	#bindCross(
		binding: Binding,
		inputs: ReadonlyMap<string, TensorInfo>,
		batchSize: number,
		isFirst: boolean,
	): TensorData[] {
		const { cross, crossFromEncoder } = this.#graphs;
		if (isFirst && !crossFromEncoder) {
			return cross.map(({ past, present, type, heads, headSize }) => {
				const data = createData(type, batchSize * heads * this.#positions * headSize);
				if (inputs.has(past))
					binding.input(past, createData(type, 0), [batchSize, heads, 0, headSize]);
				binding.output(present, data, [batchSize, heads, this.#positions, headSize]);
				return data;
			});
		}
		// Bound once: later runs read it, and their own outputs of it are empty.
		if (!this.#crossBound) {
			for (const [index, { past, heads, headSize }] of cross.entries()) {
				const dims = [batchSize, heads, this.#positions, headSize];
				if (inputs.has(past)) binding.input(past, this.#cross[index] as TensorData, dims);
			}
			// The binding of the first run is another one.
			this.#crossBound = !isFirst;
		}
		return this.#cross;
	}

	#takeAttentions(binding: Binding, batchSize: number): Map<number, Tensor> {
		const taken = new Map<number, Tensor>();
		for (const [layer, name] of this.#graphs.attentions) {
			const { type, dims, data } = binding.take(name);
			const [first = 0, ...rest] = dims;
			taken.set(layer, {
				type: 'float32',
				// Some exports keep sequences and heads in one dimension.
				dims: dims.length === 3 ? [batchSize, first / batchSize, ...rest] : dims,
				data: this.#weights(
					type === 'float16' ? float16ToFloat32(data as Uint16Array) : (data as Float32Array),
				),
			});
		}
		return taken;
	}

	/** Attention weights of what a layer's output holds. */
	#weights(data: Float32Array): Float32Array {
		if (!this.#graphs.attentionScores) return data;
		return softmaxParts(data, this.#positions);
	}

	#logitsAt(index: number, copy: boolean): Float32Array {
		const width = this.#vocabularySize;
		const data = this.#logits.subarray(index * width, (index + 1) * width);
		if (data instanceof Uint16Array) return float16ToFloat32(data);
		return copy ? (data as Float32Array).slice() : (data as Float32Array);
	}

	#spreadSequences(): void {
		const parents = this.itemOfSequence.map((_, sequence) => Math.floor(sequence / this.#spread));
		this.#spread = 1;
		this.select(parents);
	}

	select(parents: readonly number[]): void {
		if (this.#spread > 1) this.#spreadSequences();
		const batchSize = this.#items.length;
		if (isIdentity(parents, batchSize)) return;
		if (parents.some((parent) => !(parent >= 0 && parent < batchSize))) {
			throw new AppError('internal', 'A sequence was selected that does not exist.');
		}
		const items = parents.map((parent) => this.#items[parent] as number);
		this.#self.select(parents);
		const sameItems =
			items.length === batchSize && items.every((item, sequence) => item === this.#items[sequence]);
		this.#items = items;
		if (sameItems) return;
		for (const [index, { type, heads, headSize }] of this.#graphs.cross.entries()) {
			const data = this.#cross[index];
			if (data === undefined) continue;
			const width = heads * this.#positions * headSize;
			const own = this.#crossBorrowed ? data.slice() : data;
			this.#cross[index] = gatherSequences(own, type, width, parents);
		}
		this.#crossBorrowed = false;
		const { type, dims, data } = this.#hidden;
		// The encoded batch may serve other runs, so it is copied before it is changed.
		const hidden = gatherSequences(data.slice(), type, this.#hiddenWidth, parents);
		this.#hidden = { type, dims: [parents.length, ...dims.slice(1)], data: hidden };
		this.#mask = gatherSequences(this.#mask, 'int64', this.#positions, parents);
		this.#crossBound = false;
	}

	release(): void {
		if (this.#released) return;
		this.#released = true;
		this.#first.binding.release();
		this.#later.binding.release();
		this.#self.release();
		this.#cross = [];
	}
}

/** Softmax over sequences of `width` values. */
function softmaxParts(values: Float32Array, width: number): Float32Array {
	const weights = new Float32Array(values.length);
	for (let at = 0; at < values.length; at += width) {
		const part = values.subarray(at, at + width);
		const total = logSumExp(part);
		for (const [index, value] of part.entries()) weights[at + index] = Math.exp(value - total);
	}
	return weights;
}

/** All tokens. */
const noBias = new Float32Array(0);
const noColumns = { bias: noBias, tokens: 0 };

/** Repeats every sequence of every tensor. */
function spreadTensors(tensors: ReadonlyMap<number, Tensor>, times: number): Map<number, Tensor> {
	return new Map(
		[...tensors].map(([layer, { type, dims, data }]) => {
			const batchSize = dims[0] ?? 0;
			const parents = Array.from({ length: batchSize * times }, (_, sequence) =>
				Math.floor(sequence / times),
			);
			const spread = gatherSequences(data, type, elementCount(dims.slice(1)), parents);
			return [layer, { type, dims: [batchSize * times, ...dims.slice(1)], data: spread }];
		}),
	);
}
