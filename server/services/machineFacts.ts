/** What this computer offers to models: memory, disk, graphics processors, speed of the memory. */

import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { dirname } from 'node:path';
import type { MachineFacts } from '../protocol/index.ts';
import type { GpuService } from './gpus.ts';

/** Bytes copied to measure the memory: more than any cache holds. */
const copied = 64 << 20;

let bytesPerSecond: number | undefined;

/** Bytes a second one thread moves, the best of three copies; measured once. */
export function memorySpeed(): number {
	if (bytesPerSecond !== undefined) return bytesPerSecond;
	const from = Buffer.alloc(copied, 1);
	const to = Buffer.alloc(copied);
	let best = 0;
	for (let round = 0; round < 3; round++) {
		const began = performance.now();
		from.copy(to);
		// A copy reads and writes every byte.
		best = Math.max(best, (2 * copied * 1000) / Math.max(0.01, performance.now() - began));
	}
	bytesPerSecond = best;
	return best;
}

/** The file system of a folder, which need not be there yet. */
async function diskOf(folder: string): Promise<StatsFs | undefined> {
	for (let path = folder; ; path = dirname(path)) {
		const found = await statfs(path).catch(() => undefined);
		if (found || dirname(path) === path) return found;
	}
}

/** @param modelsDir folder that downloads are written to */
export async function machineFacts(modelsDir: string, gpus: GpuService): Promise<MachineFacts> {
	const disk = await diskOf(modelsDir);
	const found = await gpus.list().catch(() => []);
	return {
		memoryBytes: totalmem(),
		...(disk ? { diskFreeBytes: disk.bavail * disk.bsize } : {}),
		gpus: found.map(({ name }) => name),
		bytesPerSecond: memorySpeed(),
	};
}
