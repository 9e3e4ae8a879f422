/** Numbers kept over restarts: characters a translator key has used, milliseconds of a load. */

import { JsonFile, type JsonFormat } from '../store/jsonFile.ts';

const delayMs = 1000;

interface Used {
	readonly used: Readonly<Record<string, number>>;
}

export interface UsageFile {
	/** What was noted last. @throws AppError `store_unavailable` while a file that limits somebody is lost */
	used(id: string): number | undefined;
	/** Remembers a new total and writes it soon, in a second at the latest. */
	record(id: string, total: number): void;
	/** Resolves when all that was recorded is on the disk, or its owner knows why it is not. */
	save(): Promise<void>;
}

export interface UsageOptions {
	/** What is counted, for messages: `What the keys have used`. */
	readonly holds: string;
	/** Somebody's limit hangs on it: a lost file is not counted as zero. */
	readonly guards?: boolean;
}

/** @param onFault Told when the file cannot be read or written; counting goes on in memory. */
export function openUsageFile(
	path: string,
	options: UsageOptions,
	onFault: (error: unknown) => void,
): UsageFile {
	const format: JsonFormat<Used> = { ...options, fresh: () => ({ used: {} }), parse };
	const file = new JsonFile(path, format);
	const noted = new Map<string, number>();
	let before: Used['used'] | undefined;
	const read = (): Used['used'] => {
		before ??= file.readNow().used;
		return before;
	};
	try {
		read();
	} catch (error) {
		onFault(error);
	}
	let due: NodeJS.Timeout | undefined;
	let work = Promise.resolve();
	const write = (): void => {
		clearTimeout(due);
		due = undefined;
		work = file
			.change(({ used }) => [{ used: { ...used, ...Object.fromEntries(noted) } }, undefined])
			.catch(onFault);
	};
	return {
		used: (id) => noted.get(id) ?? read()[id],
		record: (id, total) => {
			noted.set(id, total);
			due ??= setTimeout(write, delayMs).unref();
		},
		save: async () => {
			if (due !== undefined) write();
			await work;
		},
	};
}

/** Until there was a version the numbers lay in the file by themselves. */
function parse(fields: Readonly<Record<string, unknown>>): Used | undefined {
	const used = (fields['used'] ?? fields) as Readonly<Record<string, unknown>> | null;
	if (typeof used !== 'object' || used === null) return undefined;
	const isCount = (value: unknown) => typeof value === 'number' && value >= 0;
	return Object.values(used).every(isCount) ? { used: used as Used['used'] } : undefined;
}
