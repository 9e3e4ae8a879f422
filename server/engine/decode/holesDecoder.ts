/**
 * {@link Decoder} for plain-attention graphs with `position_ids`: rows of several sequences share a
 * run over caches padded to a common size, with the unused cells masked. New keys and values come out
 * behind that size and are copied to each sequence's own end.
 */

import { AppError } from '../../protocol/index.ts';
import type { Binding, Session } from '../runtime/runtime.ts';
import { createData, type TensorData } from '../runtime/tensorType.ts';
import type { Decoder, SequenceCache, StepRow } from './decoder.ts';
import type { CacheTensor, DecoderGraph } from './decoderGraph.ts';
import { LogitsOutput } from './logitsOutput.ts';
import { SlotCache } from './slotCache.ts';
import { IntegerInput } from './tokenInputs.ts';

export interface HolesDecoderOptions {
	readonly contextLength: number;
	readonly maxRows: number;
}

const smallestBucket = 64;

/** What a row of the shared buffers holds. */
interface Occupant {
	readonly cache: SlotCache;
	generation: number;
	length: number;
}

export class HolesDecoder implements Decoder {
	readonly mode = 'holes';
	readonly maxStepTokens = 256;
	readonly maxRows: number;
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
	#occupants: (Occupant | undefined)[] = [];
	#boundRows = 0;
	#boundWidth = 0;

