/** Usage and counts of limits in one SQLite file of this machine. */

import type { KeyScope } from '../../protocol/limitTypes.ts';
import { SqliteFile } from '../../store/sqliteFile.ts';
import type { CountState } from './slidingCounts.ts';
import { lastDay, type UsageRow, type UsageStore, usageFields } from './usageRows.ts';

const schema = `
	CREATE TABLE IF NOT EXISTS usage (
		day TEXT NOT NULL, person TEXT NOT NULL, model TEXT NOT NULL, kind TEXT NOT NULL,
		${usageFields.map((field) => `${field} REAL NOT NULL`).join(', ')},
		PRIMARY KEY (day, person, model, kind)
	) WITHOUT ROWID;
	CREATE TABLE IF NOT EXISTS counts (person TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
	CREATE TABLE IF NOT EXISTS clock (id INTEGER PRIMARY KEY, seen INTEGER NOT NULL);
`;

const insert = `
	INSERT INTO usage VALUES (?, ?, ?, ?, ${usageFields.map(() => '?').join(', ')})
	ON CONFLICT (day, person, model, kind) DO UPDATE SET
	${usageFields.map((field) => `${field} = ${field} + excluded.${field}`).join(', ')}
`;

export class UsageFileStore implements UsageStore {
	readonly #file: SqliteFile;

	/** @param busyMs see `SqliteFormat` */
	constructor(path: string, busyMs: number) {
		this.#file = new SqliteFile(path, {
			holds: 'What people have used',
			version: 1,
			...{ schema, busyMs },
		});
	}

	async add(rows: readonly UsageRow[]): Promise<void> {
		this.write(rows, new Map(), undefined);
	}

	/**
	 * Usage, counts of limits and the time, all of them or nothing.
	 * @param counts states by person; without its reservations, which end with this process
	 * @param seenMs latest time that was seen
	 * @throws AppError `store_unavailable`
	 */
	write(
		rows: readonly UsageRow[],
		counts: ReadonlyMap<string, CountState>,
		seenMs: number | undefined,
	): void {
		this.#file.change((db) => {
			const add = db.prepare(insert);
			for (const row of rows)
				add.run(
					row.day,
					row.person,
					row.model,
					row.kind,
					...usageFields.map((field) => row[field]),
				);
			const keep = db.prepare('INSERT OR REPLACE INTO counts VALUES (?, ?)');
			for (const [person, { used }] of counts) keep.run(person, JSON.stringify({ used, held: {} }));
			if (seenMs !== undefined)
				db.prepare('INSERT OR REPLACE INTO clock VALUES (1, ?)').run(Math.floor(seenMs));
		});
	}

	/** @throws AppError `store_unavailable` */
	counts(person: string): CountState | undefined {
		if (!this.#file.exists) return undefined;
		const row = this.#file.read((db) =>
			db.prepare('SELECT state FROM counts WHERE person = ?').get(person),
		);
		return row === undefined ? undefined : (JSON.parse(String(row['state'])) as CountState);
	}

	/** The latest time that was noted; undefined where none was. */
	seenMs(): number | undefined {
		if (!this.#file.exists) return undefined;
		const row = this.#file.read((db) => db.prepare('SELECT seen FROM clock').get());
		return row === undefined ? undefined : Number(row['seen']);
	}

	async rows(from: string, to: string): Promise<UsageRow[]> {
		if (!this.#file.exists) return [];
		const all = this.#file.read((db) =>
			db
				.prepare(
					'SELECT * FROM usage WHERE day >= ? AND day <= ? ORDER BY day, person, model, kind',
				)
				.all(from, to),
		);
		return all.map((row) => ({
			day: String(row['day']),
			person: String(row['person']),
			model: String(row['model']),
			kind: String(row['kind']) as KeyScope,
			requests: Number(row['requests']),
			promptTokens: Number(row['promptTokens']),
			cachedTokens: Number(row['cachedTokens']),
			completionTokens: Number(row['completionTokens']),
			seconds: Number(row['seconds']),
			characters: Number(row['characters']),
		}));
	}

	async delete(person: string, to: string): Promise<number> {
		if (!this.#file.exists) return 0;
		return this.#file.change((db) => {
			if (to === lastDay) db.prepare('DELETE FROM counts WHERE person = ?').run(person);
			const rows = db.prepare('DELETE FROM usage WHERE person = ? AND day <= ?');
			return Number(rows.run(person, to).changes);
		});
	}

	async prune(before: string): Promise<void> {
		if (!this.#file.exists) return;
		this.#file.change((db) => db.prepare('DELETE FROM usage WHERE day < ?').run(before));
	}

	async close(): Promise<void> {
		this.#file.close();
	}
}
