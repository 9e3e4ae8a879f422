/** Numbers kept over restarts: characters a translator key has used, milliseconds of a load. */

import { readFileSync } from 'node:fs';
import { writePrivateFile } from '../store/files.ts';

const delayMs = 1000;

export interface UsageFile {
	/** What was used before this start. */
	readonly used: ReadonlyMap<string, number>;
	/** Remembers a new total and writes it soon. */
	record(id: string, total: number): void;
}

/** @param onFault Told when the file cannot be written; counting goes on in memory. */
export function openUsageFile(path: string, onFault: (error: unknown) => void): UsageFile {
	const used = new Map<string, number>();
	try {
		const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
		for (const [id, total] of Object.entries(value ?? {}))
			if (typeof total === 'number') used.set(id, total);
	} catch {
		// No file yet, or a broken one: counting starts afresh.
	}
	let timer: NodeJS.Timeout | undefined;
	const write = (): void => {
		timer = undefined;
		writePrivateFile(path, `${JSON.stringify(Object.fromEntries(used))}\n`).catch(onFault);
	};
	return {
		used,
		record: (id, total) => {
			used.set(id, total);
			timer ??= setTimeout(write, delayMs).unref();
		},
	};
}
