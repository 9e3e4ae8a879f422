/**
 * {@link Decoder} on the packed-slots rewrite: sequences of any length mix in one run, each with
 * its own KV cache. A single sequence runs on the serial graph. Graphs with more slots are opened
 * when they are first wanted.
 */

import { AppError } from '../../protocol/index.ts';
import type { KvCache } from '../kv/kvCache.ts';
import { StaticKvCache } from '../kv/staticKvCache.ts';
import { slotName, slotSeqlens, slotTokens, slotTotals } from '../onnx/packSlots.ts';
import { IntegerInput } from '../runtime/integerInput.ts';
import type { Binding, Session } from '../runtime/runtime.ts';
import type { BatchItem, Decoder } from './decoder.ts';
import type { DecoderGraph } from './decoderGraph.ts';
import { LogitsOutput, logitsToCompute } from './logitsOutput.ts';
import { compareSteps } from './readSteps.ts';

export interface PackedDecoderOptions {
	readonly serial: Decoder;
	readonly graph: DecoderGraph;
	readonly contextLength: number;
	/** Slot counts that can be opened, ascending. */
	readonly slotCounts: readonly number[];
	/** Opens the graph with so many slots; rejects with the reason when it cannot be used. */
	readonly openSlots: (slots: number) => Promise<Session>;
	/** Called once if a graph could not be used. */
	readonly onRefused: (reason: string) => void;
}

/** Scratch cache of slots without work. */
const scratchTokens = 8;

export class PackedDecoder implements Decoder {
	readonly mode = 'packed';
	readonly vocabularySize: number;
	readonly maxStepTokens: number;
	readonly batchInvariant: boolean;
	readonly bitwiseInvariant: boolean;
	readonly bytesPerToken: number;
	readonly #options: PackedDecoderOptions;
	readonly #opened = new Map<number, SlotRunner>();
	#opening: Promise<void> | undefined;
	/** Open, but not compared with the serial graph yet. */
	#unchecked: SlotRunner | undefined;
	#refused = false;
	#closed = false;

	constructor(options: PackedDecoderOptions) {
		this.#options = options;
		this.vocabularySize = options.serial.vocabularySize;
		this.maxStepTokens = options.serial.maxStepTokens;
		this.batchInvariant = options.serial.batchInvariant;
		this.bitwiseInvariant = options.serial.bitwiseInvariant === true;
		this.bytesPerToken = options.serial.bytesPerToken;
	}

