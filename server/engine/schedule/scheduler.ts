/**
 * Continuous batching: one loop, one run in flight; sequences join and leave between runs. A
 * sequence advances only after its run succeeded, so a cancelled run is simply made again.
 */

import { AppError } from '../../protocol/index.ts';
import type { BatchItem, Decoder, KvCache } from '../decode/decoder.ts';
import { rawLogprob } from '../sample/logprobs.ts';
import type { Sampler } from '../sample/sampler.ts';
import { type DraftProposer, NgramProposer } from './draftProposer.ts';
import type { Generation } from './generation.ts';
import { planBatch } from './planBatch.ts';
import { PrefixCache } from './prefixCache.ts';
import { RequestQueue } from './requestQueue.ts';
import type { SchedulerCounters, SchedulerOptions, Submission } from './schedulerOptions.ts';
import { reproducibilityMode, Sequence } from './sequence.ts';

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
	readonly #waiting = new RequestQueue<Submission>();
	readonly #prefixes = new PrefixCache();
	readonly #speculation: false | ((sequence: { readonly choice: number }) => DraftProposer);
	#active: Active[] = [];
	/** Run queue (round robin): sequences in the order in which they are served. */
	#runQueue: Sequence[] = [];
	/** Sequences that hold a cache: also those that ended before the other choices of their request. */
	readonly #open = new Set<Sequence>();
	#looping = false;
	#closed = false;
	#run: { controller: AbortController; planned: readonly PlannedItem[] } | undefined;
	#idle: (() => void)[] = [];

	constructor(decoder: Decoder, options: SchedulerOptions) {
		this.#decoder = decoder;
		this.#options = options;
		const verifies = decoder.batchInvariant && decoder.lastLogitsOnly !== true;
		this.#speculation = options.speculation ?? (verifies ? () => new NgramProposer() : false);
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
			if (this.#runQueue.length >= this.#options.maxRunning || this.#waiting.size > 1) {
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
			this.#notifyPositions();
			return;
		}
		const run = this.#run;
		if (run === undefined) return;
		// Others in the run would have to wait for it to be made again, so it is ended only when they
		// lose less than they gain.
		let useless = 0;
		let useful = 0;
		for (const { active, item } of run.planned) {
			if (active.generation.settled) useless += item.tokens.length;
			else useful += item.tokens.length;
		}
		if (useful === 0 || useless > 4 * useful) run.controller.abort();
	}

	async #loop(): Promise<void> {
		if (this.#looping) return;
		this.#looping = true;
		try {
			// Let everything that arrives in this turn of the event loop join the first run.
			await nextMacrotask();
			for (;;) {
				this.#dropSettled();
				this.#admit();
				if (this.#runQueue.length === 0) {
					if (this.#waiting.size === 0) break;
					continue;
				}
				await this.#step();
				await nextMacrotask();
			}
		} finally {
			this.#looping = false;
			for (const resolve of this.#idle.splice(0)) resolve();
		}
	}

	#dropSettled(): void {
		for (const active of this.#active) {
			if (!active.generation.settled) continue;
			for (const sequence of active.sequences) this.#retire(sequence);
			for (const sampler of active.samplers) sampler.dispose();
		}
		this.#active = this.#active.filter(({ generation }) => !generation.settled);
		const live = new Set(this.#active.flatMap(({ sequences }) => sequences));
		this.#runQueue = this.#runQueue.filter((sequence) => live.has(sequence));
	}

	/** The cache of a sequence that has ended goes to the prefix cache. */
	#retire(sequence: Sequence): void {
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
				this.#runQueue.length + samplers.length <= maxRunning &&
				this.#runningBytes() + bytes <= cacheBytes;
			if (!fits && this.#runQueue.length > 0) {
				this.#notifyPositions();
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

	#notifyPositions(): void {
		let position = 0;
		for (const { generation } of this.#waiting) generation.queued(++position);
	}

	#start({ generation, samplers }: Submission): void {
		generation.admitted();
		const { prompt, request } = generation;
		const limit = this.#decoder.longRopeThreshold;
		const ropeTotalLength = limit !== undefined && prompt.length > limit ? limit + 1 : 0;
		const mode = reproducibilityMode(request.sampling, this.#decoder);
		const looksUp = this.#keepsPrefixes && request.echoLogprobs !== true && mode !== 'alone';
		const known = looksUp
			? this.#prefixes.take(request.owner, prompt, ropeTotalLength, this.#runQueue, mode === 'even')
			: undefined;
		const cache = known ?? this.#decoder.createCache();
		try {
			cache.reserve(prompt.length + Math.min(generation.maxTokens, 256));
		} catch (error) {
			cache.release();
			throw error;
		}
		cache.ropeTotalLength = ropeTotalLength;
		generation.cachedTokens = cache.length;
		this.counters.promptTokens += prompt.length;
		this.counters.cachedTokens += cache.length;
		const sequence = this.#sequence(generation, samplers[0] as Sampler, 0, cache);
		generation.sequences = [sequence];
		this.#active.push({ generation, samplers, sequences: generation.sequences });
		this.#runQueue.push(sequence);
	}

	#sequence(generation: Generation, sampler: Sampler, choice: number, cache: KvCache): Sequence {
		const reproducible = reproducibilityMode(generation.request.sampling, this.#decoder);
		const speculates = reproducible !== 'alone' && cache.canTruncate(Math.max(0, cache.length - 1));
		const propose = speculates && this.#speculation;
		const sequence = new Sequence({
			owner: generation.request.owner,
			choice,
			promptLength: generation.prompt.length,
			maxTokens: generation.maxTokens,
			sampler,
			cache,
			wantsPromptLogprobs: generation.request.echoLogprobs === true,
			draft: propose ? propose({ choice }) : undefined,
			reproducible,
		});
		this.#open.add(sequence);
		return sequence;
	}

	async #step(): Promise<void> {
		for (const sequence of this.#runQueue) sequence.switchRopeFactors(this.#decoder);
		await this.#decoder.prepareForBatchSize?.(this.#runQueue.length);
		await this.#prepareDrafts();
		const batch = planBatch(this.#runQueue, this.#decoder);
		const owner = new Map(
			this.#active.flatMap((active) =>
				active.sequences.map((sequence) => [sequence, active] as const),
			),
		);
		const planned = batch.map(({ sequence, item }) => ({
			sequence,
			item,
			active: owner.get(sequence) as Active,
		}));
		const controller = new AbortController();
		this.#run = { controller, planned };
		let logits: Float32Array[][];
		try {
			logits = await this.#decoder.step(
				planned.map(({ item }) => item),
				controller.signal,
			);
		} catch (error) {
			// A cancelled run leaves every cache as it was; the other requests continue.
			if (controller.signal.aborted && error instanceof AppError && error.code === 'cancelled')
				return;
			for (const { active } of planned) active.generation.fail(error);
			return;
		} finally {
			this.#run = undefined;
		}
		for (const [index, { sequence, active }] of planned.entries()) {
			this.#runQueue.splice(this.#runQueue.indexOf(sequence), 1);
			this.#runQueue.push(sequence);
			const meant = sequence.afterStep(logits[index] ?? []);
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
		for (const sequence of this.#runQueue) {
			if (!sequence.isDecoding) continue;
			await sequence.draft?.prepare?.(sequence.tokens).catch(() => undefined);
		}
	}

	#apply(active: Active, sequence: Sequence, logits: Float32Array[]): void {
		const { generation } = active;
		const wasPrompt = sequence.tokens.length === sequence.promptLength;
		if (wasPrompt) {
			generation.prefilled(sequence.cache.length);
			if (sequence.wantsPromptLogprobs) this.#collectPromptLogprobs(generation, sequence, logits);
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
			const cache = sequence.cache.fork();
			active.sequences.push(this.#sequence(generation, sampler, index, cache));
		}
		// Sampling changes the logits.
		const logits = active.sequences.map((_, index) => (index === 0 ? last : last.slice()));
		for (const [index, member] of active.sequences.entries()) {
			if (index > 0) this.#runQueue.push(member);
			this.#accept(generation, member, logits[index] as Float32Array);
		}
	}

	/** Samples the tokens of a step; drafted tokens that agree are accepted at no further cost. */
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
			this.#runQueue = this.#runQueue.filter((other) => other !== sequence);
		}
		return finished;
	}

	#collectPromptLogprobs(generation: Generation, sequence: Sequence, logits: Float32Array[]): void {
		const first = sequence.cache.length - logits.length;
		for (const [index, values] of logits.entries()) {
			const token = generation.prompt[first + index + 1];
			if (token === undefined) continue;
			const wanted = generation.request.topLogprobs ?? 0;
			generation.promptLogprobs.push(rawLogprob(values, token, wanted));
		}
	}
}

interface PlannedItem {
	readonly sequence: Sequence;
	readonly item: BatchItem;
	readonly active: Active;
}

/** Lets the event loop turn: messages, aborts and new requests are handled between two runs. */
function nextMacrotask(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}
