/**
 * {@link Decoder} that runs one sequence at a time on the graph as it was published. It serves every
 * decoder-only graph, and is the reference that faster ways are compared with.
 */

import { AppError } from '../../protocol/index.ts';
import { DynamicKvCache } from '../kv/dynamicKvCache.ts';
import type { KvCache } from '../kv/kvCache.ts';
import { StaticKvCache } from '../kv/staticKvCache.ts';
import { IntegerInput } from '../runtime/integerInput.ts';
import type { Binding, Session } from '../runtime/runtime.ts';
import type { BatchItem, Decoder } from './decoder.ts';
import type { DecoderGraph } from './decoderGraph.ts';
import { LogitsOutput, logitsToCompute } from './logitsOutput.ts';
import { probeLogits } from './probeLogits.ts';

export interface SerialDecoderOptions {
	/** Maximum tokens of a sequence. */
	readonly contextLength: number;
	readonly longRopeThreshold?: number;
	/** As {@link Decoder.bitwiseInvariant}. */
	readonly bitwiseInvariant?: boolean;
	/** Positions of tokens `[from, from + count)` of a sequence, `[3, count]`, where they have three dimensions. */
	readonly positions?: (tokens: readonly number[], from: number, count: number) => BigInt64Array;
	/** Maximum prompt tokens of one run; graphs that depend on the grouping take the whole prompt. */
	readonly chunkTokens?: number;
}

/**
 * Wraps an open session; closing the decoder closes it. Gives the graph as well, with the form its logits
 * are seen to have.
 * @throws AppError `unsupported_model` when the graph does not run, or its logits are of no known form
 */
export async function openSerialDecoder(
	session: Session,
	declared: DecoderGraph,
	options: SerialDecoderOptions,
): Promise<{ readonly serial: Decoder; readonly graph: DecoderGraph }> {
	// A head rewritten here gives what it is asked for.
	const isKnown = declared.gather !== undefined && (declared.logits.dims.at(-1) ?? 0) > 0;
	const graph = isKnown
		? declared
		: await probeLogits(declared, (tokens, wanted) =>
				new SerialDecoder(session, declared, options).logitsShape(tokens, wanted),
			);
	return { serial: new SerialDecoder(session, graph, options), graph };
}

class SerialDecoder implements Decoder {
	readonly mode = 'serial';
	readonly maxBatchSize = 1;
	readonly maxStepTokens: number;
	readonly vocabularySize: number;
	readonly batchInvariant: boolean;
	readonly bitwiseInvariant: boolean;
	readonly bytesPerToken: number;
	readonly longRopeThreshold?: number;
	readonly lastLogitsOnly: boolean;
	readonly #session: Session;
	readonly #graph: DecoderGraph;
	readonly #contextLength: number;
	readonly #positionsOf: SerialDecoderOptions['positions'];
	readonly #binding: Binding;
	readonly #ids: IntegerInput;
	readonly #mask: IntegerInput | undefined;
	readonly #positions: IntegerInput | undefined;
	readonly #gather: IntegerInput | undefined;
	readonly #logits: LogitsOutput;
	/** What the cache inputs are bound to: rebinding costs more than a small run. */
	#bound: { cache: StaticKvCache; generation: number } | undefined;

	constructor(session: Session, graph: DecoderGraph, options: SerialDecoderOptions) {
		this.#session = session;
		this.#graph = graph;
		this.#contextLength = options.contextLength;
		this.#positionsOf = options.positions;
		this.maxStepTokens = graph.batchInvariant
			? (options.chunkTokens ?? 512)
			: Math.max(options.contextLength, 1);
		this.vocabularySize = graph.vocabularySize;
		this.batchInvariant = graph.batchInvariant;
		this.bitwiseInvariant = options.bitwiseInvariant ?? false;
		this.bytesPerToken = graph.bytesPerToken * (graph.inPlace ? 1 : 2);
		if (options.longRopeThreshold !== undefined) this.longRopeThreshold = options.longRopeThreshold;
		this.lastLogitsOnly = graph.logitsForm === 'last';
		this.#binding = session.createBinding();
		this.#ids = new IntegerInput(graph.ids);
		this.#mask = graph.mask && new IntegerInput(graph.mask);
		this.#positions = graph.positions && new IntegerInput(graph.positions);
		this.#gather = graph.gather && new IntegerInput(graph.gather);
		this.#logits = new LogitsOutput(graph);
	}

