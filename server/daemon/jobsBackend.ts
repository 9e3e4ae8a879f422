/** The parts of the daemon that do bulk work: where its objects lie, and who has the queue. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { jobLimits } from '../jobs/batchLimits.ts';
import { openFolderStore } from '../jobs/folderStore.ts';
import { JobService } from '../jobs/jobService.ts';
import { openSqliteQueue } from '../jobs/sqliteQueue.ts';
import type { Logger } from '../services/logger.ts';
import type { Activity } from './activity.ts';
import { busyMs } from './peopleBackend.ts';

export interface JobsSettings {
	readonly dataDir: string;
	readonly env: NodeJS.ProcessEnv;
	readonly jobs?: JobsOptions | undefined;
}

/** What a server was told at its start. */
export interface JobsOptions {
	/** Folder of files and results; default one in the data folder. */
	readonly store?: string;
	/** Parts of batches that are worked on at a time; 0: it only serves. */
	readonly width?: number;
	readonly leaseMs?: number;
	readonly tickMs?: number;
}

export function createJobs(
	{ dataDir, env, jobs = {} }: JobsSettings,
	log: Logger,
	activity: Activity,
): JobService {
	const folder = jobs.store ?? join(dataDir, 'batches');
	const now = Date.now;
	const { width = 1, leaseMs, tickMs } = jobs;
	return new JobService({
		openStore: () => openFolderStore(folder, now),
		openQueue: async () =>
			openSqliteQueue(join(dataDir, 'batch-queue.db'), {
				now,
				busyMs: busyMs.daemon,
				isAlone: true,
			}),
		mayHaveWork: () => existsSync(join(folder, 'open')),
		isShared: false,
		limits: jobLimits(env),
		log,
		now,
		width,
		activity,
		localPath: (key) => join(folder, key),
		...(leaseMs === undefined ? {} : { leaseMs }),
		...(tickMs === undefined ? {} : { tickMs }),
	});
}
