/**
 * Counts what people use against their limits together with other replicas, in a shared store. While that store is away,
 * or too slow to be waited for, each replica counts by itself, from what was known last, and adds it when the store is
 * back. Nothing is counted twice, though nobody knows what became of a step that the store did not answer in time: each
 * replica numbers its steps, and the state says which was the last one.
 */

import { randomUUID } from 'node:crypto';
import type { Store } from '../../gateway/store/store.ts';
import { isRecord } from '../../protocol/errorBody.ts';
import { AppError } from '../../protocol/index.ts';
import type { ForwardClock } from './forwardClock.ts';
import { type CountChange, type LimitCounts, LocalCounts, OrderedCounts } from './limitCounts.ts';
import { advanced, type CountState, emptyCounts, isAhead, mergedUse } from './slidingCounts.ts';
import { StoreClock } from './storeClock.ts';

/** What {@link SharedCounts} need of a store. */
export type CountStore = Pick<Store, 'get' | 'replace' | 'lock' | 'delete'> & {
	/** Why it would not be asked at all. */
	readonly failure?: string | undefined;
	/** Its time, in milliseconds since 1970. */
	readonly timeMs?: () => Promise<number>;
};

/** A state with the last step of each replica, and when that was, in milliseconds since 1970. */
interface SharedState extends CountState {
	readonly steps?: Readonly<Record<string, readonly [step: number, atMs: number]>>;
}

/** What was done without the store. */
interface Unsent {
	readonly used: CountState['used'];
	/** Reservations that ended. */
	readonly ended: readonly string[];
}

/** A change that waits for its turn; what it answers is told when the state is kept. */
interface WaitingChange {
	readonly apply: (
		state: CountState,
		nowMs: number,
	) => { readonly next?: CountState; readonly finish: () => void };
	readonly fail: (error: unknown) => void;
}

/** A step, and what the store may know of it. */
interface Step {
	readonly number: number;
	isOver: boolean;
	/** Something was written: nobody knows whether it was kept until it is read again. */
	isSent: boolean;
}

/** It fails at the counts of one person, and the store is there for all others. */
class StateError extends AppError {}

/** Answers of the store that were overtaken by another replica's, one after the other, before it is given up. */
const maxTries = 50;
const keptMs = 25 * 3_600_000;
/** A store that has failed is left alone this long. */
const pauseMs = 3000;
/** A step takes no longer than this, however slow the store. */
const stepMs = 1000;
/** Clocks of replicas may be so far apart; one that is further ahead is not followed. */
const maxAheadMs = 5 * 60_000;
/** The number of what was in no step so far: it is certainly not done. */
const inNoStep = Number.POSITIVE_INFINITY;
/** Steps of one person whose end is not known. */
const maxUnsent = 100;

/** Counts of all replicas together. */
export class SharedCounts extends OrderedCounts implements LimitCounts {
	readonly #store: CountStore;
	readonly #here: LocalCounts;
	readonly #time: StoreClock;
	/** Of this process, in the states. */
	readonly #replica = randomUUID().slice(0, 8);
	#lastStep = 0;
	/** Of a person, by the step that it may have been part of. */
	readonly #unsent = new Map<string, Map<number, Unsent>>();
	/** Of a person whose step is under way. */
	readonly #waiting = new Map<string, WaitingChange[]>();
	readonly #report: (failure: string | undefined) => void;
	#isShared = true;
	#failedAt = Number.NEGATIVE_INFINITY;

	/**
	 * @param clock which counts where the store tells no time
	 * @param report told once when the store is away, and once when it is back
	 * @param passed milliseconds of a clock that nobody sets
	 */
	constructor(
		store: CountStore,
		clock: ForwardClock,
		report: (failure: string | undefined) => void = () => {},
		passed: () => number = () => performance.now(),
	) {
		const time = new StoreClock(clock, passed);
		super(time);
		this.#store = store;
		this.#time = time;
		this.#here = new LocalCounts(time);
		this.#report = report;
	}

	get isShared(): boolean {
		return this.#isShared;
	}

