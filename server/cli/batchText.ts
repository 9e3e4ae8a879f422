/** Batches as the command line shows them. */

import type { BatchAnswer } from '../protocol/routes/batches.ts';
import { timeText } from './progressBar.ts';

/** `in_progress  120 of 400  3 failed  12.5/s  18 s left` */
export function progressText({
	status,
	request_counts: counts,
	progress,
	paused,
}: BatchAnswer): string {
	const done = progress?.items ?? counts.completed + counts.failed;
	const rate = progress?.items_per_second ?? null;
	const left = progress?.seconds_left ?? null;
	return [
		paused ? 'paused' : status,
		`${done} of ${counts.total}`,
		...(counts.failed > 0 ? [`${counts.failed} failed`] : []),
		...(rate === null ? [] : [`${rate.toFixed(1)}/s`]),
		...(left === null ? [] : [`${timeText(left)} left`]),
	].join('  ');
}

export const batchRows = (batches: readonly BatchAnswer[]): string =>
	batches.map((batch) => `${batch.id}  ${batch.endpoint}  ${progressText(batch)}\n`).join('');

const date = (seconds: number): string =>
	new Date(seconds * 1000).toISOString().replace('.000', '');

const obstacleText = ({ message, until }: NonNullable<BatchAnswer['problem']>): string =>
	`In the way${until === undefined ? '' : ` until ${date(until)}`}: ${message}`;

export function batchText(batch: BatchAnswer): string {
	const lines = [
		`${batch.id}  ${progressText(batch)}`,
		`Endpoint: ${batch.endpoint}`,
		`Made: ${date(batch.created_at)}; given up after ${date(batch.expires_at)}`,
		...(batch.output_file_id === null ? [] : [`Output: ${batch.output_file_id}`]),
		...(batch.error_file_id === null ? [] : [`Errors: ${batch.error_file_id}`]),
		...(batch.problem === null ? [] : [obstacleText(batch.problem)]),
		...(batch.errors?.data ?? []).map(({ message }) => `Failed: ${message}`),
	];
	return `${lines.join('\n')}\n`;
}
