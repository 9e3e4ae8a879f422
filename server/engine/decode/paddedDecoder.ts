/**
 * {@link Decoder} for plain-attention graphs with `position_ids`: several sequences share a
 * run over caches padded to a common size, with the unused cells masked. New keys and values come out
 * behind that size and are copied to each sequence's own end.
 */

import { AppError } from '../../protocol/index.ts';
import { IntegerInput } from '../runtime/integerInput.ts';
import type { Binding, Session } from '../runtime/runtime.ts';
import { createData, type TensorData } from '../runtime/tensorType.ts';
import type { BatchItem, Decoder, KvCache } from './decoder.ts';
import type { CacheTensor, DecoderGraph } from './decoderGraph.ts';
import { LogitsOutput } from './logitsOutput.ts';
import { StaticKvCache } from './staticKvCache.ts';

export interface PaddedDecoderOptions {
	readonly contextLength: number;
	readonly maxBatchSize: number;
}

const minBucket = 64;

/** What is in one slot of the shared buffers. */
interface SlotContents {
	readonly cache: StaticKvCache;
	generation: number;
	length: number;
}

export class PaddedDecoder implements Decoder {
	readonly mode = 'padded';
	readonly maxStepTokens = 256;
	readonly maxBatchSize: number;
	readonly vocabularySize: number;
	readonly batchInvariant: boolean;
	readonly bytesPerToken: number;
	readonly #session: Session;
	readonly #graph: DecoderGraph;
	readonly #contextLength: number;
	readonly #binding: Binding;
	readonly #ids: IntegerInput;
	readonly #mask: IntegerInput;
	readonly #positions: IntegerInput;
	readonly #gather: IntegerInput | undefined;
	readonly #logits: LogitsOutput;
	#bucket = 0;
	#past: TensorData[] = [];
	#present: TensorData[] = [];
	#slots: (SlotContents | undefined)[] = [];
	#boundBatchSize = 0;
	#boundWidth = 0;

	constructor(session: Session, graph: DecoderGraph, options: PaddedDecoderOptions) {
		if (graph.mask === undefined || graph.positions === undefined) {
			throw new AppError('internal', 'Padded caches need a mask and positions.');
		}
		this.#session = session;
		this.#graph = graph;
		this.#contextLength = options.contextLength;
		this.maxBatchSize = options.maxBatchSize;
		this.vocabularySize = graph.vocabularySize;
		this.batchInvariant = graph.batchInvariant;
		this.bytesPerToken = graph.bytesPerToken * 3;
		this.#binding = session.createBinding();
		this.#ids = new IntegerInput(graph.ids);
		this.#mask = new IntegerInput(graph.mask);
		this.#positions = new IntegerInput(graph.positions);
		this.#gather = graph.gather && new IntegerInput(graph.gather);
		this.#logits = new LogitsOutput(graph);
	}