	/** Maximum items of a run with the graphs that are open now. */
	get maxBatchSize(): number {
		return Math.max(1, ...this.#opened.keys());
	}

	/** Maximum sequences worth computing at the same time. */
	get maxSequences(): number {
		return this.#refused ? this.maxBatchSize : Math.max(1, ...this.#options.slotCounts);
	}

	createCache(): KvCache {
		return this.#options.serial.createCache();
	}

	/**
	 * Starts opening the graph for so many sequences; others are served meanwhile. A graph that has
	 * been opened is compared with the serial one here, between two steps, before it is used.
	 */
	async prepareForBatchSize(sequences: number): Promise<void> {
		if (this.#unchecked !== undefined) await this.#check(this.#unchecked);
		if (sequences <= this.maxBatchSize || this.#refused || this.#closed || this.#opening) return;
		const counts = this.#options.slotCounts;
		const slots = counts.find((count) => count >= sequences) ?? counts[counts.length - 1];
		if (slots === undefined || this.#opened.has(slots)) return;
		this.#opening = this.#open(slots).finally(() => {
			this.#opening = undefined;
		});
	}

	/** Waits for a graph that is being opened and checks it: for callers that run nothing meanwhile. */
	async ready(): Promise<void> {
		await this.#opening;
		if (this.#unchecked !== undefined) await this.#check(this.#unchecked);
	}

	async #open(slots: number): Promise<void> {
		try {
			const session = await this.#options.openSlots(slots);
			if (this.#closed) session.close();
			else this.#unchecked = new SlotRunner(session, this.#options.graph, slots);
		} catch (error) {
			this.#refuse(error instanceof Error ? error.message : String(error));
		}
	}

	async #check(runner: SlotRunner): Promise<void> {
		this.#unchecked = undefined;
		const { serial } = this.#options;
		try {
			const differs = await compareSteps(
				serial,
				() => serial.createCache(),
				(batch) => runner.step(batch),
			);
			if (differs === undefined) {
				this.#opened.set(runner.slots, runner);
				return;
			}
			this.#refuse(`${differs} with packed slots`);
		} catch (error) {
			this.#refuse(error instanceof Error ? error.message : String(error));
		}
		runner.close();
	}

	#refuse(reason: string): void {
		this.#refused = true;
		this.#options.onRefused(reason);
	}

	async step(batch: readonly BatchItem[], signal?: AbortSignal): Promise<Float32Array[][]> {
		if (batch.length === 1) return this.#options.serial.step(batch, signal);
		const slots = [...this.#opened.keys()]
			.sort((a, b) => a - b)
			.find((count) => count >= batch.length);
		const runner = slots === undefined ? undefined : this.#opened.get(slots);
		if (runner === undefined) {
			throw new AppError(
				'internal',
				`${batch.length} items for a decoder of ${this.maxBatchSize}.`,
			);
		}
		return runner.step(batch, signal);
	}

	close(): void {
		this.#closed = true;
		this.#unchecked?.close();
		for (const runner of this.#opened.values()) runner.close();
		this.#opened.clear();
		this.#options.serial.close();
	}
}

/** Runs of one session with a fixed number of slots. */
class SlotRunner {
	readonly #session: Session;
	readonly #graph: DecoderGraph;
	readonly slots: number;
	readonly #binding: Binding;
	readonly #ids: IntegerInput;
	readonly #positions: IntegerInput | undefined;
	readonly #index = new BigInt64Array(4096);
	readonly #tokens: BigInt64Array;
	readonly #seqlens: Int32Array;
	readonly #totals: Int32Array;
	readonly #logits: LogitsOutput;
	readonly #scratch: StaticKvCache;
	/** What every slot is bound to. */
	readonly #bound: ({ cache: StaticKvCache; generation: number } | undefined)[];

	constructor(session: Session, graph: DecoderGraph, slots: number) {
		this.#session = session;
		this.#graph = graph;
		this.slots = slots;
		this.#binding = session.createBinding();
		this.#ids = new IntegerInput(graph.ids);
		const positions = session.inputs.get('position_ids');
		this.#positions = positions && new IntegerInput(positions);
		this.#tokens = new BigInt64Array(slots);
		this.#seqlens = new Int32Array(slots);
		this.#totals = new Int32Array(slots);
		this.#logits = new LogitsOutput(graph);
		this.#scratch = new StaticKvCache(graph.caches, scratchTokens);
		this.#scratch.reserve(scratchTokens);
		this.#bound = new Array(slots).fill(undefined);
	}

	async step(batch: readonly BatchItem[], signal?: AbortSignal): Promise<Float32Array[][]> {
		for (const { cache, tokens } of batch) cache.reserve(cache.length + tokens.length);
		const slots = this.#place(batch);
		const ids: number[] = [];
		const positions: number[] = [];
		const wanted: number[] = [];
		const firstWanted = new Map<BatchItem, number>();
		for (const [slot, item] of slots.entries()) {
			const cache = (item?.cache as StaticKvCache | undefined) ?? this.#scratch;
			const tokens = item?.tokens ?? [0];
			const length = item === undefined ? 0 : cache.length;
			if (item !== undefined) {
				firstWanted.set(item, wanted.length);
				for (let k = item.tokens.length - item.logits; k < item.tokens.length; k++) {
					wanted.push(ids.length + k);
				}
			}
			for (const [index, token] of tokens.entries()) {
				ids.push(token);
				positions.push(length + index);
			}
			this.#tokens[slot] = BigInt(tokens.length);
			this.#totals[slot] = length + tokens.length;
			this.#seqlens[slot] = length + tokens.length - 1;
			this.#bindSlot(slot, cache);
		}
		const reproducible = batch.some((item) => item.reproducible);
		const atHead = logitsToCompute(wanted.length, reproducible);
		while (wanted.length < atHead) wanted.push(0);
		const binding = this.#binding;
		binding.input('input_ids', this.#ids.write(ids), [1, ids.length]);
		if (this.#positions !== undefined) {
			binding.input('position_ids', this.#positions.write(positions), [1, ids.length]);
		}
		binding.input(slotTokens, this.#tokens, [this.slots]);
		binding.input(slotSeqlens, this.#seqlens, [this.slots]);
		binding.input(slotTotals, this.#totals, [this.slots]);
		for (const [k, index] of wanted.entries()) this.#index[k] = BigInt(index);
		binding.input('logits_index', this.#index, [wanted.length]);
		const width = this.#graph.vocabularySize;
		binding.output('logits', this.#logits.allocate(wanted.length), [1, wanted.length, width]);
		binding.expectWork(ids.length);
		await binding.run(signal);
		return batch.map((item) => {
			(item.cache as StaticKvCache).advance(item.tokens.length);
			const first = firstWanted.get(item) ?? 0;
			return Array.from({ length: item.logits }, (_, k) =>
				this.#logits.at(first + k, wanted.length),
			);
		});
	}

	/** Slot of every item; a sequence stays in the slot it is bound to, because binding costs time. */
	#place(batch: readonly BatchItem[]): (BatchItem | undefined)[] {
		const slots = new Array<BatchItem | undefined>(this.slots).fill(undefined);
		const homeless: BatchItem[] = [];
		for (const item of batch) {
			const home = this.#bound.findIndex((bound) => bound?.cache === item.cache);
			if (home === -1 || slots[home] !== undefined) homeless.push(item);
			else slots[home] = item;
		}
		for (const item of homeless) slots[slots.indexOf(undefined)] = item;
		return slots;
	}

	#bindSlot(slot: number, cache: StaticKvCache): void {
		const bound = this.#bound[slot];
		if (bound?.cache === cache && bound.generation === cache.generation) return;
		for (const [index, { past, present, heads, headSize }] of cache.tensors.entries()) {
			const data = cache.buffers[index];
			if (data === undefined) throw new AppError('internal', 'A released cache was fed.');
			const dims = [1, heads, cache.capacity, headSize];
			this.#binding.input(slotName(past, slot), data, dims);
			this.#binding.output(slotName(present, slot), data, dims);
		}
		this.#bound[slot] = { cache, generation: cache.generation };
	}

	close(): void {
		this.#binding.release();
		this.#session.close();
	}
}
