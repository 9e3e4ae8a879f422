/** The embedded queue: a table of the data folder. It may lose its last moments; the store knows what is done. */

import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { SqliteFile } from '../store/sqliteFile.ts';
import type { JobQueue, ShardLease } from './jobQueue.ts';
import type { ShardRef } from './jobTypes.ts';

const schema = `
	CREATE TABLE shards (
		batch TEXT NOT NULL,
		shard INTEGER NOT NULL,
		turn INTEGER NOT NULL,
		due INTEGER NOT NULL,
		token TEXT,
		tries INTEGER NOT NULL,
		PRIMARY KEY (batch, shard)
	) WITHOUT ROWID;
	CREATE INDEX shards_turn ON shards (turn, batch);
	CREATE INDEX shards_batch ON shards (batch, turn);
	CREATE TABLE served (turn INTEGER NOT NULL);
	INSERT INTO served VALUES (0);
`;

/** Longer than anybody gives a shard back for, but for those who do so for the time of a lease. */
const maxDelayMs = 60_000;

const nextOfAll =
	'SELECT batch, shard, tries, turn FROM shards WHERE due <= ? OR due > ? ORDER BY turn, batch LIMIT 1';
/** From batch to batch, so that what those have that are not wanted is not looked at. */
const nextOfOthers = `
	WITH RECURSIVE
		known (batch) AS (
			SELECT MIN(batch) FROM shards
			UNION ALL
			SELECT (SELECT MIN(batch) FROM shards WHERE shards.batch > known.batch) FROM known
			WHERE known.batch IS NOT NULL
		),
		first (batch, shard) AS (
			SELECT batch, (
				SELECT shard FROM shards
				WHERE shards.batch = known.batch AND (due <= ? OR due > ?) ORDER BY turn LIMIT 1
			)
			FROM known
			WHERE batch IS NOT NULL AND batch NOT IN (SELECT value FROM json_each(?))
		)
	SELECT shards.batch, shards.shard, tries, turn
	FROM first JOIN shards ON shards.batch = first.batch AND shards.shard = first.shard
	ORDER BY turn, shards.batch LIMIT 1
`;

/** Shards whose turns are moved with one lease: it is not to take long. */
const maxMoved = 2000;

/** What a batch has missed while it was left out comes after the rest of it, as far apart as it was. */
function moveMissed(db: DatabaseSync, batch: string, first: number, served: number): void {
	const missed = db
		.prepare(
			'SELECT shard, turn FROM shards WHERE batch = ? AND turn < ? AND tries = 0 ORDER BY turn LIMIT ?',
		)
		.all(batch, served, maxMoved);
	if (missed.length === 0) return;
	const last = db.prepare('SELECT MAX(turn) AS turn FROM shards WHERE batch = ?').get(batch);
	const from = Math.max(served, Number(last?.['turn'] ?? 0));
	const move = db.prepare('UPDATE shards SET turn = ? WHERE batch = ? AND shard = ?');
	let before = first;
	let turn = from;
	for (const each of missed) {
		turn += Math.max(1, Number(each['turn']) - before);
		before = Number(each['turn']);
		move.run(turn, batch, Number(each['shard']));
	}
}

export interface SqliteQueueOptions {
	/** Milliseconds since 1970. */
	readonly now: () => number;
	/** Longest wait for another process that writes. */
	readonly busyMs?: number;
	/** Nobody else works from this file, so whoever holds leases in it has ended. */
	readonly isAlone?: boolean;
}

export function openSqliteQueue(
	path: string,
	{ now, busyMs = 1000, isAlone = false }: SqliteQueueOptions,
): JobQueue {
	const file = new SqliteFile(path, {
		...{ holds: 'The queue of batches', schema, version: 1, busyMs },
	});
	if (isAlone) file.change((db) => db.exec('UPDATE shards SET due = 0'));
	return {
		losses: 0,
		add: async (shards, stride) =>
			file.change((db) => {
				let turn = Number(db.prepare('SELECT turn FROM served').get()?.['turn'] ?? 0);
				const add = db.prepare('INSERT OR IGNORE INTO shards VALUES (?, ?, ?, 0, NULL, 0)');
				for (const { batch, shard } of shards) {
					turn += stride;
					add.run(batch, shard, turn);
				}
			}),
		lease: async (leaseMs, except = new Set()) =>
			file.change((db): ShardLease | undefined => {
				const at = now();
				// A clock that was set back must not hold what is waiting or leased for much longer than was meant.
				const late = at + Math.max(maxDelayMs, 2 * leaseMs);
				const found =
					except.size === 0
						? db.prepare(nextOfAll).get(at, late)
						: db.prepare(nextOfOthers).get(at, late, JSON.stringify([...except]));
				if (found === undefined) return undefined;
				const [batch, shard] = [String(found['batch']), Number(found['shard'])];
				const token = randomBytes(12).toString('hex');
				const tries = Number(found['tries']) + 1;
				db.prepare(
					'UPDATE shards SET due = ?, token = ?, tries = ? WHERE batch = ? AND shard = ?',
				).run(at + leaseMs, token, tries, batch, shard);
				const turn = Number(found['turn']);
				const served = Number(db.prepare('SELECT turn FROM served').get()?.['turn'] ?? 0);
				if (turn < served) moveMissed(db, batch, turn, served);
				else db.prepare('UPDATE served SET turn = ?').run(turn);
				return { batch, shard, token, tries };
			}),
		// Whoever has the shard after its lease has run out has written a token of his own: a computer that slept goes on.
		renew: async (lease, leaseMs) => held(lease, 'UPDATE shards SET due = ?', [now() + leaseMs]),
		complete: async (lease) => held(lease, 'DELETE FROM shards', []),
		giveBack: async (lease, delayMs = 0) =>
			void held(lease, 'UPDATE shards SET token = NULL, tries = tries - 1, due = ?', [
				now() + delayMs,
			]),
		remove: async (batch) =>
			file.change((db) => void db.prepare('DELETE FROM shards WHERE batch = ?').run(batch)),
		count: async (batch) =>
			file.read((db) =>
				Number(
					db.prepare('SELECT COUNT(*) AS n FROM shards WHERE batch = ?').get(batch)?.['n'] ?? 0,
				),
			),
		[Symbol.asyncDispose]: async () => file.close(),
	};

	/** Does something with a shard if the lease is still the one that holds it. */
	function held(
		{ batch, shard, token }: ShardRef & { readonly token: string },
		change: string,
		values: number[],
	): boolean {
		return file.change(
			(db) =>
				db
					.prepare(`${change} WHERE batch = ? AND shard = ? AND token = ?`)
					.run(...values, batch, shard, token).changes > 0,
		);
	}
}
