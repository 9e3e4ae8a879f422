/**
 * A value that the product keeps in an SQLite file: private, opened when it is first needed and again when somebody
 * has put another file in its place. One that is damaged is set aside and told of once; what keeps people out is never
 * counted as empty because its file is gone.
 */

import { chmodSync, closeSync, openSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { AppError, errno } from '../protocol/index.ts';
import { reasonOf } from './checkPlace.ts';
import { makeFolder } from './makeFolder.ts';
import { notify } from './notices.ts';
import { openDatabase } from './sqlite.ts';

export interface SqliteFormat {
	/** What the file holds, for messages: `The keys`. */
	readonly holds: string;
	/** `CREATE TABLE IF NOT EXISTS …` */
	readonly schema: string;
	/** Of this schema; a file of a later one is not touched. */
	readonly version: number;
	/** A change is on the disk before it is answered; otherwise a power cut may take the last ones back. */
	readonly durable?: boolean;
	/** Somebody is kept out by it: see `JsonFormat`. */
	readonly guards?: boolean;
	/** Longest wait for another process that writes; nothing else happens meanwhile. */
	readonly busyMs: number;
}

/** What SQLite says, by the number of its primary result codes. */
const troubles: ReadonlyMap<number, string> = new Map([
	[5, 'another program has locked it. End that program, or try again'],
	[6, 'another program has locked it. End that program, or try again'],
	[8, 'it cannot be written. Give this user the right to write it and its folder'],
	[10, 'its disk reports a fault, or is full. Check the disk'],
	[13, 'there is no space left on its disk. Free some space'],
	[14, 'it cannot be opened or made. Check that its folder can be written to'],
]);
const damaged: ReadonlySet<number> = new Set([11, 26]);

const codeOf = (error: unknown): number =>
	error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;

export class SqliteFile {
	readonly path: string;
	readonly #format: SqliteFormat;
	#open: { readonly db: DatabaseSync; readonly inode: bigint } | undefined;

	constructor(path: string, format: SqliteFormat) {
		this.path = path;
		this.#format = format;
	}

	/**
	 * Works with the file, all of it or, where `work` throws, nothing.
	 * @throws AppError `store_unavailable`, and whatever `work` throws that is no error of SQLite
	 */
	change<T>(work: (db: DatabaseSync) => T): T {
		return this.read((db) => {
			db.exec('BEGIN IMMEDIATE');
			try {
				const result = work(db);
				db.exec('COMMIT');
				// A copy of the one file is a whole backup; another process that reads at this moment puts it off.
				if (this.#format.durable) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
				return result;
			} catch (error) {
				if (db.isOpen && db.isTransaction) db.exec('ROLLBACK');
				throw error;
			}
		});
	}

	/** Reads the file. @throws as {@link change} */
	read<T>(work: (db: DatabaseSync) => T): T {
		try {
			return work(this.#database());
		} catch (error) {
			throw this.#problem(error);
		}
	}

	/** Whether there is a file, so that nothing is made by looking. */
	get exists(): boolean {
		return inodeOf(this.path) !== undefined || inodeOf(this.#marker) !== undefined;
	}

	close(): void {
		const open = this.#open;
		this.#open = undefined;
		if (open?.db.isOpen) open.db.close();
	}

	#database(): DatabaseSync {
		const inode = inodeOf(this.path);
		if (this.#open !== undefined && this.#open.inode === inode) return this.#open.db;
		this.close();
		if (inode === undefined && this.#format.guards && inodeOf(this.#marker) !== undefined)
			throw this.#missing();
		try {
			makeOwnFile(this.path);
			const db = this.#prepare();
			this.#open = { db, inode: inodeOf(this.path) ?? 0n };
			return db;
		} catch (error) {
			if (!damaged.has(codeOf(error))) throw error;
			this.#setAside();
			if (this.#format.guards) throw this.#missing();
			return this.#database();
		}
	}

	#prepare(): DatabaseSync {
		const { schema, version, durable, busyMs, guards } = this.#format;
		const db = openDatabase(this.path, { timeout: busyMs });
		try {
			const found = Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
			if (found > version)
				throw new AppError(
					'store_unavailable',
					`${this.#format.holds} cannot be read: ${this.path} was written by a later version. Use that version, or move the file away.`,
				);
			if (found > 0 && db.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] !== 'ok')
				throw Object.assign(new Error('damaged'), { errcode: 11 });
			db.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`);
			if (found < version) {
				db.exec('PRAGMA journal_mode = WAL');
				db.exec(`BEGIN IMMEDIATE; ${schema}; PRAGMA user_version = ${version}; COMMIT`);
			}
			if (guards && inodeOf(this.#marker) === undefined) this.#remember();
			return db;
		} catch (error) {
			db.close();
			throw error;
		}
	}

	get #marker(): string {
		return `${this.path}.made`;
	}

	#remember(): void {
		const text = `While this file is here, ${basename(this.path)} counts as lost when it is missing, not as empty.\n`;
		try {
			writeFileSync(this.#marker, text, { mode: 0o600 });
		} catch {
			// On a disk that is full or read-only it is remembered by the next start.
		}
	}

	#missing(): AppError {
		return new AppError(
			'store_unavailable',
			`${this.#format.holds} cannot be read: ${this.path} is missing or damaged. Put it back from a backup (a damaged one lies beside it, named ${basename(this.path)}.damaged-…), or delete ${this.#marker} to start with an empty one.`,
		);
	}

	#setAside(): void {
		const { holds } = this.#format;
		const date = new Date().toISOString().replace(/[:.]/g, '-');
		const aside = `${this.path}.damaged-${date}`;
		for (const ending of ['', '-wal', '-shm'])
			try {
				renameSync(this.path + ending, aside + ending);
			} catch (error) {
				if (errno(error) !== 'ENOENT') throw error;
			}
		notify(`${holds} could not be read: ${this.path} is damaged. It is kept as ${aside}.`);
	}

	#problem(error: unknown): unknown {
		if (error instanceof AppError) return error;
		const code = codeOf(error);
		const isSqlite = error instanceof Error && 'errcode' in error;
		if (!isSqlite && errno(error) === undefined) return error;
		if (damaged.has(code)) {
			// The next one who asks sets it aside.
			this.close();
			return this.#missing();
		}
		return new AppError(
			'store_unavailable',
			`${this.#format.holds} cannot be used: ${this.path}: ${troubles.get(code) ?? reasonOf(error)}.`,
			{ cause: error, retryAfterS: 1 },
		);
	}
}

/** A new file is private from its first byte on. */
function makeOwnFile(path: string): void {
	makeFolder(dirname(path), 0o700);
	try {
		closeSync(openSync(path, 'wx', 0o600));
	} catch (error) {
		if (errno(error) !== 'EEXIST') throw error;
		const { mode } = statSync(path);
		if ((mode & 0o077) !== 0) chmodSync(path, 0o600);
	}
}

const inodeOf = (path: string): bigint | undefined =>
	statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
