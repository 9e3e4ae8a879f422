/**
 * Continuous batching: one loop of `schedule() → plan → update()`, one run in flight; sequences join and leave
 * between runs. A sequence advances only after its run succeeded, so a cancelled run is simply made again.
 */

import { AppError } from '../../protocol/index.ts';
import type { Decoder } from '../decode/decoder.ts';
import { RequestQueue, usualLimits } from '../queue/requestQueue.ts';
import type { Sampler } from '../sample/sampler.ts';
import { BackgroundYield } from './backgroundYield.ts';
import type { Generation } from './generation.ts';
import { fairOrder, type PlannedItem, planBatch } from './planBatch.ts';
import type { SchedulerCounters, SchedulerOptions, Submission } from './schedulerOptions.ts';
import type { Sequence } from './sequence.ts';
import { SequenceStore } from './sequenceStore.ts';
import { StepPace } from './stepPace.ts';

/** Part of the caches that people may fill who have something running already; the rest is for others. */
const sharedPart = 7 / 8;

interface Active {
	readonly generation: Generation;
	readonly samplers: readonly Sampler[];
	sequences: Sequence[];
}

interface PlanEntry extends PlannedItem {
	readonly active: Active;
}

/** What the next run computes. */
type Plan = readonly PlanEntry[];

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
	readonly #waiting: RequestQueue<Submission>;
	readonly #store: SequenceStore;
	readonly #pace = new StepPace();
	readonly #background = new BackgroundYield();
	#active: Active[] = [];
	/** Run queue (round robin): sequences in the order in which they are served. */
	#runQueue: Sequence[] = [];
	/** Step that computed something for a person last; of those who have something running. */
	readonly #servedAt = new Map<string | undefined, number>();
	#steps = 0;
	/** Sequences that have had a run. */
	readonly #served = new WeakSet<Sequence>();
	/** Requests that somebody waits for, so far. */
	#comers = 0;
	#looping = false;
	#closed = false;
	#run: { controller: AbortController; plan: Plan; endsAt: number } | undefined;
	#idle: (() => void)[] = [];

	constructor(decoder: Decoder, options: SchedulerOptions) {
		this.#decoder = decoder;
		this.#options = options;
		this.#waiting = options.queue ?? new RequestQueue({ ...usualLimits, unit: 'tokens' });
		this.#store = new SequenceStore(decoder, options);
	}

	get running(): number {
		return this.#active.filter(({ generation }) => !generation.settled).length;
	}

	get waiting(): number {
		return this.#waiting.size;
	}

	get openSequences(): number {
		return this.#store.openSequences;
	}

	get cachedPrefixes(): number {
		return this.#store.cachedPrefixes;
	}

	get kvBytes(): number {
		return this.#store.bytes;
	}

	/** Somebody's request is being read: until that is disposed, background work makes room for it. */
	expect(): Disposable {
		this.#background.makeWay(this.#run);
		return this.#background.expect();
	}

	/** Queues a request; its `result` settles when it is done, cancelled or failed. */
	submit(submission: Submission): void {
		const { generation, samplers } = submission;
		const refusal = this.#refusalOf(submission);
		if (refusal !== undefined) {
			generation.fail(refusal);
			for (const sampler of samplers) sampler.dispose();
			return;
		}
		generation.signal?.addEventListener('abort', () => this.#cancel(submission), { once: true });
		this.#waiting.add(submission);
		if (submission.priority === 'interactive') {
			this.#comers++;
			this.#background.came(this.#run);
		}
		void this.#loop();
		if (this.#runQueue.length >= this.#options.maxRunning || this.#waiting.size > 1)
			this.#notifyPositions();
	}

	#refusalOf(submission: Submission): AppError | undefined {
		if (this.#closed) return new AppError('runner_crashed', 'The model is being unloaded.');
		if (submission.generation.signal?.aborted === true) return new AppError('cancelled');
		return this.#waiting.refusal(submission);
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
		this.#store.clear();
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
		for (const { active, item } of run.plan) {
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
			while (this.#takesRequests()) {
				if (this.#runQueue.length === 0 || (await this.#background.waits(this.#runQueue))) continue;
				const comers = this.#comers;
				const plan = await this.#schedule();
				// Whoever has come meanwhile could not end a run that had not begun.
				if (comers !== this.#comers && plan.every(({ sequence }) => sequence.isBackground))
					continue;
				const logits = await this.#compute(plan);
				if (logits !== undefined) this.#update(plan, logits);
				await nextMacrotask();
			}
		} finally {
			this.#looping = false;
			for (const resolve of this.#idle.splice(0)) resolve();
		}
	}

	/** Lets requests go that have ended and others come; false when there is nothing to do. */
	#takesRequests(): boolean {
		this.#dropSettled();
		this.#admit();
		return this.#runQueue.length > 0 || this.#waiting.size > 0;
	}

	#dropSettled(): void {
		for (const active of this.#active) {
			if (!active.generation.settled) continue;
			for (const sequence of active.sequences) this.#store.retire(sequence, !this.#closed);
			for (const sampler of active.samplers) sampler.dispose();
		}
		this.#active = this.#active.filter(({ generation }) => !generation.settled);
		const live = new Set(this.#active.flatMap(({ sequences }) => sequences));
		this.#runQueue = this.#runQueue.filter((sequence) => live.has(sequence));
		const owners = new Set(this.#runQueue.map(({ owner }) => owner));
		for (const owner of this.#servedAt.keys()) if (!owners.has(owner)) this.#servedAt.delete(owner);
	}

	#admit(): void {
		for (let next = this.#nextAdmitted(); next !== undefined; next = this.#nextAdmitted()) {
			const { generation, samplers } = next;
			this.#waiting.take(next);
			this.#store.makeRoom(this.#store.bytesOf(generation, samplers.length));
			try {
				this.#start(next);
			} catch (error) {
				// There is no memory for the cache.
				generation.fail(error);
				for (const sampler of samplers) sampler.dispose();
			}
		}
		if (this.#waiting.size > 0) this.#notifyPositions();
	}

	/** Who is let in: the next in turn where there is room, else the first of whom nothing runs, whoever fills the server. */
	#nextAdmitted(): Submission | undefined {
		const next = this.#waiting.peek();
		if (next === undefined || this.#runQueue.length === 0 || this.#fits(next)) return next;
		const running = new Set(this.#runQueue.map(({ owner }) => owner));
		// Background work that has its turn while others of it run waits for those alone, and keeps nobody out.
		const isServed =
			next.priority === 'batch' && this.#runQueue.some(({ isBackground }) => isBackground);
		for (const other of this.#waiting)
			if (other.priority === 'interactive' && (isServed || !running.has(other.owner)))
				if (this.#fits(other)) return other;
		return undefined;
	}

	/** Background work that runs keeps nobody out whom somebody waits for. */
	#fits({ generation, samplers, owner, priority }: Submission): boolean {
		const all = this.#runQueue;
		const others = priority === 'batch' ? all : all.filter(({ isBackground }) => !isBackground);
		const isNew = !others.some((sequence) => sequence.owner === owner);
		const { maxRunning } = this.#options;
		const bytes = this.#store.bytesOf(generation, samplers.length);
		return (
			others.length + samplers.length <= (isNew ? 2 : 1) * maxRunning &&
			this.#store.hasRoom(bytes, isNew ? 1 : sharedPart)
		);
	}

	#notifyPositions(): void {
		let position = 0;
		for (const { generation } of this.#waiting) generation.queued(++position);
	}

	#start({ generation, samplers }: Submission): void {
		generation.admitted();
		const sequence = this.#store.start(generation, samplers[0] as Sampler, this.#runQueue);
		generation.cachedTokens = sequence.cache.length;
		this.counters.promptTokens += generation.prompt.length;
		this.counters.cachedTokens += sequence.cache.length;
		generation.sequences = [sequence];
		this.#active.push({ generation, samplers, sequences: generation.sequences });
		this.#runQueue.splice(this.#placeOf(generation), 0, sequence);
	}

	/** A newcomer that somebody waits for goes before all that have had a turn, behind other newcomers. */
	#placeOf({ request }: Generation): number {
		const first = this.#runQueue.findIndex((sequence) => this.#served.has(sequence));
		return request.priority === 'batch' || first === -1 ? this.#runQueue.length : first;
	}

	/** What the next run computes, of all that runs. */
	async #schedule(): Promise<Plan> {
		for (const sequence of this.#runQueue) sequence.switchRopeFactors(this.#decoder);
		await this.#decoder.prepareForBatchSize?.(this.#runQueue.length);
		await this.#prepareDrafts();
		const owner = new Map(
			this.#active.flatMap((active) =>
				active.sequences.map((sequence) => [sequence, active] as const),
			),
		);
		const able = this.#background.choose(this.#runQueue, this.#decoder.maxBatchSize);
		const order = fairOrder(able, this.#servedAt);
		return planBatch(order, this.#decoder, this.#pace.sharedTokens).map((planned) => ({
			...planned,
			active: owner.get(planned.sequence) as Active,
		}));
	}

	/** Logits of every item; `undefined` when nothing has come of the run. */
	async #compute(plan: Plan): Promise<Float32Array[][] | undefined> {
		const controller = new AbortController();
		const items = plan.map(({ item }) => item);
		const tokens = items.reduce((sum, item) => sum + item.tokens.length, 0);
		const began = performance.now();
		this.#run = { controller, plan, endsAt: began + this.#pace.expectedMs(tokens) };
		try {
			const logits = await this.#decoder.step(items, controller.signal);
			this.#pace.learn(tokens, performance.now() - began);
			this.#background.ran();
			return logits;
		} catch (error) {
			const isCancelled = error instanceof AppError && error.code === 'cancelled';
			// A cancelled run leaves every cache as it was; the other requests continue.
			if (!controller.signal.aborted || !isCancelled)
				for (const { active } of plan) active.generation.fail(error);
			return undefined;
		} finally {
			this.#run = undefined;
		}
	}

	/** Takes what a run has computed: every sequence of the plan advances. */
	#update(plan: Plan, logits: readonly Float32Array[][]): void {
		this.#steps++;
		for (const [index, { sequence, active }] of plan.entries()) {
			this.#servedAt.set(sequence.owner, this.#steps);
			this.#runQueue.splice(this.#runQueue.indexOf(sequence), 1);
			this.#runQueue.push(sequence);
			this.#served.add(sequence);
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
			if (sequence.wantsPromptLogprobs) generation.takePromptLogits(sequence, logits);
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
			active.sequences.push(this.#store.open(generation, sampler, index, cache));
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
}

/** Lets the event loop turn: messages, aborts and new requests are handled between two runs. */
function nextMacrotask(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}