	constructor(session: Session, graph: DecoderGraph, options: HolesDecoderOptions) {
		if (graph.mask === undefined || graph.positions === undefined) {
			throw new AppError('internal', 'Holes need a mask and positions.');
		}
		this.#session = session;
		this.#graph = graph;
		this.#contextLength = options.contextLength;
		this.maxRows = options.maxRows;
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

	createCache(): SequenceCache {
		return new SlotCache(this.#graph.caches, this.#contextLength);
	}

	async step(rows: readonly StepRow[], signal?: AbortSignal): Promise<Float32Array[][]> {
		const count = rows.length;
		const width = Math.max(...rows.map(({ tokens }) => tokens.length));
		for (const { cache, tokens } of rows) cache.reserve(cache.length + tokens.length);
		const order = this.#fill(rows);
		const placed = order.map((index) => rows[index] as StepRow);
		const bucket = this.#bucket;
		const binding = this.#binding;
		const ids = new Array<number>(count * width).fill(0);
		const positions = new Array<number>(count * width).fill(0);
		const total = bucket + width;
		this.#mask.data(count * total);
		this.#mask.fill(0, 0, count * total);
		for (const [row, { cache, tokens }] of placed.entries()) {
			for (let k = 0; k < width; k++) {
				ids[row * width + k] = tokens[k] ?? 0;
				positions[row * width + k] = cache.length + Math.min(k, tokens.length - 1);
			}
			const start = row * total;
			this.#mask.fill(1, start, start + cache.length);
			this.#mask.fill(1, start + bucket, start + bucket + tokens.length);
		}
		binding.input(this.#ids.name, this.#ids.write(ids), [count, width]);
		binding.input(this.#positions.name, this.#positions.write(positions), [count, width]);
		binding.input(this.#mask.name, this.#mask.data(count * total), [count, total]);
		this.#bindCaches(count, width);
		const wanted = this.#bindLogits(binding, placed, width);
		binding.expectWork(count * width);
		await binding.run(signal);
		for (const [row, { cache, tokens }] of placed.entries()) {
			this.#store(row, cache as SlotCache, tokens.length, total);
		}
		const results: Float32Array[][] = new Array(count);
		for (const [row, { tokens, logits }] of placed.entries()) {
			results[order[row] as number] = Array.from({ length: logits }, (_, k) => {
				const position = wanted.indexOf(tokens.length - logits + k);
				return this.#logits.row(row * wanted.length + position, count * wanted.length);
			});
		}
		return results;
	}

	/** Puts every row's cache into the shared buffers; returns which row is where. */
	#fill(rows: readonly StepRow[]): number[] {
		const longest = Math.max(...rows.map(({ cache }) => cache.length), 1);
		const bucket = Math.max(smallestBucket, 2 ** Math.ceil(Math.log2(longest)));
		if (bucket !== this.#bucket || this.#occupants.length < rows.length) {
			const places = Math.max(rows.length, this.#occupants.length);
			this.#bucket = bucket;
			this.#past = this.#graph.caches.map(({ type, heads, headSize }) =>
				createData(type, places * heads * bucket * headSize),
			);
			this.#occupants = new Array<Occupant | undefined>(places).fill(undefined);
			this.#boundRows = 0;
		}
		// Rows in use must be the first ones; a sequence stays in its place when it can.
		const order = new Array<number>(rows.length).fill(-1);
		const left: number[] = [];
		for (const [index, { cache }] of rows.entries()) {
			const place = this.#occupants.findIndex((one) => one?.cache === cache);
			if (place !== -1 && place < rows.length) order[place] = index;
			else left.push(index);
		}
		for (const index of left) order[order.indexOf(-1)] = index;
		for (const [place, index] of order.entries()) {
			const cache = (rows[index] as StepRow).cache as SlotCache;
			const occupant = this.#occupants[place];
			const isCurrent =
				occupant?.cache === cache &&
				occupant.generation === cache.generation &&
				occupant.length === cache.length;
			if (isCurrent) continue;
			this.#copyIn(place, cache);
			// What it left where it was before is out of date from now on.
			for (const [other, one] of this.#occupants.entries())
				if (one?.cache === cache) this.#occupants[other] = undefined;
			this.#occupants[place] = { cache, generation: cache.generation, length: cache.length };
		}
		return order;
	}

	#copyIn(place: number, cache: SlotCache): void {
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
		if (this.#boundRows === count && this.#boundWidth === width) return;
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
		this.#boundRows = count;
		this.#boundWidth = width;
	}

	/** Copies the new cells of a row to the end of its sequence, here and in the shared buffers. */
	#store(row: number, cache: SlotCache, tokens: number, total: number): void {
		const { length } = cache;
		for (const [index, tensor] of cache.tensors.entries()) {
			const { heads, headSize } = tensor as CacheTensor;
			const from = this.#present[index] as Float32Array;
			const own = cache.buffers[index] as Float32Array;
			const shared = this.#past[index] as Float32Array;
			const fits = length + tokens <= this.#bucket;
			for (let head = 0; head < heads; head++) {
				const start = ((row * heads + head) * total + this.#bucket) * headSize;
				const cells = from.subarray(start, start + tokens * headSize);
				own.set(cells, (head * cache.capacity + length) * headSize);
				if (fits) shared.set(cells, ((row * heads + head) * this.#bucket + length) * headSize);
			}
		}
		cache.advance(tokens);
		const occupant = this.#occupants[row];
		if (occupant !== undefined) occupant.length = length + tokens;
	}

	/** Positions (within a row's tokens) whose logits the run computes. */
	#bindLogits(binding: Binding, placed: readonly StepRow[], width: number): number[] {
		const { logits, vocabularySize, logitsForm, keep } = this.#graph;
		let wanted = Array.from({ length: width }, (_, position) => position);
		if (this.#gather !== undefined) {
			const asked = new Set<number>();
			for (const { tokens, logits: count } of placed) {
				for (let k = tokens.length - count; k < tokens.length; k++) asked.add(k);
			}
			wanted = asked.size === 0 ? [0] : [...asked].sort((a, b) => a - b);
			binding.input(this.#gather.name, this.#gather.write(wanted), [wanted.length]);
		} else if (logitsForm === 'last') wanted = [width - 1];
		else if (keep !== undefined)
			binding.input(keep.name, BigInt64Array.of(0n), keep.dims.length === 0 ? [] : [1]);
		const rows = placed.length * wanted.length;
		const dims =
			logits.dims.length === 2
				? [rows, vocabularySize]
				: [placed.length, wanted.length, vocabularySize];
		binding.output(logits.name, this.#logits.room(rows), dims);
		return wanted;
	}

	close(): void {
		this.#binding.release();
		this.#session.close();
	}
}