	createCache(): KvCache {
		return new StaticKvCache(this.#graph.caches, this.#contextLength);
	}

	async step(batch: readonly BatchItem[], signal?: AbortSignal): Promise<Float32Array[][]> {
		const count = batch.length;
		const width = Math.max(...batch.map(({ tokens }) => tokens.length));
		for (const { cache, tokens } of batch) cache.reserve(cache.length + tokens.length);
		const order = this.#fill(batch);
		const ordered = order.map((index) => batch[index] as BatchItem);
		const bucket = this.#bucket;
		const binding = this.#binding;
		const ids = new Array<number>(count * width).fill(0);
		const positions = new Array<number>(count * width).fill(0);
		const total = bucket + width;
		this.#mask.data(count * total);
		this.#mask.fill(0, 0, count * total);
		for (const [index, { cache, tokens }] of ordered.entries()) {
			for (let k = 0; k < width; k++) {
				ids[index * width + k] = tokens[k] ?? 0;
				positions[index * width + k] = cache.length + Math.min(k, tokens.length - 1);
			}
			const start = index * total;
			this.#mask.fill(1, start, start + cache.length);
			this.#mask.fill(1, start + bucket, start + bucket + tokens.length);
		}
		binding.input(this.#ids.name, this.#ids.write(ids), [count, width]);
		binding.input(this.#positions.name, this.#positions.write(positions), [count, width]);
		binding.input(this.#mask.name, this.#mask.data(count * total), [count, total]);
		this.#bindCaches(count, width);
		const wanted = this.#bindLogits(binding, ordered, width);
		binding.expectWork(count * width);
		await binding.run(signal);
		for (const [index, { cache, tokens }] of ordered.entries()) {
			this.#store(index, cache as StaticKvCache, tokens.length, total);
		}
		const results: Float32Array[][] = new Array(count);
		for (const [index, { tokens, logits }] of ordered.entries()) {
			results[order[index] as number] = Array.from({ length: logits }, (_, k) => {
				const position = wanted.indexOf(tokens.length - logits + k);
				return this.#logits.at(index * wanted.length + position, count * wanted.length);
			});
		}
		return results;
	}

	/** Puts every item's cache into a slot of the shared buffers; returns the item in each slot. */
	#fill(batch: readonly BatchItem[]): number[] {
		const longest = Math.max(...batch.map(({ cache }) => cache.length), 1);
		const bucket = Math.max(minBucket, 2 ** Math.ceil(Math.log2(longest)));
		if (bucket !== this.#bucket || this.#slots.length < batch.length) {
			const places = Math.max(batch.length, this.#slots.length);
			this.#bucket = bucket;
			this.#past = this.#graph.caches.map(({ type, heads, headSize }) =>
				createData(type, places * heads * bucket * headSize),
			);
			this.#slots = new Array<SlotContents | undefined>(places).fill(undefined);
			this.#boundBatchSize = 0;
		}
		// Slots in use must be the first ones; a sequence stays in its slot if it can.
		const order = new Array<number>(batch.length).fill(-1);
		const left: number[] = [];
		for (const [index, { cache }] of batch.entries()) {
			const place = this.#slots.findIndex((one) => one?.cache === cache);
			if (place !== -1 && place < batch.length) order[place] = index;
			else left.push(index);
		}
		for (const index of left) order[order.indexOf(-1)] = index;
		for (const [place, index] of order.entries()) {
			const cache = (batch[index] as BatchItem).cache as StaticKvCache;
			const slot = this.#slots[place];
			const isCurrent =
				slot?.cache === cache &&
				slot.generation === cache.generation &&
				slot.length === cache.length;
			if (isCurrent) continue;
			this.#copyIn(place, cache);
			// Its copy in another slot is out of date from now on.
			for (const [other, one] of this.#slots.entries())
				if (one?.cache === cache) this.#slots[other] = undefined;
			this.#slots[place] = { cache, generation: cache.generation, length: cache.length };
		}
		return order;
	}

	#copyIn(place: number, cache: StaticKvCache): void {
		for (const [index, { heads, headSize }] of cache.tensors.entries()) {
			const from = cache.buffers[index] as Float32Array;
			const to = this.#past[index] as Float32Array;
			for (let head = 0; head < heads; head++) {
				const start = head * cache.capacity * headSize;
				to.set(
					from.subarray(start, start + cache.length * headSize),
					(place * heads + head) * this.#bucket * headSize,
				);
			}
		}
	}

	#bindCaches(count: number, width: number): void {
		if (this.#boundBatchSize === count && this.#boundWidth === width) return;
		const total = this.#bucket + width;
		for (const [index, { past, present, type, heads, headSize }] of this.#graph.caches.entries()) {
			const size = count * heads * total * headSize;
			const have = this.#present[index];
			const data = have !== undefined && have.length >= size ? have : createData(type, size);
			this.#present[index] = data;
			this.#binding.input(past, this.#past[index] as TensorData, [
				count,
				heads,
				this.#bucket,
				headSize,
			]);
			this.#binding.output(present, data, [count, heads, total, headSize]);
		}
		this.#boundBatchSize = count;
		this.#boundWidth = width;
	}

	/** Appends the new cells of a slot to the sequence's own cache and to the shared buffers. */
	#store(place: number, cache: StaticKvCache, tokens: number, total: number): void {
		const { length } = cache;
		for (const [index, tensor] of cache.tensors.entries()) {
			const { heads, headSize } = tensor as CacheTensor;
			const from = this.#present[index] as Float32Array;
			const own = cache.buffers[index] as Float32Array;
			const shared = this.#past[index] as Float32Array;
			const fits = length + tokens <= this.#bucket;
			for (let head = 0; head < heads; head++) {
				const start = ((place * heads + head) * total + this.#bucket) * headSize;
				const cells = from.subarray(start, start + tokens * headSize);
				own.set(cells, (head * cache.capacity + length) * headSize);
				if (fits) shared.set(cells, ((place * heads + head) * this.#bucket + length) * headSize);
			}
		}
		cache.advance(tokens);
		const slot = this.#slots[place];
		if (slot !== undefined) slot.length = length + tokens;
	}

	/** Positions (within an item's tokens) whose logits the run computes. */
	#bindLogits(binding: Binding, ordered: readonly BatchItem[], width: number): number[] {
		const { logits, vocabularySize, logitsForm, keep } = this.#graph;
		let wanted = Array.from({ length: width }, (_, position) => position);
		if (this.#gather !== undefined) {
			const positions = new Set<number>();
			for (const { tokens, logits: count } of ordered) {
				for (let k = tokens.length - count; k < tokens.length; k++) positions.add(k);
			}
			wanted = positions.size === 0 ? [0] : [...positions].sort((a, b) => a - b);
			binding.input(this.#gather.name, this.#gather.write(wanted), [wanted.length]);
		} else if (logitsForm === 'last') wanted = [width - 1];
		else if (keep !== undefined)
			binding.input(keep.name, BigInt64Array.of(0n), keep.dims.length === 0 ? [] : [1]);
		const count = ordered.length * wanted.length;
		const dims =
			logits.dims.length === 2
				? [count, vocabularySize]
				: [ordered.length, wanted.length, vocabularySize];
		binding.output(logits.name, this.#logits.allocate(count), dims);
		return wanted;
	}

	close(): void {
		this.#binding.release();
		this.#session.close();
	}
}
