/** Store in one SQLite file (or `:memory:`), for a single copy of the layer. */

import { chmodSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type Store, storeError } from './store.ts';

const sweepMs = 60_000;
/** A lease that ends this much later than one taken now was taken before the clock was set back. */
const aheadMs = 1000;

export function openSqliteStore(path: string, now: () => number = Date.now): Store {
	if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	const db = new DatabaseSync(path);
	// The journal files that SQLite makes beside it take over the mode.
	if (path !== ':memory:') chmodSync(path, 0o600);
	db.exec(`
		PRAGMA journal_mode = WAL;
		-- A sign-out outlasts a power cut.
		PRAGMA synchronous = FULL;
		PRAGMA busy_timeout = 5000;
		CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT NOT NULL, ends INTEGER NOT NULL) WITHOUT ROWID;
		CREATE INDEX IF NOT EXISTS entries_ends ON entries (ends);
	`);
	const get = db.prepare('SELECT value FROM entries WHERE key = ? AND ends > ?');
	const set = db.prepare(
		'INSERT INTO entries (key, value, ends) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, ends = excluded.ends',
	);
	const replace = db.prepare(
		'UPDATE entries SET value = ?, ends = ? WHERE key = ? AND value = ? AND ends > ?',
	);
	const drop = db.prepare('DELETE FROM entries WHERE key = ?');
	const take = db.prepare('DELETE FROM entries WHERE key = ? RETURNING value, ends');
	const lock = db.prepare(
		'INSERT INTO entries (key, value, ends) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, ends = excluded.ends WHERE entries.ends <= ? OR entries.ends > excluded.ends + ?',
	);
	const renew = db.prepare('UPDATE entries SET ends = ? WHERE key = ? AND value = ? AND ends > ?');
	const dropExact = db.prepare('DELETE FROM entries WHERE key = ? AND value = ?');
	const sweep = db.prepare('DELETE FROM entries WHERE ends <= ?');
	const timer = setInterval(() => void run(() => sweep.run(now())).catch(() => {}), sweepMs);
	timer.unref();

	return {
		get: (key) => run(() => textOf(get, 'value', key, now())),
		set: (key, value, ttlMs) => run(() => void set.run(key, value, Math.ceil(now() + ttlMs))),
		replace: (key, expected, value, ttlMs) =>
			run(() =>
				value === undefined
					? dropExact.run(key, expected).changes > 0
					: replace.run(value, Math.ceil(now() + ttlMs), key, expected, now()).changes > 0,
			),
		delete: (key) => run(() => drop.run(key).changes > 0),
		take: (key) =>
			run(() => {
				const row = take.get(key);
				const live = row !== undefined && Number(row['ends']) > now();
				return live && typeof row['value'] === 'string' ? row['value'] : undefined;
			}),
		lock: (key, owner, ttlMs) =>
			run(() => lock.run(key, owner, Math.ceil(now() + ttlMs), now(), aheadMs).changes > 0),
		renew: (key, owner, ttlMs) =>
			run(() => renew.run(Math.ceil(now() + ttlMs), key, owner, now()).changes > 0),
		unlock: (key, owner) => run(() => void dropExact.run(key, owner)),
		ping: () => run(() => void get.get('ping', now())),
		async [Symbol.asyncDispose]() {
			clearInterval(timer);
			if (db.isOpen) db.close();
		},
	};
}

function textOf(
	statement: StatementSync,
	column: string,
	...values: (string | number)[]
): string | undefined {
	const value = statement.get(...values)?.[column];
	return typeof value === 'string' ? value : undefined;
}

async function run<T>(work: () => T): Promise<T> {
	try {
		return work();
	} catch (error) {
		throw storeError(error);
	}
}
