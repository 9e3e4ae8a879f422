/**
 * A process that works from a store and a queue, for tests of what happens when it is killed: `node jobWorker.ts OPTIONS`,
 * with the options as JSON. Items answer their own text in capitals; `poison` ends the process.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createActivity } from '../../server/daemon/activity.ts';
import { jobLimits } from '../../server/jobs/batchLimits.ts';
import { openFolderStore } from '../../server/jobs/folderStore.ts';
import type { RunItem } from '../../server/jobs/itemRow.ts';
import { JobService, type JobServiceDeps } from '../../server/jobs/jobService.ts';
import { openSqliteQueue } from '../../server/jobs/sqliteQueue.ts';
import { silentLogger } from '../../server/services/logger.ts';

export interface JobWorkerOptions {
	readonly store: string;
	/** File of the embedded queue, or the address of a Redis. */
	readonly queue: string;
	readonly isAlone: boolean;
	readonly width: number;
	readonly leaseMs: number;
	readonly itemMs: number;
	/** Goes in front of its answers, and notes in a file of this name beside the store that it has begun a shard. */
	readonly mark?: string;
	/** Ends itself, as `kill -9` would, the n-th time it gets there. */
	readonly fault?: { readonly point: string; readonly times: number };
}

/** An item's answer, after a time, as a model of a temperature of 0 would give it. */
export const capitals =
	(itemMs: number, mark = ''): RunItem =>
	async ({ body }, signal) => {
		const { text } = body as { readonly text: string };
		if (text === 'poison') process.kill(process.pid, 'SIGKILL');
		if (itemMs > 0) await sleep(itemMs, undefined, { signal });
		return {
			...{ status: 200, requestId: '' },
			body: { text: mark + text.toUpperCase(), usage: { prompt_tokens: 1 } },
		};
	};

/** @param now milliseconds since 1970, as this process has them */
export function openJobs(
	options: JobWorkerOptions,
	env: NodeJS.ProcessEnv = {},
	now: () => number = Date.now,
	more: Partial<
		Pick<JobServiceDeps, 'pause' | 'openQueue' | 'openStore' | 'activity' | 'ending'>
	> = {},
): JobService {
	let left = options.fault?.times ?? 0;
	return new JobService({
		openStore: () => openFolderStore(options.store, now),
		openQueue: async () =>
			options.queue.startsWith('redis://')
				? (await import('../../server/jobs/bullQueue.ts')).openBullQueue(
						options.queue,
						options.leaseMs,
						now,
					)
				: openSqliteQueue(options.queue, { now, isAlone: options.isAlone }),
		mayHaveWork: () => true,
		isShared: !options.isAlone,
		limits: jobLimits(env),
		scratch: join(options.store, '..', 'tmp'),
		log: silentLogger,
		now,
		...{ width: options.width, leaseMs: options.leaseMs, tickMs: 50 },
		activity: createActivity(),
		reached: (point) => {
			if (point === 'leased' && options.mark !== undefined)
				writeFileSync(join(options.store, '..', options.mark), '');
			if (point === options.fault?.point && --left === 0) process.kill(process.pid, 'SIGKILL');
		},
		...more,
	});
}

if (import.meta.main) {
	const options = JSON.parse(process.argv[2] ?? '{}') as JobWorkerOptions;
	openJobs(options).start(capitals(options.itemMs, options.mark));
	// The parent's end is this one's.
	process.stdin.on('end', () => process.exit()).resume();
}
