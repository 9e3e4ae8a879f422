/** SQLite, as Node has it: the one door, since Node 22 speaks of it to people, and Windows has short paths. */

import type { DatabaseSync as Database, DatabaseSyncOptions } from 'node:sqlite';
import { nativePath } from './nativePath.ts';

type Sqlite = typeof import('node:sqlite');

/** Opens a database, or makes an empty one. Throws errors of SQLite. */
export function openDatabase(path: string, options: DatabaseSyncOptions = {}): Database {
	const { DatabaseSync } = loadSqlite();
	return new DatabaseSync(nativePath(path), options);
}

let loaded: Sqlite | undefined;

function loadSqlite(): Sqlite {
	loaded ??= withoutRemark(() => process.getBuiltinModule('node:sqlite'));
	return loaded;
}

/**
 * Node 22 prints for each process that SQLite is experimental there, which nobody who runs a command can do anything
 * about. That one remark is left out, while SQLite is loaded; every other is printed.
 */
export function withoutRemark<Result>(load: () => Result, node = process): Result {
	const { emitWarning } = node;
	const print = emitWarning as (...args: unknown[]) => void;
	const others = (warning: unknown, type?: unknown, code?: unknown, maker?: unknown): void => {
		if (!isRemark(warning, type)) print.call(node, warning, type, code, maker);
	};
	node.emitWarning = others as typeof emitWarning;
	try {
		const result = load();
		return result;
	} finally {
		node.emitWarning = emitWarning;
	}
}

const isRemark = (warning: unknown, type: unknown): boolean =>
	type === 'ExperimentalWarning' &&
	typeof warning === 'string' &&
	warning.startsWith('SQLite is an experimental feature');
