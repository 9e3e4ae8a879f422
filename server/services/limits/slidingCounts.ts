/**
 * What one person has used lately, and what requests under way may still use: sliding windows of a minute and a day
 * in slots. Pure: the clock is a parameter, and a state is plain JSON, so that memory, SQLite and Redis can hold it.
 */

import {
	type Amounts,
	type CountedUnit,
	countedUnits,
	type Limit,
	type LimitPeriod,
} from '../../protocol/limitTypes.ts';

const slotMs: ReadonlyMap<LimitPeriod, number> = new Map([
	['minute', 1000],
	['day', 3_600_000],
]);
const slotsOf: ReadonlyMap<LimitPeriod, number> = new Map([
	['minute', 60],
	['day', 24],
]);
const periods: readonly LimitPeriod[] = ['minute', 'day'];

/** A reservation of a request; it counts until it is settled, or until its process must have died. */
export interface Hold {
	readonly amounts: Amounts;
	/** Milliseconds since 1970. */
	readonly until: number;
}

export interface CountState {
	/** `unit period` → number of a slot → amount. */
	readonly used: Readonly<Record<string, Readonly<Record<string, number>>>>;
	readonly held: Readonly<Record<string, Hold>>;
}

export const emptyCounts: CountState = { used: {}, held: {} };

/** How a limit stands. */
export interface Standing {
	readonly limit: Limit;
	/** Used and reserved. */
	readonly taken: number;
	/** Milliseconds until nothing of what is used counts any more; 0 where nothing is. */
	readonly resetMs: number;
}

export type LimitJudgement =
	| { readonly kind: 'ok'; readonly granted: Amounts; readonly standings: readonly Standing[] }
	| {
			readonly kind: 'refused';
			readonly standing: Standing;
			/** Absent: the request alone is larger than the limit. */
			readonly waitMs?: number;
			readonly standings: readonly Standing[];
	  };

const nameOf = (unit: CountedUnit, period: LimitPeriod): string => `${unit} ${period}`;

/**
 * The state at a moment, without what has gone out of its windows and the reservations of processes that died. Slots of
 * a later time than now, from before a clock was set back, count as used now: nobody gains by it, and nobody waits
 * longer than one window.
 */
export function advanced({ used, held }: CountState, nowMs: number): CountState {
	const windows = Object.entries(used).map(([name, slots]) => {
		const period = name.endsWith(' day') ? 'day' : 'minute';
		const now = Math.floor(nowMs / (slotMs.get(period) ?? 1));
		const first = now - (slotsOf.get(period) ?? 1) + 1;
		const kept = new Map<string, number>();
		for (const [slot, amount] of Object.entries(slots)) {
			const at = Math.min(now, Number(slot));
			if (at >= first) kept.set(String(at), (kept.get(String(at)) ?? 0) + amount);
		}
		return [name, Object.fromEntries(kept)] as const;
	});
	const live = Object.entries(held).filter(
		([, { until }]) => until > nowMs && until <= nowMs + holdMs + aheadMs,
	);
	return {
		used: Object.fromEntries(windows.filter(([, slots]) => Object.keys(slots).length > 0)),
		held: Object.fromEntries(live),
	};
}

/** Whether something was used at a later time than now, from before a clock was set back. */
export const isAhead = ({ used }: CountState, nowMs: number): boolean =>
	Object.entries(used).some(([name, slots]) => {
		const now = Math.floor(nowMs / (slotMs.get(name.endsWith(' day') ? 'day' : 'minute') ?? 1));
		return Object.keys(slots).some((slot) => Number(slot) > now);
	});

/** A reservation that nobody renews is forgotten after this. */
export const holdMs = 120_000;
/** Clocks of replicas may differ by this. */
const aheadMs = 60_000;

/** How much of each unit is reserved. */
function heldIn({ held }: CountState, unit: CountedUnit): number {
	return Object.values(held).reduce((sum, { amounts }) => sum + (amounts[unit] ?? 0), 0);
}

function standingOf(state: CountState, limit: Limit, nowMs: number): Standing {
	const slots = Object.entries(state.used[nameOf(limit.unit, limit.period)] ?? {});
	const used = slots.reduce((sum, [, amount]) => sum + amount, 0);
	const last = slots.reduce((max, [slot]) => Math.max(max, Number(slot)), 0);
	return {
		limit,
		taken: used + heldIn(state, limit.unit),
		resetMs: slots.length === 0 ? 0 : Math.max(0, endOf(last, limit.period) - nowMs),
	};
}

