/**
 * A database of the data folder: private from its first byte, set aside when it is damaged, and errors of SQLite in
 * words. Its statements wait for the disk, so it belongs into a thread.
 */

import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { AppError, errno } from '../protocol/index.ts';
import { makeFolder } from './makeFolder.ts';
import { movePath, removePath } from './movePath.ts';
import { openDatabase } from './sqlite.ts';

export interface SqliteFileOptions {
	/** What it holds, for messages: `The kept responses`. */
	readonly holds: string;
	/** Tables and indexes, each `IF NOT EXISTS`. */
	readonly schema: string;
	/** Of the schema; a file of a later one is set aside. */
	readonly version: number;
	/** How long a statement waits for another program that has locked the file. */
	readonly busyMs: number;
	/** Date of this moment, for the name of what is set aside. */
	readonly now: () => Date;
	/** Told of a file that was set aside. */
	readonly onAside: (sentence: string) => void;
}

/** SQLite keeps these beside the file. */
const besides = ['', '-wal', '-shm'];

/**
 * Opens it, or makes it; a damaged one is renamed to `NAME.damaged-<date>` first.
 * @throws AppError `store_unavailable`, `disk_full`
 */
export async function openSqliteFile(
	path: string,
	options: SqliteFileOptions,
): Promise<DatabaseSync> {
	try {
		return opened(path, options);
	} catch (error) {
		if (!isDamaged(error)) throw sqliteError(error, path, options.holds);
		await renameDamaged(path, options);
		try {
			return opened(path, options);
		} catch (again) {
			throw sqliteError(again, path, options.holds);
		}
	}
}

/** Renames the files of a database that is closed. */
export async function renameDamaged(
	path: string,
	{ holds, now, onAside }: Pick<SqliteFileOptions, 'holds' | 'now' | 'onAside'>,
): Promise<void> {
	const aside = `${path}.damaged-${now().toISOString().replace(/[:.]/g, '-')}`;
	for (const end of besides) if (existsSync(path + end)) await movePath(path + end, aside + end);
	onAside(
		`${holds} could not be read: ${path} is damaged or of a later version. It is kept as ${aside}.`,
	);
}

/** Removes the files of a database that is closed. */
export async function removeDatabase(path: string): Promise<void> {
	for (const end of besides) await removePath(path + end, { force: true });
}

/** Says of an opened file that its contents cannot be what was written. */
class LaterVersion extends Error {}

function opened(path: string, { schema, version, busyMs }: SqliteFileOptions): DatabaseSync {
	let db: DatabaseSync | undefined;
	try {
		makeFolder(dirname(path), 0o700);
		try {
			closeSync(openSync(path, 'wx', 0o600));
		} catch (error) {
			if (errno(error) !== 'EEXIST') throw error;
		}
		db = openDatabase(path, { timeout: busyMs });
		const found = Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
		if (found > version) throw new LaterVersion();
		chmodSync(path, 0o600);
		db.exec(`
			PRAGMA journal_mode = WAL;
			-- A killed process loses nothing; a power cut at most the last moments.
			PRAGMA synchronous = NORMAL;
			PRAGMA foreign_keys = ON;
			-- What is deleted is overwritten.
			PRAGMA secure_delete = ON;
			PRAGMA journal_size_limit = 4194304;
			PRAGMA user_version = ${version};
			${schema}
		`);
		return db;
	} catch (error) {
		db?.close();
		throw error;
	}
}

const codeOf = (error: unknown): number =>
	error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;

/** SQLITE_CORRUPT, SQLITE_NOTADB, and a file from the future. */
export const isDamaged = (error: unknown): boolean =>
	error instanceof LaterVersion || [11, 26].includes(codeOf(error));

/** What SQLite says, by the number of its primary result codes. */
const troubles: ReadonlyMap<number, readonly ['store_unavailable' | 'disk_full', string]> = new Map(
	[
		[5, ['store_unavailable', 'another program has locked it. End that program and try again']],
		[6, ['store_unavailable', 'another program has locked it. End that program and try again']],
		[8, ['store_unavailable', 'this user may not write it. Give this user the right to do so']],
		[10, ['store_unavailable', 'its disk reports a fault. Check the disk and its connection']],
		[13, ['disk_full', 'there is no space left on its disk. Free some space and try again']],
		[
			14,
			['store_unavailable', 'it cannot be opened or made. Check that its folder can be written to'],
		],
	],
);

/** An error of SQLite or of the file system as a sentence. */
export function sqliteError(error: unknown, path: string, holds: string): unknown {
	if (error instanceof AppError) return error;
	const known = troubles.get(codeOf(error));
	const system = errno(error);
	if (known === undefined && (system === undefined || system.startsWith('ERR_'))) {
		if (!isDamaged(error)) return error;
		return new AppError(
			'store_unavailable',
			`${holds} cannot be used: ${path} is damaged. It was set aside; try again.`,
			{ cause: error },
		);
	}
	const [code, reason] = known ?? [
		system === 'ENOSPC' ? ('disk_full' as const) : ('store_unavailable' as const),
		`the system refuses with ${system}. Check its folder`,
	];
	return new AppError(code, `${holds} cannot be used: ${path}: ${reason}.`, { cause: error });
}
