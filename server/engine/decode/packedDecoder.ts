/**
 * {@link Decoder} on the packed-slots rewrite: rows of any length mix in one run, each with the
 * cache of its own sequence. A lone row runs on the serial graph. Graphs with more slots are opened
 * when they are first wanted.
 */

import { AppError } from '../../protocol/index.ts';
import { slotName, slotSeqlens, slotTokens, slotTotals } from '../onnx/packSlots.ts';
import type { Binding, Session } from '../runtime/runtime.ts';
import type { Decoder, SequenceCache, StepRow } from './decoder.ts';
import type { DecoderGraph } from './decoderGraph.ts';
import { LogitsOutput, rowsAtHead } from './logitsOutput.ts';
import { compareSteps } from './readSteps.ts';
import { SlotCache } from './slotCache.ts';
import { IntegerInput } from './tokenInputs.ts';

export interface PackedDecoderOptions {
	readonly serial: Decoder;
	readonly graph: DecoderGraph;
	readonly contextLength: number;
	/** Slot counts that can be opened, ascending. */
	readonly slotCounts: readonly number[];
	/** Opens the graph with so many slots; rejects with the reason when it cannot be used. */
	readonly openSlots: (slots: number) => Promise<Session>;
	/** Told once when a graph could not be used. */
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
	#arrived: SlotRunner | undefined;
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

	/** Rows one run can take with what is open now. */
	get maxRows(): number {
		return Math.max(1, ...this.#opened.keys());
	}

	/** Most sequences worth computing at the same time. */
	get mostSequences(): number {
		return this.#refused ? this.maxRows : Math.max(1, ...this.#options.slotCounts);
	}

	createCache(): SequenceCache {
		return this.#options.serial.createCache();
	}

	/**
	 * Starts opening the graph for so many sequences; others are served meanwhile. A graph that has
	 * been opened is compared with the serial one here, between two steps, before it is used.
	 */
	async expect(sequences: number): Promise<void> {
		if (this.#arrived !== undefined) await this.#check(this.#arrived);
		if (sequences <= this.maxRows || this.#refused || this.#closed || this.#opening) return;
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
		if (this.#arrived !== undefined) await this.#check(this.#arrived);
	}

	async #open(slots: number): Promise<void> {
		try {
			const session = await this.#options.openSlots(slots);
			if (this.#closed) session.close();
			else this.#arrived = new SlotRunner(session, this.#options.graph, slots);
		} catch (error) {
			this.#refuse(error instanceof Error ? error.message : String(error));
		}
	}

	async #check(runner: SlotRunner): Promise<void> {
		this.#arrived = undefined;
		const { serial } = this.#options;
		try {
			const differs = await compareSteps(
				serial,
				() => serial.createCache(),
				(rows) => runner.step(rows),
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

	async step(rows: readonly StepRow[], signal?: AbortSignal): Promise<Float32Array[][]> {
		if (rows.length === 1) return this.#options.serial.step(rows, signal);
		const slots = [...this.#opened.keys()]
			.sort((a, b) => a - b)
			.find((count) => count >= rows.length);
		const runner = slots === undefined ? undefined : this.#opened.get(slots);
		if (runner === undefined) {
			throw new AppError('internal', `${rows.length} rows for a decoder of ${this.maxRows}.`);
		}
		return runner.step(rows, signal);
	}

	close(): void {
		this.#closed = true;
		this.#arrived?.close();
		for (const runner of this.#opened.values()) runner.close();
		this.#opened.clear();
		this.#options.serial.close();
	}
}

/** Runs of one session with a fixed number of slots. */
export class SlotRunner {
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
	readonly #scratch: SlotCache;
	/** What every slot is bound to. */
	readonly #bound: ({ cache: SlotCache; generation: number } | undefined)[];

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
		this.#scratch = new SlotCache(graph.caches, scratchTokens);
		this.#scratch.reserve(scratchTokens);
		this.#bound = new Array(slots).fill(undefined);
	}

	async step(rows: readonly StepRow[], signal?: AbortSignal): Promise<Float32Array[][]> {
		for (const { cache, tokens } of rows) cache.reserve(cache.length + tokens.length);
		const slots = this.#place(rows);
		const ids: number[] = [];
		const positions: number[] = [];
		const wanted: number[] = [];
		const firstWanted = new Map<StepRow, number>();
		for (const [slot, row] of slots.entries()) {
			const cache = (row?.cache as SlotCache | undefined) ?? this.#scratch;
			const tokens = row?.tokens ?? [0];
			const length = row === undefined ? 0 : cache.length;
			if (row !== undefined) {
				firstWanted.set(row, wanted.length);
				for (let k = row.tokens.length - row.logits; k < row.tokens.length; k++) {
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
		const reproducible = rows.some((row) => row.reproducible);
		const atHead = rowsAtHead(wanted.length, reproducible);
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
		binding.output('logits', this.#logits.room(wanted.length), [1, wanted.length, width]);
		binding.expectWork(ids.length);
		await binding.run(signal);
		return rows.map((row) => {
			(row.cache as SlotCache).advance(row.tokens.length);
			const first = firstWanted.get(row) ?? 0;
			return Array.from({ length: row.logits }, (_, k) =>
				this.#logits.row(first + k, wanted.length),
			);
		});
	}

	/** Slot of every row; a sequence stays where it is bound, because binding costs time. */
	#place(rows: readonly StepRow[]): (StepRow | undefined)[] {
		const slots = new Array<StepRow | undefined>(this.slots).fill(undefined);
		const homeless: StepRow[] = [];
		for (const row of rows) {
			const home = this.#bound.findIndex((bound) => bound?.cache === row.cache);
			if (home === -1 || slots[home] !== undefined) homeless.push(row);
			else slots[home] = row;
		}
		for (const row of homeless) slots[slots.indexOf(undefined)] = row;
		return slots;
	}

	#bindSlot(slot: number, cache: SlotCache): void {
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