	protected change<T>(person: string, work: CountChange<T>): Promise<T> {
		return new Promise<T>((resolve, reject) => {
			const apply: WaitingChange['apply'] = (state, nowMs) => {
				try {
					const { result, ...made } = work(state, nowMs);
					return { ...made, finish: () => resolve(result) };
				} catch (error) {
					// It is its own; the others of the step go on.
					return { finish: () => reject(error) };
				}
			};
			const change = { apply, fail: reject };
			const waiting = this.#waiting.get(person);
			if (waiting !== undefined) waiting.push(change);
			else {
				this.#waiting.set(person, [change]);
				void this.#goThrough(person);
			}
		});
	}

	/** All that waits goes in one step, so that a slow store holds up nobody for longer than two. */
	async #goThrough(person: string): Promise<void> {
		// Also what is asked for at the same moment.
		await Promise.resolve();
		for (;;) {
			const changes = this.#waiting.get(person)?.splice(0) ?? [];
			if (changes.length === 0) break;
			try {
				for (const finish of await this.#step(person, changes)) finish();
			} catch (error) {
				// Whatever it is, nobody waits for ever, and later changes have their turn.
				for (const { fail } of changes) fail(error);
			}
		}
		this.#waiting.delete(person);
	}

	async #step(person: string, changes: readonly WaitingChange[]): Promise<readonly (() => void)[]> {
		if (!this.#mayTry()) return this.#alone(person, changes, inNoStep);
		const step: Step = { number: ++this.#lastStep, isOver: false, isSent: false };
		const finish = await this.#tryTogether(person, changes, step);
		return finish ?? this.#alone(person, changes, step.isSent ? step.number : inNoStep);
	}

	#mayTry(): boolean {
		if (performance.now() - this.#failedAt < pauseMs) return false;
		const { failure } = this.#store;
		if (failure !== undefined) this.#failed(failure);
		return failure === undefined;
	}

	/** `undefined` where the store has failed; whether it has done the step is not known then. */
	async #tryTogether(person: string, changes: readonly WaitingChange[], step: Step) {
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<never>((_, reject) => {
			timer = setTimeout(() => reject(new Error('it does not answer in time')), stepMs);
		});
		try {
			const finish = await Promise.race([this.#together(person, changes, step), late]);
			if (!this.#isShared) {
				this.#isShared = true;
				this.#report(undefined);
				void this.rejoin();
			}
			return finish;
		} catch (error) {
			if (!(error instanceof StateError))
				this.#failed(error instanceof Error ? error.message : 'it does not answer');
			return undefined;
		} finally {
			step.isOver = true;
			clearTimeout(timer);
		}
	}

	#failed(reason: string): void {
		this.#failedAt = performance.now();
		if (this.#isShared) this.#report(reason);
		this.#isShared = false;
	}

	async #together(
		person: string,
		changes: readonly WaitingChange[],
		step: Step,
	): Promise<(() => void)[]> {
		const key = keyOf(person);
		for (let tries = 0; tries < maxTries && !step.isOver; tries++) {
			await this.#time.ask(this.#store.timeMs);
			const text = await this.#store.get(key);
			if (step.isOver) break;
			const read = text === undefined ? undefined : sharedState(text);
			const { steps = {}, ...found } = read ?? (emptyCounts as SharedState);
			// The one whose clock is ahead would take each minute of the others for over.
			for (const [, atMs] of Object.values(steps))
				if (atMs < this.clock.now() + maxAheadMs) this.clock.note(atMs);
			const nowMs = this.clock.now();
			const [done = 0] = steps[this.#replica] ?? [];
			const all = [...(this.#unsent.get(person) ?? [])];
			const unsent = all.filter(([number]) => number > done);
			// What was done late is known from here on, also when this step fails.
			for (const [number] of all) if (number <= done) this.#unsent.get(person)?.delete(number);
			// A store that was emptied, or holds what cannot be read, gets back what is known here, which is all that was done.
			const before =
				read === undefined ? this.#here.known(person) : unsent.reduce(withUnsent, found);
			let state = advanced(before ?? emptyCounts, nowMs);
			// What is of a later time than now counts from now on, and not from each request on.
			let isChanged = all.length > 0 || isAhead(before ?? emptyCounts, nowMs);
			const finish = changes.map((change) => {
				const made = change.apply(state, nowMs);
				isChanged ||= made.next !== undefined;
				state = made.next ?? state;
				return made.finish;
			});
			if (isChanged) {
				const known = Object.entries(steps).filter(([, [, atMs]]) => atMs > nowMs - keptMs);
				const value = JSON.stringify({
					...state,
					steps: { ...Object.fromEntries(known), [this.#replica]: [step.number, nowMs] },
				});
				step.isSent = true;
				this.#sent(person, step.number);
				const isWritten =
					text === undefined
						? await this.#store.lock(key, value, keptMs)
						: await this.#store.replace(key, text, value, keptMs);
				if (!isWritten) {
					step.isSent = false;
					continue;
				}
			}
			// It was done alone by now, under the number of this step.
			if (step.isOver) break;
			this.#unsent.delete(person);
			this.#here.learn(person, state);
			return finish;
		}
		throw new StateError('store_unavailable', 'other replicas change it all the time');
	}

	#alone(person: string, changes: readonly WaitingChange[], number: number): (() => void)[] {
		return changes.map((change) =>
			this.#here.changeNow(person, (state, nowMs) => {
				const { next, finish } = change.apply(state, nowMs);
				if (next === undefined) return { result: finish };
				this.#keep(person, number, unsentOf(state, next));
				return { next, result: finish };
			}),
		);
	}

	#keep(person: string, number: number, { used, ended }: Unsent): void {
		if (Object.keys(used).length + ended.length === 0) return;
		const steps = this.#unsent.get(person) ?? new Map<number, Unsent>();
		this.#unsent.set(person, steps);
		add(steps, number, { used, ended });
		if (steps.size <= maxUnsent) return;
		// To the later one: under the number of the earlier, both would be dropped if that alone was done late.
		const [first, second] = [...steps.keys()].sort((left, right) => left - right);
		if (first !== undefined && second !== undefined) move(steps, first, second);
	}

	/** What was in no step is in this one. */
	#sent(person: string, number: number): void {
		const steps = this.#unsent.get(person);
		if (steps !== undefined) move(steps, inNoStep, number);
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

/** What a store holds; `undefined` where it cannot be read. */
function sharedState(text: string): SharedState | undefined {
	try {
		const state: unknown = JSON.parse(text);
		if (!isRecord(state) || !isRecord(state['held']) || !isRecord(state['used'])) return undefined;
		if (!Object.values(state['used']).every(isRecord)) return undefined;
		if (!Object.values(state['held']).every(isRecord)) return undefined;
		const { steps = {} } = state;
		if (!isRecord(steps) || !Object.values(steps).every(Array.isArray)) return undefined;
		return state as unknown as SharedState;
	} catch {
		return undefined;
	}
}

function add(steps: Map<number, Unsent>, number: number, { used, ended }: Unsent): void {
	const before = steps.get(number) ?? { used: {}, ended: [] };
	const both = mergedUse({ ...before, held: {} }, { used, held: {} });
	steps.set(number, { used: both.used, ended: [...before.ended, ...ended] });
}

function move(steps: Map<number, Unsent>, from: number, to: number): void {
	const moved = steps.get(from);
	if (moved === undefined) return;
	steps.delete(from);
	add(steps, to, moved);
}

/** A state with what was done without the store. */
function withUnsent(state: CountState, [, { used, ended }]: readonly [number, Unsent]): CountState {
	const { held } = state;
	const open = Object.entries(held).filter(([id]) => !ended.includes(id));
	return { ...mergedUse(state, { used, held: {} }), held: Object.fromEntries(open) };
}

/** What `next` has used beside `before`, and which reservations it no longer has. */
function unsentOf(before: CountState, next: CountState): Unsent {
	const used = Object.entries(next.used).map(([name, slots]) => {
		const more = Object.entries(slots)
			.map(([slot, amount]) => [slot, amount - (before.used[name]?.[slot] ?? 0)] as const)
			.filter(([, amount]) => amount > 0);
		return [name, Object.fromEntries(more)] as const;
	});
	return {
		used: Object.fromEntries(used.filter(([, slots]) => Object.keys(slots).length > 0)),
		ended: Object.keys(before.held).filter((id) => next.held[id] === undefined),
	};
}
