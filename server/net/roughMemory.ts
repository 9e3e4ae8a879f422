/** How much memory can be had now, as far as Node knows. `usableMemory.ts` asks the system where that is too little. */

import { freemem, totalmem } from 'node:os';

/** What Node is asked; tests put another one in its place. */
export interface RoughSystem {
	readonly platform: NodeJS.Platform;
	/** Bytes nobody uses; on macOS next to nothing, as it keeps all memory in use. */
	freeBytes(): number;
	/** Bytes a process may take within its control group, where Node knows. */
	availableBytes(): number | undefined;
	/** Of the machine. */
	totalBytes(): number;
}

export const roughSystem: RoughSystem = {
	platform: process.platform,
	freeBytes: freemem,
	availableBytes: () => process.availableMemory?.(),
	totalBytes: totalmem,
};

/** What Node says, in bytes; on macOS what has no use at this moment, some hundred megabytes on any machine. */
export const memoryByNode = (system: RoughSystem): number =>
	system.availableBytes() ?? system.freeBytes();

/**
 * Bytes that there are for this process and all others, however much is in use: of the machine, or what its control group
 * may take.
 * @param limit what Node says of the control group: nothing, 0 or more than any machine has where there is none
 */
export function totalMemory(
	total = totalmem(),
	limit: number | undefined = process.constrainedMemory?.(),
): number {
	return limit !== undefined && limit > 0 ? Math.min(total, limit) : total;
}

/** Bytes for processes that may start no other program; of macOS it stands for a quarter of the machine. */
export function roughlyUsableMemory(system: RoughSystem = roughSystem): number {
	if (system.platform === 'darwin') return system.totalBytes() / 4;
	return memoryByNode(system);
}
