/**
 * Continuous batching: one loop, one run in flight; sequences join and leave between runs. A
 * sequence advances only after its run succeeded, so a cancelled run is simply made again.
 */

import { AppError } from '../../protocol/index.ts';
import type { Decoder, SequenceCache, StepRow } from '../decode/decoder.ts';
import { rawLogprob } from '../sample/logprobs.ts';
import type { Sampler } from '../sample/sampler.ts';
import { type Draft, PromptLookup } from './draft.ts';
import type { Generation } from './generation.ts';
import { planRows } from './plan.ts';
import { PrefixCache } from './prefixCache.ts';
import type { SchedulerCounters, SchedulerOptions, Submission } from './schedulerOptions.ts';
import { reproducibly, Sequence } from './sequence.ts';
import { WaitingQueue } from './waitingQueue.ts';

interface Active {
	readonly generation: Generation;
	readonly samplers: readonly Sampler[];
	sequences: Sequence[];
}

export class Scheduler {
	readonly counters: SchedulerCounters = {
		promptTokens: 0,
		cachedTokens: 0,
		generatedTokens: 0,
		drafted: 0,
		accepted: 0,
	};
	readonly #decoder: Decoder;
	readonly #options: SchedulerOptions;
	readonly #waiting = new WaitingQueue<Submission>();
	readonly #prefixes = new PrefixCache();
	readonly #speculation: false | ((sequence: { readonly choice: number }) => Draft);
	#active: Active[] = [];
	/** Sequences in the order in which they get their turn. */
	#turns: Sequence[] = [];
	/** Sequences that hold a cache: also those that ended before the other choices of their request. */
	readonly #open = new Set<Sequence>();
	#looping = false;
	#closed = false;
	#run: { controller: AbortController; planned: readonly PlannedRow[] } | undefined;
	#idle: (() => void)[] = [];

	constructor(decoder: Decoder, options: SchedulerOptions) {
		this.#decoder = decoder;
		this.#options = options;
		const verifies = decoder.batchInvariant && decoder.lastLogitsOnly !== true;
		this.#speculation = options.speculation ?? (verifies ? () => new PromptLookup() : false);
	}

	get running(): number {
		return this.#active.filter(({ generation }) => !generation.settled).length;
	}

	get waiting(): number {
		return this.#waiting.size;
	}

	get openSequences(): number {
		return this.#open.size;
	}

	get cachedPrefixes(): number {
		return this.#prefixes.size;
	}

	get kvBytes(): number {
		return this.#prefixes.bytes + this.#runningBytes();
	}

