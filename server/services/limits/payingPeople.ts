/** Everybody who may ask this server for work: their keys, limits and use, put together. */

import { limitList, type UsageLimits } from '../../protocol/limitTypes.ts';
import { type Account, createAccount } from './account.ts';
import type { KeyStore, PersonKey } from './keyStore.ts';
import { personOfKey } from './keyStore.ts';
import type { LimitCounts } from './limitCounts.ts';
import { LiveWork } from './liveWork.ts';
import type { UsageBook } from './usageBook.ts';
import { dayOf } from './usageRows.ts';

export interface PeopleDeps {
	readonly keys: KeyStore;
	readonly counts: LimitCounts;
	readonly book: UsageBook;
	/** UsageLimits of everybody whom a sign-in layer names, in place of those that the key store holds. */
	readonly peopleLimits?: UsageLimits | undefined;
	/** Told which limit has refused a request: `tokens_per_day`. */
	onRefused?(limit: string): void;
}

/** Who asks, as the HTTP interface has found out. */
export interface Payer {
	/** `owner`, `studio` and `local` are this machine's user, who has no limits. */
	readonly caller: string;
	readonly person: string;
	readonly key?: PersonKey;
}

const ownCallers: ReadonlySet<string> = new Set(['owner', 'studio', 'local']);

export class People {
	readonly keys: KeyStore;
	/** Keys with which something is under way. */
	readonly live: LiveWork;
	readonly counts: LimitCounts;
	readonly book: UsageBook;
	readonly #fixed: UsageLimits | undefined;
	readonly #onRefused: PeopleDeps['onRefused'];

	constructor({ keys, counts, book, peopleLimits, onRefused }: PeopleDeps) {
		this.keys = keys;
		this.live = new LiveWork(keys);
		this.counts = counts;
		this.book = book;
		this.#fixed = peopleLimits;
		this.#onRefused = onRefused;
	}

	/** UsageLimits of everybody whom a sign-in layer names. @throws AppError `store_unavailable` */
	get limits(): UsageLimits {
		return this.#fixed ?? this.keys.peopleLimits;
	}

	/** Whether those limits were given at the start, so that nobody can set others. */
	get areLimitsFixed(): boolean {
		return this.#fixed !== undefined;
	}

	/** Who pays for a request. */
	accountOf({ caller, person, key }: Payer): Account {
		if (key !== undefined) return this.#account(person, `The key '${key.name}'`, () => key.limits);
		return this.#account(person, 'Each person', () => (ownCallers.has(caller) ? {} : this.limits));
	}

	/** Who pays for a request with a key of the translate interface. */
	accountOfKey(key: PersonKey): Account {
		return this.accountOf({ caller: 'member', person: personOfKey(key.id), key });
	}

	/**
	 * Forgets what somebody has used, and how their limits stand. Resolves to the number of rows.
	 * @param until what they have used on later days stays, and how their limits stand now; milliseconds since 1970
	 */
	async forget(person: string, until?: number): Promise<number> {
		if (until === undefined) await this.counts.forget(person);
		this.keys.forgetRevoked(person.replace(/^key:/, ''));
		return this.book.delete(person, until === undefined ? undefined : dayOf(until));
	}

	/** @param shared what was counted in, which ends afterwards */
	async close(shared?: { close(): Promise<void> }): Promise<void> {
		await this.book.close();
		await shared?.close();
		this.keys.close();
	}

	#account(person: string, shown: string, limits: () => UsageLimits): Account {
		return createAccount({
			...{ person, shown, counts: this.counts },
			limits: () => limitList(limits()),
			record: (row) => this.book.add(row),
			onRefused: (limit) => this.#onRefused?.(limit),
		});
	}
}
