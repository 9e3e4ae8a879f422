/** The tables of kept responses and conversations: rows, pages, limits, transactions. */

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { AppError } from '../../protocol/index.ts';
import type { AnswerLimits, ItemRange, ItemSlice, KeptItem } from './answerStore.ts';

/** Version of the tables below. */
export const answerVersion = 1;

/** `since` is when the time to live began, in ms; `used` grows with every use, whatever the clock says. */
export const answerTables = `
	CREATE TABLE IF NOT EXISTS entries (
		seq INTEGER PRIMARY KEY AUTOINCREMENT,
		person TEXT NOT NULL,
		id TEXT NOT NULL,
		kind TEXT NOT NULL,
		status TEXT NOT NULL,
		previous TEXT,
		created INTEGER NOT NULL,
		since INTEGER NOT NULL,
		used INTEGER NOT NULL,
		bytes INTEGER NOT NULL,
		json TEXT NOT NULL,
		UNIQUE (person, id)
	);
	CREATE INDEX IF NOT EXISTS entries_used ON entries (person, used);
	CREATE INDEX IF NOT EXISTS entries_since ON entries (since);
	CREATE TABLE IF NOT EXISTS items (
		seq INTEGER PRIMARY KEY AUTOINCREMENT,
		entry INTEGER NOT NULL REFERENCES entries (seq) ON DELETE CASCADE,
		side TEXT NOT NULL,
		id TEXT NOT NULL,
		json TEXT NOT NULL
	);
	CREATE INDEX IF NOT EXISTS items_entry ON items (entry, seq);
	CREATE INDEX IF NOT EXISTS items_id ON items (id);
`;

/** Most items that are read at a time. */
const maxItems = 10_000;

export type EntryKind = 'response' | 'conversation';

export interface EntryRow {
	readonly seq: number;
	readonly status: string;
	readonly created: number;
	readonly bytes: number;
	readonly json: string;
}

export class AnswerRows {
	readonly #db: DatabaseSync;
	readonly #limits: AnswerLimits;
	readonly #now: () => number;

	constructor(db: DatabaseSync, limits: AnswerLimits, now: () => number) {
		this.#db = db;
		this.#limits = limits;
		this.#now = now;
	}

	prepare(sql: string): StatementSync {
		return this.#db.prepare(sql);
	}

	add(entry: {
		readonly person: string;
		readonly id: string;
		readonly kind: EntryKind;
		readonly status: string;
		readonly previous?: string | undefined;
		readonly created?: number;
		readonly json: string;
		readonly bytes: number;
	}): void {
		const { person, id, kind, status, previous, json, bytes } = entry;
		const now = this.#now();
		this.run(
			`INSERT INTO entries (person, id, kind, status, previous, created, since, used, bytes, json)
			VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT COALESCE(MAX(used), 0) + 1 FROM entries WHERE person = ?), ?, ?)`,
			...[person, id, kind, status, previous ?? null, entry.created ?? Math.floor(now / 1000)],
			...[now, person, bytes, json],
		);
	}

	addItems(entry: number, side: string, items: readonly KeptItem[]): void {
		const add = this.#db.prepare('INSERT INTO items (entry, side, id, json) VALUES (?, ?, ?, ?)');
		for (const { id, json } of items) add.run(entry, side, id, json);
	}

