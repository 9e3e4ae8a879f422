/** Memory of this process: what it holds, and giving freed memory back to the system. */

import { totalmem } from 'node:os';
import { roughlyUsableMemory } from '../../net/roughMemory.ts';
import { loadKoffi } from './nativePackages.ts';

/** Bytes of physical memory this process holds. */
export function residentBytes(): number {
	return process.memoryUsage.rss();
}

/**
 * Bytes the caches may take when the user set no limit: a quarter of what is free now, at least
 * 256 MiB and at most an eighth of the machine's memory plus 1 GiB.
 */
export function defaultCacheBytes(free = roughlyUsableMemory(), total = totalmem()): number {
	const mib = 1 << 20;
	return Math.round(Math.max(256 * mib, Math.min(free / 4, total / 8 + 1024 * mib)));
}

let trim: ((keep: number) => number) | undefined | null;

/** Returns freed heap to the system where the C library keeps it (glibc); elsewhere does nothing. */
export async function trimMemory(): Promise<void> {
	if (process.platform !== 'linux' || trim === null) return;
	try {
		if (trim === undefined) {
			const koffi = loadKoffi();
			const libc = koffi.load('libc.so.6');
			// The library handle keeps the function valid.
			(globalThis as { __nearglotLibc?: unknown }).__nearglotLibc = libc;
			trim = libc.func('int malloc_trim(size_t keep)') as unknown as (keep: number) => number;
		}
		trim(0);
	} catch {
		// musl and others have no such function; their allocators return memory by themselves.
		trim = null;
	}
}
