/** A batch as the interface writes it. */

import type { BatchStatus } from '../jobs/jobTypes.ts';
import type { BatchView } from '../jobs/personBatches.ts';
import type { BatchAnswer } from '../protocol/routes/batches.ts';

/** @param nowMs monotonic, for the rate */
export function batchAnswer({ record, end, open }: BatchView, nowMs: number): BatchAnswer {
	const total = open?.manifest?.total ?? 0;
	const counts = end?.counts ?? open?.done.counts(total) ?? { total, completed: 0, failed: 0 };
	const { input, output } = end?.usage ?? open?.done.usage ?? { input: 0, output: 0 };
	const at = (status: BatchStatus) => (end?.status === status ? end.at : null);
	const progress = open?.manifest === undefined ? undefined : open.progress(nowMs);
	const { problems } = end ?? {};
	return {
		id: record.id,
		object: 'batch',
		endpoint: record.endpoint,
		errors:
			problems === undefined
				? null
				: {
						object: 'list',
						data: problems.map(({ code, message, line }) => ({
							...{ code, message, line: line ?? null, param: null },
						})),
					},
		input_file_id: record.inputFileId,
		completion_window: record.completionWindow,
		status: statusOf({ record, ...(end && { end }), ...(open && { open }) }),
		output_file_id: end?.outputFileId ?? null,
		error_file_id: end?.errorFileId ?? null,
		created_at: record.createdAt,
		in_progress_at: open?.manifest?.at ?? end?.inProgressAt ?? null,
		expires_at: record.expiresAt,
		finalizing_at: end?.finalizingAt ?? open?.finalizingAt ?? null,
		completed_at: at('completed'),
		failed_at: at('failed'),
		expired_at: at('expired'),
		cancelling_at: end?.cancellingAt ?? open?.cancelledAt ?? null,
		cancelled_at: at('cancelled'),
		request_counts: { ...counts },
		usage: {
			input_tokens: input,
			// The interface has them in any case; they are not counted.
			input_tokens_details: { cached_tokens: 0 },
			output_tokens: output,
			output_tokens_details: { reasoning_tokens: 0 },
			total_tokens: input + output,
		},
		metadata: record.metadata ?? null,
		paused: open?.isPaused ?? false,
		progress:
			progress === undefined
				? null
				: {
						items: progress.items,
						items_per_second: progress.perSecond ?? null,
						seconds_left: progress.secondsLeft ?? null,
					},
		problem: open?.obstacle ?? null,
	};
}

function statusOf({ end, open }: BatchView): BatchStatus {
	if (end !== undefined) return end.status;
	if (open?.cancelledAt !== undefined) return 'cancelling';
	if (open?.manifest === undefined) return 'validating';
	return open.finalizingAt !== undefined ? 'finalizing' : 'in_progress';
}
