/** What a process holds that should come back: memory, descriptors, deleted files, files on their way. */

import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface ProcessFacts {
	readonly residentBytes: number;
	readonly handles: number;
	/** Files that it has open though they were deleted: their room on the disk does not come back. */
	readonly deleted: readonly string[];
}

/** `undefined` where the system does not tell. */
export function processFacts(pid: number): ProcessFacts | undefined {
	try {
		const pages = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
		// A process that has ended and waits to be noticed has no memory any more.
		if (pages === null) return undefined;
		const open = openPaths(pid);
		return {
			residentBytes: Number(pages[1]) * 1024,
			handles: open.length,
			deleted: deletedOf(open),
		};
	} catch {
		return undefined;
	}
}

/** Where the descriptors of a process lead: paths, or what the system calls its pipes and sockets. */
export function openPaths(pid: number): string[] {
	const folder = `/proc/${pid}/fd`;
	return readdirSync(folder).flatMap((descriptor) => {
		try {
			return [readlinkSync(join(folder, descriptor))];
		} catch {
			// Closed meanwhile.
			return [];
		}
	});
}

/** Shared memory of the system has no other name than that of a deleted file. */
export const deletedOf = (open: readonly string[]): string[] =>
	open.filter((path) => /^\/(?!memfd:|dev\/shm\/|dev\/zero).* \(deleted\)$/.test(path));

/** Files below folders, and empty folders; a folder that is absent holds none. */
export function filesBelow(folders: readonly string[]): string[] {
	return folders.flatMap((folder) => {
		try {
			return readdirSync(folder, { recursive: true, encoding: 'utf8' })
				.map((name) => join(folder, name))
				.filter((path) => !isFilled(path));
		} catch {
			return [];
		}
	});
}

/** Whether it is a folder with something in it. */
function isFilled(path: string): boolean {
	try {
		return statSync(path).isDirectory() && readdirSync(path).length > 0;
	} catch {
		return true;
	}
}
