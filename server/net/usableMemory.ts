/** How much memory a model may take now, as each system knows it. */

import { execFile } from 'node:child_process';
import { freemem } from 'node:os';
import { promisify } from 'node:util';

/** What is asked of the system; tests put another one in its place. */
export interface MemorySystem {
	readonly platform: NodeJS.Platform;
	/** Bytes nobody uses; on macOS next to nothing, as it keeps all memory in use. */
	freeBytes(): number;
	/** Bytes a process may take within its control group, where Node knows. */
	availableBytes(): number | undefined;
	/** What `vm_stat` prints. */
	vmStat(): Promise<string>;
}

const run = promisify(execFile);

const here: MemorySystem = {
	platform: process.platform,
	freeBytes: freemem,
	availableBytes: () => process.availableMemory?.(),
	vmStat: async () => (await run('/usr/bin/vm_stat', { timeout: 2000, windowsHide: true })).stdout,
};

/**
 * Bytes of memory that can be had without anybody being hurt: what is free, and what the system gives back when
 * asked (caches and pages it may drop). Linux and Windows say so themselves. macOS counts as free only what it has
 * no use for, some hundred megabytes on any machine; there the pages that it may drop are added.
 */
export async function usableMemory(system: MemorySystem = here): Promise<number> {
	if (system.platform === 'darwin') {
		const counted = await system.vmStat().then(droppableBytes, () => undefined);
		if (counted !== undefined) return counted;
	}
	return system.availableBytes() ?? system.freeBytes();
}

/** Pages that `vm_stat` counts in lines like `Pages free: 4212.`, with their size in its first line. */
function droppableBytes(text: string): number | undefined {
	const pageBytes = Number(/page size of (\d+) bytes/.exec(text)?.[1]);
	const counts = ['free', 'inactive', 'speculative', 'purgeable'].map((kind) =>
		Number(new RegExp(`^Pages ${kind}:\\s*(\\d+)\\.`, 'm').exec(text)?.[1]),
	);
	const bytes = counts.reduce((sum, count) => sum + count, 0) * pageBytes;
	return Number.isFinite(bytes) ? bytes : undefined;
}
