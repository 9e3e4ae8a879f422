/** Counts what people use against their limits, in this process; kept over restarts by whoever is told of it. */

import { randomUUID } from 'node:crypto';
import type { Amounts, Limit } from '../../protocol/limitTypes.ts';
import type { ForwardClock } from './forwardClock.ts';
import {
	advanced,
	type CountState,
	emptyCounts,
	judge,
	type LimitJudgement,
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

/** Makes the next state of a person, and what is answered. */
export type CountChange<T> = (
	state: CountState,
	nowMs: number,
) => { readonly next?: CountState; readonly result: T };

/** What is done to counts, wherever they are. */
export abstract class OrderedCounts {
	readonly clock: ForwardClock;

	constructor(clock: ForwardClock) {
		this.clock = clock;
	}

	abstract readonly isShared: boolean;
	protected abstract change<T>(person: string, work: CountChange<T>): Promise<T>;

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

	async change<T>(person: string, work: CountChange<T>): Promise<T> {
		return this.changeNow(person, work);
	}

	/** The same, done when it returns. */
	changeNow<T>(person: string, work: CountChange<T>): T {
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

	/** What is known of a person here, kept or not. */
	known(person: string): CountState | undefined {
		return this.#states.get(person);
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
