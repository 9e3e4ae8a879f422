/** Store in one SQLite file (or `:memory:`), for a single copy of the layer. */

import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { errno } from '../../protocol/index.ts';
import { reasonOf, unusable } from '../../store/checkPlace.ts';
import { makeFolder } from '../../store/makeFolder.ts';
import { openDatabase } from '../../store/sqlite.ts';
import { proofBytes, proofKey, proofMs, type Store } from './store.ts';
import { type StoreReport, StoreWatch } from './storeWatch.ts';

const sweepMs = 60_000;
/** Entries that are read at once. */
const pageRows = 500;
const busyMs = 5000;
/** Probes do not wait longer than that for another process that writes; nothing else happens meanwhile. */
const proofBusyMs = 300;
/** A lease that ends this much later than one taken now was taken before the clock was set back. */
const aheadMs = 1000;

/**
 * @param report Told when it stops and begins to answer.
 * @throws AppError `invalid_request` when the file cannot be one
 */
export function openSqliteStore(
	path: string,
	now: () => number = Date.now,
	report?: StoreReport,
): Store {
	const watch = new StoreWatch(report);
	const run = <T>(work: () => T) => watch.run(work);
	const db = openStoreFile(path);
	const get = db.prepare('SELECT value FROM entries WHERE key = ? AND ends > ?');
	const set = db.prepare(
		'INSERT INTO entries (key, value, ends) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, ends = excluded.ends',
	);
	const replace = db.prepare(
		'UPDATE entries SET value = ?, ends = ? WHERE key = ? AND value = ? AND ends > ?',
	);
	// All keys that begin so: those below the prefix with its last character one higher, one page after the other.
	const page = db.prepare(
		'SELECT key, value FROM entries WHERE key > ? AND key < ? AND ends > ? ORDER BY key LIMIT ?',
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
		staleMs: 0,
		get: (key) => run(() => textOf(get, 'value', key, now())),
		set: (key, value, ttlMs) => run(() => void set.run(key, value, Math.ceil(now() + ttlMs))),
		replace: (key, expected, value, ttlMs) =>
			run(() =>
				value === undefined
					? dropExact.run(key, expected).changes > 0
					: replace.run(value, Math.ceil(now() + ttlMs), key, expected, now()).changes > 0,
			),
		async *entries(prefix) {
			const end =
				prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
			for (let from = prefix; ; ) {
				const rows = await run(() => page.all(from, end, now(), pageRows));
				for (const { key, value } of rows) yield { key: String(key), value: String(value) };
				const last = rows.at(-1);
				if (last === undefined || rows.length < pageRows) return;
				from = String(last['key']);
			}
		},
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
		prove: () =>
			run(() => {
				const value = randomBytes(proofBytes / 2).toString('hex');
				db.exec(`PRAGMA busy_timeout = ${proofBusyMs}`);
				try {
					set.run(proofKey, value, Math.ceil(now() + proofMs));
				} finally {
					db.exec(`PRAGMA busy_timeout = ${busyMs}`);
				}
				if (textOf(get, 'value', proofKey, now()) === value) return;
				throw new Error('it does not keep what is written');
			}),
		async [Symbol.asyncDispose]() {
			clearInterval(timer);
			if (db.isOpen) db.close();
		},
	};
}

/** What SQLite says when a file cannot be opened, by the number of its primary result codes. */
const sqliteTroubles: Readonly<Record<number, string>> = {
	5: 'another program has locked it. End that program',
	8: 'this user may not write it. Give this user the right to',
	10: 'its disk reports a fault. Check the disk',
	11: 'it is damaged. Move it away: everybody signs in again then',
	13: 'there is no space left on its disk. Free some space',
	14: 'it cannot be opened or made. Check that its folder can be written to',
	26: 'it is not a session store. Name another file, or move this one away',
};

function sqliteReason(error: unknown): string {
	const number = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
	return sqliteTroubles[number] ?? reasonOf(error);
}

function textOf(
	statement: StatementSync,
	column: string,
	...values: (string | number)[]
): string | undefined {
	const value = statement.get(...values)?.[column];
	return typeof value === 'string' ? value : undefined;
}

/** Of gateways that start at once, each waits for the others from the first statement on. */
function openStoreFile(path: string): DatabaseSync {
	let db: DatabaseSync | undefined;
	try {
		if (path !== ':memory:') makeOwnFile(path);
		db = openDatabase(path, { timeout: busyMs });
		checkOwn(db);
		// The journal files that SQLite makes beside it take over the mode.
		if (path !== ':memory:') chmodSync(path, 0o600);
		db.exec(`
			PRAGMA journal_mode = WAL;
			-- A sign-out outlasts a power cut.
			PRAGMA synchronous = FULL;
			CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT NOT NULL, ends INTEGER NOT NULL) WITHOUT ROWID;
			CREATE INDEX IF NOT EXISTS entries_ends ON entries (ends);
		`);
		return db;
	} catch (error) {
		db?.close();
		throw unusable(path, 'The session store (x-gateway.store)', sqliteReason(error), error);
	}
}

/** A new file is private from its first byte on; one that is there is not touched before it is known. */
function makeOwnFile(path: string): void {
	makeFolder(dirname(path), 0o700);
	try {
		closeSync(openSync(path, 'wx', 0o600));
	} catch (error) {
		if (errno(error) !== 'EEXIST') throw error;
	}
}

/** @throws an error for a file that is no database, or one of another program's */
function checkOwn(db: DatabaseSync): void {
	const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
	if (tables.length > 0 && !tables.some(({ name }) => name === 'entries'))
		throw new Error('it is the database of another program. Name another file');
}
