/** What this computer offers to models: memory, disk, graphics processors, speed of the memory. */

import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MachineFacts } from '../protocol/index.ts';
import type { GpuService } from './gpuService.ts';

/** Bytes copied to measure the memory: more than any cache holds. */
const copied = 64 << 20;
/** Bytes copied in one go: others have their turn in between. */
const part = 4 << 20;

let measured: Promise<number> | undefined;

/** Bytes a second one thread moves, the best of three copies; measured once. */
export function memorySpeed(): Promise<number> {
	measured ??= measure();
	return measured;
}

async function measure(): Promise<number> {
	const from = Buffer.allocUnsafeSlow(copied);
	const to = Buffer.allocUnsafeSlow(copied);
	let best = 0;
	// The first round has the system find the memory.
	for (let round = 0; round < 4; round++) {
		let ms = 0;
		for (let at = 0; at < copied; at += part) {
			if (round === 0) from.fill(1, at, at + part);
			const began = performance.now();
			from.copy(to, at, at, at + part);
			ms += performance.now() - began;
			await nextTurn();
		}
		// A copy reads and writes every byte.
		if (round > 0) best = Math.max(best, (2 * copied * 1000) / Math.max(0.01, ms));
	}
	return best;
}

/** The file system of a folder, which need not be there yet. */
async function diskOf(folder: string): Promise<StatsFs | undefined> {
	for (let path = folder; ; path = dirname(path)) {
		const found = await statfs(path).catch(() => undefined);
		if (found || dirname(path) === path) return found;
	}
}

/** Bytes that are free for this user on the disk of a folder, which need not be there yet. */
export async function freeBytesOf(folder: string): Promise<number | undefined> {
	const disk = await diskOf(folder);
	return disk && disk.bavail * disk.bsize;
}

/** @param modelsDir folder that downloads are written to */
export async function machineFacts(modelsDir: string, gpus: GpuService): Promise<MachineFacts> {
	const diskFreeBytes = await freeBytesOf(modelsDir);
	const found = await gpus.list().catch(() => []);
	return {
		memoryBytes: totalmem(),
		...(diskFreeBytes === undefined ? {} : { diskFreeBytes }),
		gpus: found.map(({ name }) => name),
		bytesPerSecond: await memorySpeed(),
	};
}
