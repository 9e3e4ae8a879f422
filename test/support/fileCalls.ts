/** Counts calls of Node's file system functions in this process, so that a test can say how many a request makes. */

import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

type Functions = Record<string, unknown>;

/** What touches no file, or only an open one. */
const free = new Set(['constants', 'watch', 'unwatchFile', 'close', 'read', 'write', 'fstat']);

export interface FileCalls extends Disposable {
	/** Calls by name since the last time. */
	take(): { readonly total: number; readonly byName: Readonly<Record<string, number>> };
}

/** Starts to count; ends when disposed. */
export function countFileCalls(): FileCalls {
	const counts = new Map<string, number>();
	const undo = [
		wrap(fs as unknown as Functions, counts),
		wrap(promises as unknown as Functions, counts),
	];
	syncBuiltinESMExports();
	return {
		take: () => {
			const byName = Object.fromEntries(counts);
			const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
			counts.clear();
			return { total, byName };
		},
		[Symbol.dispose]: () => {
			for (const step of undo) step();
			syncBuiltinESMExports();
		},
	};
}

function wrap(functions: Functions, counts: Map<string, number>): () => void {
	const originals: Functions = {};
	for (const [name, original] of Object.entries(functions)) {
		if (typeof original !== 'function' || free.has(name) || /^[A-Z_]/.test(name)) continue;
		originals[name] = original;
		const counted = (...args: unknown[]): unknown => {
			counts.set(name, (counts.get(name) ?? 0) + 1);
			return Reflect.apply(original, functions, args);
		};
		// Some functions carry others: `realpath.native`.
		functions[name] = Object.assign(counted, original);
	}
	return () => void Object.assign(functions, originals);
}