	use(seq: number): void {
		this.run(
			'UPDATE entries SET since = ?, used = (SELECT MAX(used) + 1 FROM entries AS e WHERE e.person = entries.person) WHERE seq = ?',
			...[this.#now(), seq],
		);
	}

	itemsOf(entries: readonly number[]): readonly KeptItem[] {
		const read = this.#db.prepare('SELECT id, json FROM items WHERE entry = ? ORDER BY seq');
		const items: KeptItem[] = [];
		let bytes = 0;
		for (const entry of entries)
			for (const row of read.iterate(entry)) {
				const item = itemOf(row);
				if (item === undefined) continue;
				bytes += item.json.length;
				if (bytes > this.#limits.entryBytes || items.length >= maxItems)
					throw this.tooLong('A conversation', 'previous_response_id');
				items.push(item);
			}
		return items;
	}

	slice(where: string, { limit, order, after }: ItemRange): ItemSlice {
		const start =
			after === undefined
				? undefined
				: this.get(`SELECT seq FROM items WHERE ${where} AND id = ? LIMIT 1`, after);
		if (after !== undefined && start === undefined) notThere('item', after);
		const [sign, direction] = order === 'asc' ? ['>', 'ASC'] : ['<', 'DESC'];
		const from = start === undefined ? '' : `AND seq ${sign} ${Number(start['seq'])}`;
		const rows = this.#db
			.prepare(
				`SELECT id, json FROM items WHERE ${where} ${from} ORDER BY seq ${direction} LIMIT ?`,
			)
			.all(limit + 1);
		const items = rows.map(itemOf).filter((item) => item !== undefined);
		return { items: items.slice(0, limit), hasMore: items.length > limit };
	}

	/** Takes away what was used longest ago until the rest fits; never what was used last. */
	keepLimits(person: string): void {
		const { personBytes, personEntries, allBytes } = this.#limits;
		const own = this.#db.prepare(
			'SELECT COUNT(*) AS count, COALESCE(SUM(bytes), 0) AS bytes FROM entries WHERE person = ?',
		);
		const oldest = this.#db.prepare(
			`DELETE FROM entries WHERE seq IN (SELECT seq FROM entries WHERE person = ? ORDER BY used LIMIT ?)`,
		);
		for (;;) {
			const { count = 0, bytes = 0 } = own.get(person) ?? {};
			if (Number(count) <= 1) break;
			if (Number(count) <= personEntries && Number(bytes) <= personBytes) break;
			oldest.run(person, Math.max(1, Number(count) - personEntries));
		}
		const all = this.#db.prepare(
			'SELECT COALESCE(SUM(bytes), 0) AS bytes, COUNT(*) AS count FROM entries',
		);
		const first = this.#db.prepare(
			'DELETE FROM entries WHERE seq IN (SELECT seq FROM entries ORDER BY since, seq LIMIT 1)',
		);
		for (;;) {
			const { bytes = 0, count = 0 } = all.get() ?? {};
			if (Number(bytes) <= allBytes || Number(count) <= 1) break;
			first.run();
		}
	}

	/** What was deleted stays in the journal until that is written back. */
	forget(): void {
		this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
	}

	entry(person: string, id: string, kind: EntryKind): EntryRow {
		return this.find(person, id, kind) ?? notThere(kind, id);
	}

	find(person: string, id: string, kind: EntryKind): EntryRow | undefined {
		const found = this.get(
			'SELECT seq, status, created, bytes, json FROM entries WHERE person = ? AND id = ? AND kind = ?',
			...[person, id, kind],
		);
		if (found === undefined) return undefined;
		return {
			seq: Number(found['seq']),
			status: String(found['status']),
			created: Number(found['created']),
			bytes: Number(found['bytes']),
			json: String(found['json']),
		};
	}

	tooLong(what: string, param: string): AppError {
		return tooLong(this.#limits, what, param);
	}

	/** All of it, or nothing. */
	change<T>(work: () => T): T {
		this.#db.exec('BEGIN IMMEDIATE');
		try {
			const done = work();
			this.#db.exec('COMMIT');
			return done;
		} catch (error) {
			if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
			throw error;
		}
	}

	run(sql: string, ...values: SQLInputValue[]): void {
		this.#db.prepare(sql).run(...values);
	}

	get(sql: string, ...values: SQLInputValue[]) {
		return this.#db.prepare(sql).get(...values);
	}
}

/** A row of an item. */
export function itemOf(row: Record<string, unknown> | undefined): KeptItem | undefined {
	return row === undefined ? undefined : { id: String(row['id']), json: String(row['json']) };
}

/** @throws AppError `not_found` always */
export function notThere(what: string, id: string): never {
	throw new AppError(
		'not_found',
		`There is no ${what} '${id.slice(0, 128)}' that is kept for you. It may be deleted, too old, or never have been kept.`,
	);
}

/** The error for more than is kept of one thing. */
export function tooLong({ entryBytes }: AnswerLimits, what: string, param: string): AppError {
	const mib = Math.floor(entryBytes / 1_048_576);
	return new AppError(
		'payload_too_large',
		`${what} may have ${mib} MiB to be kept here. Send less, or send 'store': false and the whole conversation in input.`,
		{ param },
	);
}
