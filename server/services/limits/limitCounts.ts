/**
 * Counts what people use against their limits: in this process, kept over restarts by whoever is told of it, or
 * together with other replicas in a shared store. While that store is away each replica counts by itself, from what
 * was known last, and adds it when the store is back.
 */

import { randomUUID } from 'node:crypto';
import type { Store } from '../../gateway/store/store.ts';
import { AppError } from '../../protocol/index.ts';
import type { Amounts, Limit } from '../../protocol/limitTypes.ts';
import type { ForwardClock } from './forwardClock.ts';
import {
	advanced,
	type CountState,
	emptyCounts,
	judge,
	type LimitJudgement,
	mergedUse,
	type Standing,
	standingsOf,
	withHold,
	withUse,
} from './slidingCounts.ts';

/** Where states outlast this process. */
export interface PersistedCounts {
	/** @throws AppError `store_unavailable` */
	load(person: string): CountState | undefined;
	/** Told the new state after each use; written soon. */
	changed(person: string, state: CountState): void;
}

export interface Reservation {
	readonly verdict: LimitJudgement;
	/** Absent where it was refused. */
	readonly id?: string;
}

/** What is added to a reservation. */
export interface HoldExtension {
	readonly more: Amounts;
	/** Of `more`, what is needed at least; default: all. */
	readonly min?: Amounts | undefined;
	/** Of what is reserved, what has been used by now: from here on it leaves its windows with the time. */
	readonly spent?: Amounts | undefined;
}

export interface LimitCounts {
	readonly clock: ForwardClock;
	/** Reserves what fits, see `judge`. */
	reserve(
		person: string,
		limits: readonly Limit[],
		wanted: Amounts,
		min?: Amounts,
	): Promise<Reservation>;
	/** Adds what fits to a reservation; what was reserved before and is not spent stays. */
	extend(
		person: string,
		limits: readonly Limit[],
		id: string,
		extension: HoldExtension,
	): Promise<LimitJudgement>;
	/** Ends a reservation with what was used. Never rejects. */
	settle(person: string, id: string | undefined, used: Amounts): Promise<void>;
	standings(person: string, limits: readonly Limit[]): Promise<readonly Standing[]>;
	/** Forgets a person. */
	forget(person: string): Promise<void>;
	/** Whether other replicas' use is known at this moment; always true without replicas. */
	readonly isShared: boolean;
}

type Change<T> = (
	state: CountState,
	nowMs: number,
) => { readonly next?: CountState; readonly result: T };

/** One change after the other for each person, wherever the state is. */
abstract class OrderedCounts {
	readonly clock: ForwardClock;
	readonly #queues = new Map<string, Promise<unknown>>();

	constructor(clock: ForwardClock) {
		this.clock = clock;
	}

	abstract readonly isShared: boolean;
	protected abstract change<T>(person: string, work: Change<T>): Promise<T>;

	protected inOrder<T>(person: string, work: () => Promise<T>): Promise<T> {
		const before = this.#queues.get(person) ?? Promise.resolve();
		const done = before.then(work, work);
		const quiet = done.then(
			() => {},
			() => {},
		);
		this.#queues.set(person, quiet);
		void quiet.then(() => {
			if (this.#queues.get(person) === quiet) this.#queues.delete(person);
		});
		return done;
	}

	reserve(
		person: string,
		limits: readonly Limit[],
		wanted: Amounts,
		min: Amounts = {},
	): Promise<Reservation> {
		const id = randomUUID();
		return this.change<Reservation>(person, (state, nowMs) => {
			const verdict = judge(state, limits, wanted, min, nowMs);
			if (verdict.kind === 'refused') return { result: { verdict } };
			const next = withHold(state, id, verdict.granted, nowMs);
			const standings = standingsOf(next, limits, nowMs);
			return { next, result: { verdict: { ...verdict, standings }, id } };
		});
	}

	extend(
		person: string,
		limits: readonly Limit[],
		id: string,
		{ more, min = {}, spent = {} }: HoldExtension,
	): Promise<LimitJudgement> {
		return this.change<LimitJudgement>(person, (found, nowMs) => {
			const before = difference(found.held[id]?.amounts ?? {}, spent);
			const state = withHold(withUse(found, id, spent, nowMs), id, before, nowMs);
			const verdict = judge(state, limits, more, min, nowMs);
			if (verdict.kind === 'refused') return { next: state, result: verdict };
			const next = withHold(state, id, sum(before, verdict.granted), nowMs);
			return { next, result: { ...verdict, standings: standingsOf(next, limits, nowMs) } };
		});
	}

	async settle(person: string, id: string | undefined, used: Amounts): Promise<void> {
		await this.change(person, (state, nowMs) => ({
			next: withUse(state, id, used, nowMs),
			result: undefined,
		})).catch(() => {});
	}

	standings(person: string, limits: readonly Limit[]): Promise<readonly Standing[]> {
		return this.change(person, (state, nowMs) => ({ result: standingsOf(state, limits, nowMs) }));
	}
}

function sum(left: Amounts, right: Amounts): Amounts {
	const all = new Map(Object.entries(left));
	for (const [unit, amount] of Object.entries(right)) all.set(unit, (all.get(unit) ?? 0) + amount);
	return Object.fromEntries(all);
}

function difference(left: Amounts, right: Amounts): Amounts {
	const all = new Map(Object.entries(left));
	for (const [unit, amount] of Object.entries(right))
		all.set(unit, Math.max(0, (all.get(unit) ?? 0) - amount));
	return Object.fromEntries(all);
}

/** People whose states are in memory; of others the kept ones are read again. */
const maxPeople = 10_000;

/** Counts of this process. */
export class LocalCounts extends OrderedCounts implements LimitCounts {
	readonly isShared = true;
	readonly #kept: PersistedCounts | undefined;
	readonly #states = new Map<string, CountState>();

