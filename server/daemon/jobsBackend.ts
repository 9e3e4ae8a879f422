/** The parts of the daemon that do bulk work: where its objects lie, and who has the queue. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { jobLimits } from '../jobs/batchLimits.ts';
import type { openBullQueue } from '../jobs/bullQueue.ts';
import { openFolderStore } from '../jobs/folderStore.ts';
import type { JobQueue } from '../jobs/jobQueue.ts';
import { JobService } from '../jobs/jobService.ts';
import type { ObjectStore } from '../jobs/objectStore.ts';
import { s3PlaceOf } from '../jobs/s3Place.ts';
import type { openS3Store } from '../jobs/s3Store.ts';
import { openSqliteQueue } from '../jobs/sqliteQueue.ts';
import { AppError, asAppError, errno } from '../protocol/index.ts';
import type { Logger } from '../services/logger.ts';
import { freeBytesOf } from '../services/machineFacts.ts';
import { removePath } from '../store/movePath.ts';
import { scratchIn } from '../store/scratch.ts';
import type { Activity } from './activity.ts';
import { busyMs } from './peopleBackend.ts';

export interface JobsSettings {
	readonly dataDir: string;
	readonly env: NodeJS.ProcessEnv;
	readonly jobs?: JobsOptions | undefined;
}

/** What a server was told at its start. */
export interface JobsOptions {
	/** Folder of files and results, or `s3://…`; default a folder in the data folder. */
	readonly store?: string;
	/** `redis://…`: several machines work from one queue, and share the store. */
	readonly queue?: string;
	/** Parts of batches that are worked on at a time; 0: it only serves. */
	readonly width?: number;
	readonly leaseMs?: number;
	readonly tickMs?: number;
}

/** A worker that ends without a word is missed after this time. */
const usualLeaseMs = 30_000;
/** How often is looked what there is to do: each look costs requests where the store is a service. */
const lookMs = { folder: 1000, service: 5000 } as const;

export function createJobs(
	{ dataDir, env, jobs = {} }: JobsSettings,
	log: Logger,
	activity: Activity,
	ending: AbortSignal,
): JobService {
	const { width = 1, leaseMs = usualLeaseMs, queue } = jobs;
	const now = Date.now;
	const store = jobs.store ?? join(dataDir, 'batches');
	const isFolder = !isS3(store);
	const { tickMs = isFolder ? lookMs.folder : lookMs.service } = jobs;
	return new JobService({
		openStore: () => openStore(store, now),
		openQueue: async () => {
			if (queue !== undefined) return openSharedQueue(queue, leaseMs);
			// That of earlier versions, which knew no turns; what it held is put in again.
			for (const ending of ['', '-wal', '-shm'])
				await removePath(join(dataDir, `batch-queue.db${ending}`), { force: true });
			const path = join(dataDir, 'batch-shards.db');
			return openSqliteQueue(path, { now, busyMs: busyMs.daemon, isAlone: true });
		},
		mayHaveWork: () => queue !== undefined || !isFolder || existsSync(join(store, 'open')),
		isShared: queue !== undefined,
		limits: jobLimits(env),
		scratch: scratchIn(dataDir),
		log,
		now,
		...{ width, activity, ending, leaseMs, tickMs },
		// What is uploaded goes through the data folder, wherever it is kept in the end.
		freeBytes: async () =>
			least(await Promise.all((isFolder ? [dataDir, store] : [dataDir]).map(freeBytesOf))),
		...(isFolder ? { localPath: (key: string) => join(store, key) } : {}),
	});
}

const least = (numbers: readonly (number | undefined)[]): number | undefined =>
	numbers.reduce((min, each) => (min === undefined || (each ?? min) < min ? each : min));

/**
 * Opens and closes what a server was told, so that it does not start with a queue or store that it cannot use. What is
 * away for a while is said and waited for: everything but batches works without.
 * @throws AppError `invalid_request` for what no waiting mends
 */
export async function checkJobs(
	{ queue, store }: JobsOptions,
	say: (line: string) => void,
): Promise<void> {
	const check = async (open: () => Promise<AsyncDisposable>): Promise<void> => {
		try {
			await (await open())[Symbol.asyncDispose]();
		} catch (error) {
			const { code, message } = asAppError(error);
			if ((code !== 'store_unavailable' && code !== 'disk_full') || isKeptOut(error)) throw error;
			say(`${message} Until then there are no batches and files; all else works.\n`);
		}
	};
	if (queue !== undefined) await check(() => openSharedQueue(queue, usualLeaseMs));
	if (store !== undefined) await check(() => openStore(store, Date.now));
}

/** A folder that is none, or that this user may not write. */
const isKeptOut = (error: unknown): boolean =>
	/^(?:EACCES|EPERM|EROFS|ENOTDIR)$/.test(
		errno(error instanceof AppError ? error.cause : error) ?? '',
	);

export const isS3 = (store: string): boolean => store.startsWith('s3:');

async function openStore(store: string, now: () => number): Promise<ObjectStore> {
	if (!isS3(store)) return openFolderStore(store, now);
	const place = s3PlaceOf(store);
	const { openS3Store: open } = await load<{ openS3Store: typeof openS3Store }>(
		's3-store',
		's3Store',
	);
	return open(place);
}

async function openSharedQueue(url: string, leaseMs: number): Promise<JobQueue> {
	const module = await load<{ openBullQueue: typeof openBullQueue }>('bull-queue', 'bullQueue');
	return module.openBullQueue(url, leaseMs, Date.now);
}

/** Bundles of their own: hardly anybody needs them, and nobody else waits for them. */
async function load<T>(bundle: string, source: string): Promise<T> {
	const bundled = import.meta.url.endsWith('.cjs');
	const file = bundled ? `./${bundle}.cjs` : `../jobs/${source}.ts`;
	return (await import(new URL(file, import.meta.url).href)) as T;
}