	/** Queues a request; its `result` settles when it is done, cancelled or failed. */
	submit(submission: Submission): void {
		const { generation } = submission;
		const full = this.#waiting.fullOf(submission, this.#options);
		if (this.#closed)
			generation.fail(new AppError('runner_crashed', 'The model is being unloaded.'));
		else if (full !== undefined) {
			generation.fail(
				new AppError('overloaded', `The queue is full (${full} wait). Try again later.`, {
					retryAfterS: 2,
				}),
			);
		} else if (generation.signal?.aborted === true) generation.fail(new AppError('cancelled'));
		else {
			generation.signal?.addEventListener('abort', () => this.#cancel(submission), { once: true });
			this.#waiting.add(submission);
			void this.#loop();
			if (this.#turns.length >= this.#options.maxRunning || this.#waiting.size > 1) {
				generation.queued(this.#waiting.size);
			}
			return;
		}
		for (const sampler of submission.samplers) sampler.dispose();
	}

	/** Ends all requests and releases the caches; resolves when no run is in flight. */
	async close(): Promise<void> {
		this.#closed = true;
		const error = new AppError('runner_crashed', 'The model was unloaded while it was answering.');
		for (const submission of [...this.#waiting]) {
			this.#waiting.remove(submission);
			submission.generation.fail(error);
		}
		for (const { generation } of this.#active) generation.fail(error);
		this.#run?.controller.abort();
		if (this.#looping) await new Promise<void>((resolve) => this.#idle.push(resolve));
		this.#prefixes.clear();
	}

	#cancel(submission: Submission): void {
		const { generation } = submission;
		if (generation.settled) return;
		generation.fail(new AppError('cancelled'));
		if (this.#waiting.remove(submission)) {
			for (const sampler of submission.samplers) sampler.dispose();
			this.#tellPlaces();
			return;
		}
		const run = this.#run;
		if (run === undefined) return;
		// Others in the run would have to wait for it to be made again, so it is ended only when they
		// lose less than they gain.
		let useless = 0;
		let useful = 0;
		for (const { active, row } of run.planned) {
			if (active.generation.settled) useless += row.tokens.length;
			else useful += row.tokens.length;
		}
		if (useful === 0 || useless > 4 * useful) run.controller.abort();
	}

	async #loop(): Promise<void> {
		if (this.#looping) return;
		this.#looping = true;
		try {
			// Let everything that arrives in this turn of the event loop join the first run.
			await turn();
			for (;;) {
				this.#dropSettled();
				this.#admit();
				if (this.#turns.length === 0) {
					if (this.#waiting.size === 0) break;
					continue;
				}
				await this.#step();
				await turn();
			}
		} finally {
			this.#looping = false;
			for (const resolve of this.#idle.splice(0)) resolve();
		}
	}

	#dropSettled(): void {
		for (const active of this.#active) {
			if (!active.generation.settled) continue;
			for (const sequence of active.sequences) this.#leave(sequence);
			for (const sampler of active.samplers) sampler.dispose();
		}
		this.#active = this.#active.filter(({ generation }) => !generation.settled);
		const live = new Set(this.#active.flatMap(({ sequences }) => sequences));
		this.#turns = this.#turns.filter((sequence) => live.has(sequence));
	}

	/** A sequence that ends gives its cache to the prefix cache. */
	#leave(sequence: Sequence): void {
		const { owner, cache, tokens } = sequence;
		this.#open.delete(sequence);
		sequence.draft?.dispose?.();
		const keep = this.#keepsPrefixes && !this.#closed && cache.length > 0;
		if (keep) this.#prefixes.add({ owner, tokens: tokens.slice(0, cache.length), cache });
		else cache.release();
		this.#prefixes.shrink(Math.max(0, this.#options.cacheBytes - this.#runningBytes()));
	}

	get #keepsPrefixes(): boolean {
		return this.#decoder.batchInvariant && this.#options.prefixCache !== false;
	}

	#runningBytes(): number {
		return [...this.#open].reduce((sum, { cache }) => sum + cache.bytes, 0);
	}

	#admit(): void {
		for (let next = this.#waiting.peek(); next !== undefined; next = this.#waiting.peek()) {
			const { generation, samplers } = next;
			const { maxRunning, cacheBytes } = this.#options;
			const expected = Math.min(generation.maxTokens, 512) + generation.prompt.length;
			const bytes = expected * samplers.length * this.#decoder.bytesPerToken;
			const fits =
				this.#turns.length + samplers.length <= maxRunning &&
				this.#runningBytes() + bytes <= cacheBytes;
			if (!fits && this.#turns.length > 0) {
				this.#tellPlaces();
				return;
			}
			this.#waiting.shift();
			this.#prefixes.shrink(Math.max(0, cacheBytes - this.#runningBytes() - bytes));
			try {
				this.#start(next);
			} catch (error) {
				// There is no memory for the cache.
				generation.fail(error);
				for (const sampler of samplers) sampler.dispose();
			}
		}
	}

	#tellPlaces(): void {
		let place = 0;
		for (const { generation } of this.#waiting) generation.queued(++place);
	}

	#start({ generation, samplers }: Submission): void {
		generation.admitted();
		const { prompt, request } = generation;
		const limit = this.#decoder.recomputeAbove;
		const minimumTotal = limit !== undefined && prompt.length > limit ? limit + 1 : 0;
		const way = reproducibly(request.sampling, this.#decoder);
		const looksUp = this.#keepsPrefixes && request.echoLogprobs !== true && way !== 'alone';
		const known = looksUp
			? this.#prefixes.take(request.owner, prompt, minimumTotal, this.#turns, way === 'even')
			: undefined;
		const cache = known ?? this.#decoder.createCache();
		try {
			cache.reserve(prompt.length + Math.min(generation.maxTokens, 256));
		} catch (error) {
			cache.release();
			throw error;
		}
		cache.minimumTotal = minimumTotal;
		generation.cachedTokens = cache.length;
		this.counters.promptTokens += prompt.length;
		this.counters.cachedTokens += cache.length;
		const sequence = this.#sequence(generation, samplers[0] as Sampler, 0, cache);
		generation.sequences = [sequence];
		this.#active.push({ generation, samplers, sequences: generation.sequences });
		this.#turns.push(sequence);
	}

	#sequence(
		generation: Generation,
		sampler: Sampler,
		choice: number,
		cache: SequenceCache,
	): Sequence {
		const reproducible = reproducibly(generation.request.sampling, this.#decoder);
		const guesses = reproducible !== 'alone' && cache.canTruncate(Math.max(0, cache.length - 1));
		const propose = guesses && this.#speculation;
		const sequence = new Sequence({
			owner: generation.request.owner,
			choice,
			promptLength: generation.prompt.length,
			maxTokens: generation.maxTokens,
			sampler,
			cache,
			readsPrompt: generation.request.echoLogprobs === true,
			draft: propose ? propose({ choice }) : undefined,
			reproducible,
		});
		this.#open.add(sequence);
		return sequence;
	}

	async #step(): Promise<void> {
		for (const sequence of this.#turns) sequence.respectFactors(this.#decoder);
		await this.#decoder.expect?.(this.#turns.length);
		await this.#prepareDrafts();
		const rows = planRows(this.#turns, this.#decoder);
		const owner = new Map(
			this.#active.flatMap((active) =>
				active.sequences.map((sequence) => [sequence, active] as const),
			),
		);
		const planned = rows.map(({ sequence, row }) => ({
			sequence,
			row,
			active: owner.get(sequence) as Active,
		}));
		const controller = new AbortController();
		this.#run = { controller, planned };
		let logits: Float32Array[][];
		try {
			logits = await this.#decoder.step(
				planned.map(({ row }) => row),
				controller.signal,
			);
		} catch (error) {
			// A cancelled run left every cache as it was; whoever is not cancelled goes on.
			if (controller.signal.aborted && error instanceof AppError && error.code === 'cancelled')
				return;
			for (const { active } of planned) active.generation.fail(error);
			return;
		} finally {
			this.#run = undefined;
		}
		for (const [index, { sequence, active }] of planned.entries()) {
			this.#turns.splice(this.#turns.indexOf(sequence), 1);
			this.#turns.push(sequence);
			const meant = sequence.stepped(logits[index] ?? []);
			if (active.generation.settled) continue;
			try {
				this.#apply(active, sequence, meant);
			} catch (error) {
				active.generation.fail(error);
			}
		}
	}

	/** Draft models run between steps; one that fails proposes nothing. */
	async #prepareDrafts(): Promise<void> {
		for (const sequence of this.#turns) {
			if (!sequence.isDecoding) continue;
			await sequence.draft?.prepare?.(sequence.tokens).catch(() => undefined);
		}
	}

	#apply(active: Active, sequence: Sequence, logits: Float32Array[]): void {
		const { generation } = active;
		const wasPrompt = sequence.tokens.length === sequence.promptLength;
		if (wasPrompt) {
			generation.prefilled(sequence.cache.length);
			if (sequence.readsPrompt) this.#readPrompt(generation, sequence, logits);
		}
		if (sequence.pending > 0) return;
		if (generation.maxTokens === 0) generation.endAtPrompt();
		else if (wasPrompt)
			this.#startChoices(active, sequence, logits[logits.length - 1] as Float32Array);
		else this.#verify(generation, sequence, logits);
	}

	/** All choices draw their first token from the logits of the prompt they share. */
	#startChoices(active: Active, sequence: Sequence, last: Float32Array): void {
		const { generation } = active;
		for (const [index, sampler] of active.samplers.entries()) {
			if (index === 0) continue;
			const sibling = this.#sequence(generation, sampler, index, sequence.cache.fork());
			active.sequences.push(sibling);
		}
		// Drawing changes the row.
		const rows = active.sequences.map((_, index) => (index === 0 ? last : last.slice()));
		for (const [index, member] of active.sequences.entries()) {
			if (index > 0) this.#turns.push(member);
			this.#accept(generation, member, rows[index] as Float32Array);
		}
	}

