/** How many threads a run should use. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { fastCores } from './coreCount.ts';

/**
 * Physical cores this process may use: a second thread of a core, and a thread more than there are
 * cores, slow a decode step down. Linux names the siblings. Of processors with fast and slow cores only the fast ones
 * count: a run waits for its slowest thread. Where the system does not tell, two threads per core are assumed on x64
 * where the count is even.
 */
export function physicalCores(
	platform: NodeJS.Platform = process.platform,
	arch: string = process.arch,
	fast = fastCores(platform),
): number {
	const allowed = Math.max(1, availableParallelism());
	if (platform === 'linux') return Math.min(allowed, linuxCores() ?? allowed);
	if (fast !== undefined) return Math.max(1, Math.min(allowed, fast));
	const logical = cpus().length || allowed;
	const hasSiblings = platform !== 'darwin' && arch === 'x64' && logical >= 4 && logical % 2 === 0;
	return Math.max(1, Math.min(allowed, hasSiblings ? logical / 2 : logical));
}

function linuxCores(): number | undefined {
	const root = '/sys/devices/system/cpu';
	if (!existsSync(root)) return undefined;
	const cores = new Set<string>();
	for (const name of readdirSync(root)) {
		if (!/^cpu\d+$/.test(name)) continue;
		try {
			cores.add(readFileSync(`${root}/${name}/topology/thread_siblings_list`, 'utf8').trim());
		} catch {
			// A core that is switched off has no topology.
		}
	}
	return cores.size === 0 ? undefined : cores.size;
}
