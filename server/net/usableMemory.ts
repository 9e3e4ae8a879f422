/** How much memory a model may take now, as each system knows it. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { memoryByNode, type RoughSystem, roughSystem } from './roughMemory.ts';

/** What is asked of the system; tests put another one in its place. */
export interface MemorySystem extends RoughSystem {
	/** What `vm_stat` prints. */
	vmStat(): Promise<string>;
}

const run = promisify(execFile);

const here: MemorySystem = {
	...roughSystem,
	vmStat: async () => (await run('/usr/bin/vm_stat', { timeout: 2000, windowsHide: true })).stdout,
};

/**
 * Bytes of memory that can be had without anybody being hurt: what is free, and what the system gives back when
 * asked (caches and pages it may drop). Linux and Windows say so themselves. macOS counts as free only what it has
 * no use for; there the pages that it may drop are added. That takes another program: processes that may start none
 * are told by who started them.
 */
export async function usableMemory(system: MemorySystem = here): Promise<number> {
	if (system.platform === 'darwin') {
		const counted = await system.vmStat().then(droppableBytes, () => undefined);
		if (counted !== undefined) return counted;
	}
	return memoryByNode(system);
}

/**
 * Pages that `vm_stat` counts in lines like `Pages free: 4212.`, with their size in its first line. It takes the
 * speculative ones off the free ones; the purgeable ones are among the active and inactive ones.
 */
function droppableBytes(text: string): number | undefined {
	const pageBytes = Number(/page size of (\d+) bytes/.exec(text)?.[1]);
	const counts = ['free', 'inactive', 'speculative'].map((kind) =>
		Number(new RegExp(`^Pages ${kind}:\\s*(\\d+)\\.`, 'm').exec(text)?.[1]),
	);
	const bytes = counts.reduce((sum, count) => sum + count, 0) * pageBytes;
	return Number.isFinite(bytes) ? bytes : undefined;
}