	/** Draws the tokens of a step; those that were guessed right cost nothing more. */
	#verify(generation: Generation, sequence: Sequence, logits: Float32Array[]): void {
		const { drafted } = sequence;
		let accepted = 0;
		for (let k = 0; k < logits.length; k++) {
			const finished = this.#accept(generation, sequence, logits[k] as Float32Array);
			const token = sequence.tokens[sequence.tokens.length - 1];
			if (finished || k === drafted.length || token !== drafted[k]) break;
			accepted++;
		}
		if (drafted.length === 0) return;
		sequence.draft?.learn(drafted.length, accepted);
		this.counters.drafted += drafted.length;
		this.counters.accepted += accepted;
		const valid = sequence.tokens.length - 1;
		if (sequence.cache.length > valid) sequence.cache.truncate(valid);
	}

	/** Draws a token and hands it over; true when the choice has ended. */
	#accept(generation: Generation, sequence: Sequence, logits: Float32Array): boolean {
		const sample = sequence.sampler.next(logits);
		this.counters.generatedTokens++;
		const finished = generation.accept(sequence, sample);
		if (finished && !generation.settled) {
			this.#turns = this.#turns.filter((other) => other !== sequence);
		}
		return finished;
	}

	#readPrompt(generation: Generation, sequence: Sequence, logits: Float32Array[]): void {
		const first = sequence.cache.length - logits.length;
		for (const [index, values] of logits.entries()) {
			const token = generation.prompt[first + index + 1];
			if (token === undefined) continue;
			const wanted = generation.request.topLogprobs ?? 0;
			generation.promptLogprobs.push(rawLogprob(values, token, wanted));
		}
	}
}

interface PlannedRow {
	readonly sequence: Sequence;
	readonly row: StepRow;
	readonly active: Active;
}

/** One turn of the event loop: messages, aborts and new requests get in between two runs. */
function turn(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}