	createCache(): KvCache {
		return this.#graph.inPlace
			? new StaticKvCache(this.#graph.caches, this.#contextLength)
			: new DynamicKvCache(this.#graph.caches, { limit: this.#contextLength });
	}

	async step(batch: readonly BatchItem[], signal?: AbortSignal): Promise<Float32Array[][]> {
		const item = batch[0];
		if (item === undefined || batch.length > 1 || item.tokens.length === 0) {
			throw new AppError(
				'internal',
				'A serial decoder runs exactly one item of at least one token.',
			);
		}
		const { cache, tokens } = item;
		const binding = this.#binding;
		this.#bindItem(item);
		const written = this.#logits.bind(
			binding,
			tokens.length,
			logitsToCompute(item.logits, item.reproducible),
		);
		await binding.run(signal);
		(cache as StaticKvCache | DynamicKvCache).advance(tokens.length);
		const result: Float32Array[] = [];
		for (let index = written - item.logits; index < written; index++) {
			result.push(this.#logits.at(index, written));
		}
		return [result];
	}

	/**
	 * Shape of the logits of a run of `tokens` in which those of the last `wanted` are asked for. Leaves the
	 * session open, and nothing else.
	 */
	async logitsShape(tokens: readonly number[], wanted: number): Promise<readonly number[]> {
		const cache = this.createCache();
		try {
			this.#bindItem({ cache, tokens, logits: wanted });
			this.#logits.bindAny(this.#binding, wanted);
			await this.#binding.run();
			return this.#binding.take(this.#graph.logits.name).dims;
		} finally {
			this.#binding.release();
			cache.release();
		}
	}

	/** Binds everything but the logits. */
	#bindItem(item: BatchItem): void {
		const { cache, tokens } = item;
		const total = cache.length + tokens.length;
		cache.reserve(total);
		const binding = this.#binding;
		binding.input(this.#ids.name, this.#ids.write(tokens), [1, tokens.length]);
		if (this.#positions !== undefined && this.#positionsOf !== undefined) {
			const known = item.history ?? tokens;
			const positions = this.#positionsOf(known, cache.length, tokens.length);
			binding.input(this.#positions.name, positions, [3, 1, tokens.length]);
		} else if (this.#positions !== undefined) {
			const positions = tokens.map((_, index) => cache.length + index);
			binding.input(this.#positions.name, this.#positions.write(positions), [1, tokens.length]);
		}
		const wanted = logitsToCompute(item.logits, item.reproducible);
		if (this.#gather !== undefined) {
			const indices = Array.from({ length: wanted }, (_, k) => tokens.length - wanted + k);
			binding.input(this.#gather.name, this.#gather.write(indices), [wanted]);
		}
		this.#bindMask(cache, total);
		if (cache instanceof StaticKvCache) this.#bindStatic(cache);
		else if (cache instanceof DynamicKvCache) this.#bindDynamic(cache, tokens.length);
		binding.expectWork(tokens.length);
	}

	#bindMask(cache: KvCache, total: number): void {
		if (this.#mask === undefined) return;
		const width = cache instanceof StaticKvCache ? Math.max(total, cache.ropeTotalLength) : total;
		// Room first: growing replaces the memory.
		this.#mask.data(width);
		this.#mask.fill(1, 0, total);
		this.#binding.input(this.#mask.name, this.#mask.fill(0, total, width), [1, width]);
	}

	#bindStatic(cache: StaticKvCache): void {
		if (this.#bound?.cache === cache && this.#bound.generation === cache.generation) return;
		for (const [index, tensor] of cache.tensors.entries()) {
			const data = cache.buffers[index];
			if (data === undefined) throw new AppError('internal', 'A released cache was fed.');
			const dims = [1, tensor.heads, tensor.ring ?? cache.capacity, tensor.headSize];
			this.#binding.input(tensor.past, data, dims);
			this.#binding.output(tensor.present, data, dims);
		}
		this.#bound = { cache, generation: cache.generation };
	}

	#bindDynamic(cache: DynamicKvCache, tokens: number): void {
		for (const [index, tensor] of cache.tensors.entries()) {
			const { length } = cache;
			this.#binding.input(tensor.past, cache.past(index), cache.dims(index, length));
			this.#binding.output(
				tensor.present,
				cache.present(index),
				cache.dims(index, length + tokens),
			);
		}
	}

	close(): void {
		this.#binding.release();
		this.#session.close();
	}
}