	constructor(clock: ForwardClock, kept?: PersistedCounts) {
		super(clock);
		this.#kept = kept;
	}

	async change<T>(person: string, work: Change<T>): Promise<T> {
		const nowMs = this.clock.now();
		const known = this.#states.get(person) ?? this.#kept?.load(person) ?? emptyCounts;
		const state = advanced(known, nowMs);
		const { next = state, result } = work(state, nowMs);
		this.#states.delete(person);
		this.#states.set(person, next);
		if (next.used !== state.used) this.#kept?.changed(person, next);
		this.#dropIdle();
		return result;
	}

	/** What is known of a person here is replaced. */
	learn(person: string, state: CountState): void {
		this.#states.set(person, state);
	}

	async forget(person: string): Promise<void> {
		this.#states.delete(person);
	}

	#dropIdle(): void {
		if (this.#states.size <= maxPeople) return;
		const idle = [...this.#states].find(([, { held }]) => Object.keys(held).length === 0);
		if (idle !== undefined) this.#states.delete(idle[0]);
	}
}

/** Answers of the store that were overtaken by another replica's, one after the other, before it is given up. */
const maxTries = 50;
const keptMs = 25 * 3_600_000;
/** A store that has failed is left alone this long. */
const pauseMs = 3000;

/** What {@link SharedCounts} need of a store. */
export type CountStore = Pick<Store, 'get' | 'replace' | 'lock' | 'delete'>;

/** Counts of all replicas together. */
export class SharedCounts extends OrderedCounts implements LimitCounts {
	readonly #store: CountStore;
	readonly #here: LocalCounts;
	/** Used while the store was away. */
	readonly #unsent = new Map<string, CountState>();
	readonly #report: (failure: string | undefined) => void;
	#isShared = true;
	#failedAt = Number.NEGATIVE_INFINITY;

	/** @param report told once when the store is away, and once when it is back */
	constructor(
		store: CountStore,
		clock: ForwardClock,
		report: (failure: string | undefined) => void = () => {},
	) {
		super(clock);
		this.#store = store;
		this.#here = new LocalCounts(clock);
		this.#report = report;
	}

	get isShared(): boolean {
		return this.#isShared;
	}

	protected change<T>(person: string, work: Change<T>): Promise<T> {
		return this.inOrder(person, async () => {
			if (performance.now() - this.#failedAt < pauseMs) return this.#alone(person, work);
			try {
				const result = await this.#together(person, work);
				if (!this.#isShared) this.#report(undefined);
				this.#isShared = true;
				return result;
			} catch (error) {
				this.#failedAt = performance.now();
				if (this.#isShared)
					this.#report(error instanceof Error ? error.message : 'it does not answer');
				this.#isShared = false;
				return this.#alone(person, work);
			}
		});
	}

	async #together<T>(person: string, work: Change<T>): Promise<T> {
		const key = keyOf(person);
		for (let tries = 0; tries < maxTries; tries++) {
			const text = await this.#store.get(key);
			const nowMs = this.clock.now();
			const unsent = this.#unsent.get(person);
			const found = text === undefined ? emptyCounts : (JSON.parse(text) as CountState);
			const state = advanced(unsent === undefined ? found : mergedUse(found, unsent), nowMs);
			const { next, result } = work(state, nowMs);
			const written = next ?? (unsent === undefined ? undefined : state);
			if (written !== undefined) {
				const value = JSON.stringify(written);
				const isWritten =
					text === undefined
						? await this.#store.lock(key, value, keptMs)
						: await this.#store.replace(key, text, value, keptMs);
				if (!isWritten) continue;
			}
			this.#unsent.delete(person);
			this.#here.learn(person, written ?? state);
			return result;
		}
		throw new AppError('store_unavailable', 'other replicas change it all the time');
	}

	async #alone<T>(person: string, work: Change<T>): Promise<T> {
		return this.#here.change(person, (state, nowMs) => {
			const { next, result } = work(state, nowMs);
			if (next !== undefined && next.used !== state.used) {
				const before = this.#unsent.get(person) ?? emptyCounts;
				this.#unsent.set(person, mergedUse(before, { used: addedUse(state, next), held: {} }));
			}
			return next === undefined ? { result } : { next, result };
		});
	}

	/** Asks the store with the next request, however lately it has failed. */
	retryNow(): void {
		this.#failedAt = Number.NEGATIVE_INFINITY;
	}

	/** The store is back: what was used meanwhile is added for everybody, whoever asks next. */
	async rejoin(): Promise<void> {
		this.retryNow();
		for (const person of [...this.#unsent.keys()])
			await this.change(person, () => ({ result: undefined }));
		if (this.#isShared || this.#unsent.size > 0) return;
		this.#isShared = true;
		this.#report(undefined);
	}

	async forget(person: string): Promise<void> {
		this.#unsent.delete(person);
		await this.#here.forget(person);
		await this.#store.delete(keyOf(person)).catch(() => {});
	}
}

const keyOf = (person: string): string => `limits:${person}`;

/** What `next` has used beside `before`. */
function addedUse(before: CountState, next: CountState): CountState['used'] {
	return Object.fromEntries(
		Object.entries(next.used).map(([name, slots]) => [
			name,
			Object.fromEntries(
				Object.entries(slots)
					.map(([slot, amount]) => [slot, amount - (before.used[name]?.[slot] ?? 0)] as const)
					.filter(([, amount]) => amount > 0),
			),
		]),
	);
}
