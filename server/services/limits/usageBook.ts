/**
 * Writes down what people use: added up in memory, on the disk (or with the other replicas) a second later. While the
 * store fails, work goes on and nothing is lost as long as this process lives; it is told once.
 */

import { randomUUID } from 'node:crypto';
import { sentenceOf } from '../../protocol/index.ts';
import type { Logger } from '../logger.ts';
import type { ForwardClock } from './forwardClock.ts';
import type { PersistedCounts } from './limitCounts.ts';
import type { CountState } from './slidingCounts.ts';
import type { UsageFileStore } from './usageDatabase.ts';
import { addCounts, dayOf, lastDay, rowKey, type UsageRow, type UsageStore } from './usageRows.ts';

const delayMs = 1000;
/** Between tries while the store fails. */
const retryMs = 5000;
/** Rows that wait for the store; later ones of new people are added up as `others`. */
const maxPending = 20_000;
/** Characters of the names of people and models. */
const maxName = 200;
const dayMs = 86_400_000;

export interface UsageBookDeps {
	/** Where rows are kept; counts of limits always lie in `file`. */
	readonly store: UsageStore;
	readonly file: UsageFileStore;
	readonly clock: ForwardClock;
	readonly log: Logger;
	/** Days after which usage is forgotten. */
	readonly retentionDays: number;
}

export class UsageBook implements PersistedCounts {
	readonly #deps: UsageBookDeps;
	#pending = new Map<string, UsageRow>();
	/** What was given to the store, and may be there or not: it is given again, under the same id. */
	#unsure: { readonly id: string; readonly rows: Map<string, UsageRow> } | undefined;
	#counts = new Map<string, CountState>();
	#due: NodeJS.Timeout | undefined;
	#work: Promise<void> = Promise.resolve();
	#isFailing = false;
	#prunedDay = '';

	constructor(deps: UsageBookDeps) {
		this.#deps = deps;
	}

	/** Whether what is used is written down at this moment. */
	get isKept(): boolean {
		return !this.#isFailing;
	}

	add(row: Omit<UsageRow, 'day'>): void {
		const named = {
			...row,
			day: dayOf(this.#deps.clock.now()),
			person: row.person.slice(0, maxName),
			model: row.model.slice(0, maxName),
		};
		const known = this.#pending.has(rowKey(named)) || this.#pending.size < maxPending;
		this.#put(known ? named : { ...named, person: 'others', model: '' });
		this.#schedule(delayMs);
	}

	load(person: string): CountState | undefined {
		try {
			return this.#counts.get(person) ?? this.#deps.file.counts(person);
		} catch (error) {
			this.#failed(error);
			return undefined;
		}
	}

	changed(person: string, state: CountState): void {
		this.#counts.set(person, state);
		this.#schedule(delayMs);
	}

	/** Rows from a day to another, those included that are not on the disk yet. */
	async rows(from: string, to: string): Promise<UsageRow[]> {
		await this.flush();
		const kept = await this.#deps.store.rows(from, to);
		const all = new Map(kept.map((row) => [rowKey(row), row]));
		for (const [key, row] of [...(this.#unsure?.rows ?? []), ...this.#pending]) {
			if (row.day < from || row.day > to) continue;
			const before = all.get(key);
			all.set(key, before === undefined ? row : { ...row, ...addCounts(before, row) });
		}
		return [...all.values()];
	}

	/**
	 * Forgets a person. Resolves to the number of rows.
	 * @param to the last day that is forgotten; default: all
	 */
	async delete(person: string, to = lastDay): Promise<number> {
		await this.flush();
		for (const rows of [this.#pending, this.#unsure?.rows ?? new Map<string, UsageRow>()])
			for (const [key, row] of rows) if (row.person === person && row.day <= to) rows.delete(key);
		if (to === lastDay) this.#counts.delete(person);
		const { store, file } = this.#deps;
		const deleted = await file.delete(person, to);
		return store === (file as UsageStore) ? deleted : store.delete(person, to);
	}

	/** Resolves when all is written, or it has been told why it is not. */
	async flush(): Promise<void> {
		clearTimeout(this.#due);
		this.#due = undefined;
		this.#work = this.#work.then(() => this.#write());
		await this.#work;
	}

	async close(): Promise<void> {
		await this.flush();
		clearTimeout(this.#due);
		await this.#deps.store.close();
		await this.#deps.file.close();
	}

	#put(row: UsageRow): void {
		const key = rowKey(row);
		const before = this.#pending.get(key);
		this.#pending.set(key, before === undefined ? row : { ...row, ...addCounts(before, row) });
	}

	#schedule(ms: number): void {
		this.#due ??= setTimeout(() => void this.flush(), this.#isFailing ? retryMs : ms).unref();
	}

	async #write(): Promise<void> {
		if (this.#pending.size === 0 && this.#counts.size === 0 && this.#unsure === undefined) return;
		const { store, file, clock } = this.#deps;
		const counts = this.#counts;
		this.#counts = new Map();
		try {
			if (store === (file as UsageStore)) {
				file.write([...this.#pending.values()], counts, clock.now());
				this.#pending = new Map();
			} else {
				await this.#giveAway(store);
				file.write([], counts, clock.now());
			}
			await this.#prune();
			if (this.#isFailing) this.#deps.log.warn('usage is written down again');
			this.#isFailing = false;
		} catch (error) {
			for (const [person, state] of counts)
				if (!this.#counts.has(person)) this.#counts.set(person, state);
			this.#failed(error);
			this.#schedule(retryMs);
		}
	}

	async #giveAway(store: UsageStore): Promise<void> {
		while (this.#unsure !== undefined || this.#pending.size > 0) {
			this.#unsure ??= { id: randomUUID(), rows: this.#pending };
			if (this.#unsure.rows === this.#pending) this.#pending = new Map();
			await store.add([...this.#unsure.rows.values()], this.#unsure.id);
			this.#unsure = undefined;
		}
	}

	async #prune(): Promise<void> {
		const { clock, store, retentionDays } = this.#deps;
		const today = dayOf(clock.now());
		if (today === this.#prunedDay) return;
		this.#prunedDay = today;
		await store.prune(dayOf(clock.now() - retentionDays * dayMs));
	}

	#failed(error: unknown): void {
		if (!this.#isFailing)
			this.#deps.log.warn('usage is not written down; work goes on', { reason: sentenceOf(error) });
		this.#isFailing = true;
	}
}
