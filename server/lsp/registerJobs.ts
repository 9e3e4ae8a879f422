/** Registers what an editor asks about bulk work of this computer. */

import {
	firstFailed,
	isJobOver,
	type JobChange,
	type JobInfo,
	localisedMessage,
	type RequestName,
	type Requests,
} from '../protocol/index.ts';
import {
	cancelBatch,
	fileContent,
	listBatches,
	pauseBatch,
	resumeBatch,
	retryBatch,
	showBatch,
} from '../protocol/routeAddresses.ts';
import type { Client } from '../protocol/routeClient.ts';
import type { BatchAnswer } from '../protocol/routes/batches.ts';
import { localise } from './texts.ts';

export interface JobRegistration {
	readonly handle: <M extends RequestName>(
		name: M,
		run: (params: Requests[M]['params'], signal: AbortSignal) => Promise<Requests[M]['result']>,
	) => void;
	/** The daemon of this computer. */
	readonly link: Client;
}

const changes = {
	pause: pauseBatch,
	resume: resumeBatch,
	cancel: cancelBatch,
	retry: retryBatch,
} satisfies Record<JobChange, unknown>;

export function registerJobs({ handle, link }: JobRegistration): void {
	handle('nearglot/jobs', async (_params, signal) => {
		const { data } = await link.call(listBatches, { query: { limit: '50' } }, { signal });
		return { jobs: data.map(jobOf) };
	});
	handle('nearglot/jobs/change', async ({ id, change }, signal) =>
		jobOf(await link.call(changes[change], { params: { id } }, { signal })),
	);
	handle('nearglot/jobs/errors', async ({ id }, signal) => {
		const { error_file_id: file } = await link.call(showBatch, { params: { id } }, { signal });
		if (file === null) return { items: [], hasMore: false };
		const answer = await link.open(fileContent, { params: { id: file } }, { signal });
		const { items, hasMore } = await firstFailed(answer);
		return {
			items: items.map((item) => ({ ...item, message: localisedMessage(item, localise) })),
			hasMore,
		};
	});
}

function jobOf(batch: BatchAnswer): JobInfo {
	const { id, endpoint, status, paused, progress, request_counts: counts, metadata } = batch;
	const refusal = batch.problem ?? batch.errors?.data[0];
	const problem = refusal && localisedMessage(refusal, localise);
	const ended = counts.completed + counts.failed;
	return {
		...{ id, name: metadata?.['name'] ?? id, endpoint, status, paused },
		...{ done: isJobOver(batch) ? ended : (progress?.items ?? ended) },
		...{ failed: counts.failed, total: counts.total },
		...(progress?.items_per_second == null ? {} : { perSecond: progress.items_per_second }),
		...(progress?.seconds_left == null ? {} : { secondsLeft: progress.seconds_left }),
		...{ createdAt: batch.created_at * 1000, hasErrors: batch.error_file_id !== null },
		...(problem === undefined ? {} : { problem }),
		...(batch.problem?.until === undefined ? {} : { problemUntil: batch.problem.until * 1000 }),
	};
}
