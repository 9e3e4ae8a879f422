/**
 * The account of a caller: services open a bill before they give a model work, say on it what was really used, and
 * close it. What is refused costs nothing, what was reserved and not used is free again.
 */

import { AppError } from '../../protocol/index.ts';
import {
	type Amounts,
	type CountedUnit,
	type KeyScope,
	type Limit,
	limitText,
} from '../../protocol/limitTypes.ts';
import type { HoldExtension, LimitCounts } from './limitCounts.ts';
import { holdMs, type LimitJudgement, type Standing } from './slidingCounts.ts';
import { addCounts, noUsage, type UsageCounts, type UsageRow } from './usageRows.ts';

/** Work that is about to be done. */
export interface PlannedWork {
	readonly kind: KeyScope;
	readonly model: string;
	/** What it may use at most. */
	readonly amounts: Amounts;
	/** What it needs at least, where less would do. */
	readonly min?: Amounts;
}

export interface Bill extends AsyncDisposable {
	/** Of `amounts`, what the limits leave. */
	readonly granted: Amounts;
	/**
	 * Reserves more while work goes on; of `more`, what the limits leave.
	 * @throws AppError `rate_limited`
	 */
	extend(extension: HoldExtension): Promise<Amounts>;
	/** Adds what has been used. */
	add(used: Partial<UsageCounts>): void;
	/** What has been used altogether, in place of what was added before. */
	total(used: Partial<UsageCounts>): void;
	/** The model, where it was chosen later. */
	model: string;
}

/** Requests with the account that pays for them; without one nothing is counted. */
export interface Charged {
	readonly account?: Account | undefined;
}

export interface Account {
	/** Whose it is: opaque. */
	readonly person: string;
	isLimited(unit: CountedUnit): boolean;
	/** @throws AppError `rate_limited` that names the limit, its size and when it ends */
	open(work: PlannedWork): Promise<Bill>;
	/** How the limits stand, as the last request has left them. */
	readonly standings: readonly Standing[];
	/** Reads how the limits of a unit stand, for requests that use nothing of it. */
	look(unit: CountedUnit): Promise<void>;
}

export interface AccountDeps {
	readonly person: string;
	/** As people know it, for messages: `The key 'anna'`. */
	readonly shown: string;
	/** Read when work is asked for. @throws AppError `store_unavailable` while nobody knows them */
	limits(): readonly Limit[];
	readonly counts: LimitCounts;
	record(row: Omit<UsageRow, 'day'>): void;
	/** Told which limit has refused a request: `tokens_per_day`. */
	onRefused?(limit: string): void;
}

export function createAccount(deps: AccountDeps): Account {
	const { person, shown, counts, record } = deps;
	const refuse = (verdict: RefusedVerdict, needed: Amounts): AppError => {
		const { unit, period } = verdict.standing.limit;
		deps.onRefused?.(`${unit}_per_${period}`);
		// Of this unit the limit that has refused counts, and it ends for this request when it may be sent again.
		standings = standings
			.filter(({ limit }) => limit.unit !== unit || limit.period === period)
			.map((standing) =>
				standing.limit.unit === unit && verdict.waitMs !== undefined
					? { ...standing, resetMs: verdict.waitMs }
					: standing,
			);
		return refusalOf(shown, verdict, needed, counts.clock.now());
	};
	let standings: readonly Standing[] = [];
	const own = (kind: PlannedWork['amounts']) =>
		deps.limits().filter(({ unit }) => (kind[unit] ?? 0) > 0);
	return {
		person,
		isLimited: (unit) => deps.limits().some((limit) => limit.unit === unit),
		get standings() {
			return standings;
		},
		look: async (unit) => {
			const concerned = own({ [unit]: 1 });
			if (concerned.length > 0) standings = await counts.standings(person, concerned);
		},
		open: async ({ kind, model, amounts, min }) => {
			const concerned = own(amounts);
			if (concerned.length === 0) return createBill(model, amounts, undefined);
			const { verdict, id } = await counts.reserve(person, concerned, amounts, min);
			standings = verdict.standings;
			if (verdict.kind === 'refused') throw refuse(verdict, min ?? amounts);
			return createBill(model, verdict.granted, id);

			function createBill(first: string, granted: Amounts, held: string | undefined): Bill {
				return new OpenBill(first, granted, {
					renew: () =>
						held === undefined
							? Promise.resolve()
							: counts.extend(person, [], held, { more: {} }).then(() => {}),
					extend: async (extension) => {
						const { more, min: least } = extension;
						if (held === undefined) return more;
						const next = await counts.extend(person, concerned, held, extension);
						standings = next.standings;
						if (next.kind === 'refused') throw refuse(next, least ?? more);
						return next.granted;
					},
					close: async (last, used, spent) => {
						if (Object.values(used).some((amount) => amount > 0))
							record({ ...{ person, model: last, kind }, ...used, requests: 1 });
						if (held !== undefined) {
							// Together: a store that replicas share is asked once.
							const settled = counts.settle(person, held, lessSpent(amountsOf(used), spent));
							const after = counts.standings(person, concerned).catch(() => standings);
							await settled;
							standings = await after;
						}
					},
				});
			}
		},
	};
}