/** When a slot leaves its window. */
const endOf = (slot: number, period: LimitPeriod): number =>
	(slot + (slotsOf.get(period) ?? 1)) * (slotMs.get(period) ?? 1);

/** Milliseconds until `amount` fits under a limit, if the requests under way use nothing more. */
function waitOf(state: CountState, limit: Limit, amount: number, nowMs: number): number {
	const slots = Object.entries(state.used[nameOf(limit.unit, limit.period)] ?? {})
		.map(([slot, used]) => ({ slot: Number(slot), used }))
		.sort((left, right) => left.slot - right.slot);
	let used = slots.reduce((sum, each) => sum + each.used, 0);
	let waitMs = 0;
	for (const each of slots) {
		if (used + amount <= limit.size) break;
		used -= each.used;
		waitMs = endOf(each.slot, limit.period) - nowMs;
	}
	// What is only reserved ends with a request, and nobody knows when.
	return Math.max(1000, waitMs);
}

/** How all limits stand. @param state as {@link advanced} */
export const standingsOf = (
	state: CountState,
	limits: readonly Limit[],
	nowMs: number,
): Standing[] => limits.map((limit) => standingOf(state, limit, nowMs));

/**
 * Whether a request fits, and how much of it is granted.
 * @param state as {@link advanced}
 * @param wanted what it may use at most
 * @param min what it needs at least, at most as much as `wanted`; default: all of it
 */
export function judge(
	state: CountState,
	limits: readonly Limit[],
	wanted: Amounts,
	min: Amounts,
	nowMs: number,
): LimitJudgement {
	const standings = standingsOf(state, limits, nowMs);
	const granted = new Map(Object.entries(wanted));
	let worst: { standing: Standing; waitMs: number } | undefined;
	for (const standing of standings) {
		const { limit, taken } = standing;
		const all = wanted[limit.unit] ?? 0;
		const needed = min[limit.unit] ?? all;
		const left = limit.size - taken;
		// A request that needs nothing of a unit is not refused by its limit.
		if (all === 0) continue;
		if (needed > left || left <= 0) {
			const waitMs =
				needed > limit.size
					? Number.POSITIVE_INFINITY
					: waitOf(state, limit, Math.max(needed, 1e-9), nowMs);
			if (worst === undefined || waitMs > worst.waitMs) worst = { standing, waitMs };
		}
		granted.set(limit.unit, Math.min(granted.get(limit.unit) ?? all, Math.max(needed, left)));
	}
	if (worst !== undefined) {
		const { standing, waitMs } = worst;
		return Number.isFinite(waitMs)
			? { kind: 'refused', standing, waitMs, standings }
			: { kind: 'refused', standing, standings };
	}
	return { kind: 'ok', granted: Object.fromEntries(granted), standings };
}

/** The state with a reservation, or with a larger one in its place. */
export const withHold = (state: CountState, id: string, amounts: Amounts, nowMs: number) => ({
	used: state.used,
	held: { ...state.held, [id]: { amounts, until: nowMs + holdMs } },
});

/** The state with what has been used; `id` is no longer reserved. */
export function withUse(
	{ used, held }: CountState,
	id: string | undefined,
	amounts: Amounts,
	nowMs: number,
): CountState {
	const windows = new Map(Object.entries(used));
	for (const unit of countedUnits) {
		const amount = amounts[unit] ?? 0;
		if (!(amount > 0)) continue;
		for (const period of periods) {
			const name = nameOf(unit, period);
			const slot = String(Math.floor(nowMs / (slotMs.get(period) ?? 1)));
			const slots = windows.get(name) ?? {};
			windows.set(name, { ...slots, [slot]: (slots[slot] ?? 0) + amount });
		}
	}
	const rest = Object.entries(held).filter(([each]) => each !== id);
	return { used: Object.fromEntries(windows), held: Object.fromEntries(rest) };
}

/** What two states have used, together: one was counted while the other could not be reached. */
export function mergedUse(state: CountState, more: CountState): CountState {
	const windows = new Map(Object.entries(state.used));
	for (const [name, slots] of Object.entries(more.used)) {
		const own = new Map(Object.entries(windows.get(name) ?? {}));
		for (const [slot, amount] of Object.entries(slots))
			own.set(slot, (own.get(slot) ?? 0) + amount);
		windows.set(name, Object.fromEntries(own));
	}
	return { used: Object.fromEntries(windows), held: state.held };
}