interface BillDeps {
	/** The reservation holds on. */
	renew(): Promise<void>;
	extend(extension: HoldExtension): Promise<Amounts>;
	/** @param spent of it, what was counted before */
	close(model: string, used: UsageCounts, spent: Amounts): Promise<void>;
}

class OpenBill implements Bill {
	model: string;
	readonly granted: Amounts;
	readonly #deps: BillDeps;
	readonly #renewal: NodeJS.Timeout;
	#used: UsageCounts = noUsage;
	readonly #spent = new Map<string, number>();
	#isClosed = false;

	constructor(model: string, granted: Amounts, deps: BillDeps) {
		this.model = model;
		this.granted = granted;
		this.#deps = deps;
		this.#renewal = setInterval(() => void deps.renew().catch(() => {}), holdMs / 3).unref();
	}

	extend(extension: HoldExtension): Promise<Amounts> {
		for (const [unit, amount] of Object.entries(extension.spent ?? {}))
			this.#spent.set(unit, (this.#spent.get(unit) ?? 0) + amount);
		return this.#deps.extend(extension);
	}

	add(used: Partial<UsageCounts>): void {
		this.#used = addCounts(this.#used, { ...noUsage, ...used });
	}

	total(used: Partial<UsageCounts>): void {
		this.#used = { ...noUsage, ...used };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#isClosed) return;
		this.#isClosed = true;
		clearInterval(this.#renewal);
		await this.#deps.close(this.model, this.#used, Object.fromEntries(this.#spent));
	}
}

/** A bill that nobody pays. */
const freeBill = ({ model, amounts }: PlannedWork): Bill =>
	new OpenBill(model, amounts, {
		renew: async () => {},
		extend: async ({ more }) => more,
		close: async () => {},
	});

/** The bill of a request. @throws AppError `rate_limited` */
export async function openBill(account: Account | undefined, work: PlannedWork): Promise<Bill> {
	return account === undefined ? freeBill(work) : account.open(work);
}

type RefusedVerdict = Extract<LimitJudgement, { readonly kind: 'refused' }>;

function lessSpent(used: Amounts, spent: Amounts): Amounts {
	const counted = new Map(Object.entries(spent));
	return Object.fromEntries(
		Object.entries(used).map(([unit, amount]) => [
			unit,
			Math.max(0, amount - (counted.get(unit) ?? 0)),
		]),
	);
}

const amountsOf = (used: UsageCounts): Amounts => ({
	tokens: used.promptTokens + used.completionTokens,
	seconds: used.seconds,
	characters: used.characters,
});

function refusalOf(
	shown: string,
	{ standing, waitMs }: RefusedVerdict,
	needed: Amounts,
	nowMs: number,
): AppError {
	const { limit, taken } = standing;
	const { unit, period, size } = limit;
	const amount = Math.ceil(needed[unit] ?? 0);
	const head = `${shown} may use ${limitText(limit)}`;
	const data = { limit: `${unit}_per_${period}`, size, used: Math.min(size, Math.ceil(taken)) };
	if (waitMs === undefined)
		return new AppError(
			'rate_limited',
			`${head}, and this request alone may use ${amount}. Send a smaller one, or ask whoever runs the server for a higher limit.`,
			{ data: { ...data, tooLarge: true } },
		);
	const waitS = Math.ceil(waitMs / 1000);
	const ends = new Date(nowMs + waitS * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
	return new AppError(
		'rate_limited',
		`${head}, of which ${Math.ceil(taken)} are used or reserved; this request may use ${amount}. Try again in ${waitS} s, at ${ends}.`,
		{ retryAfterS: waitS, data },
	);
}
