/** Bulk work as an editor shows it. */

import type { BatchAnswer } from './routes/batches.ts';

export interface JobInfo {
	readonly id: string;
	/** Of the file, where whoever began it said one; else the id. */
	readonly name: string;
	readonly endpoint: string;
	readonly status: BatchAnswer['status'];
	readonly paused: boolean;
	/** Requests: those that are done with a result or a failure, those that failed, and all. */
	readonly done: number;
	readonly failed: number;
	readonly total: number;
	/** Requests a second over the last minute. */
	readonly perSecond?: number;
	readonly secondsLeft?: number;
	/** Milliseconds since 1970. */
	readonly createdAt: number;
	/** Why it failed, or what stands in its way. */
	readonly problem?: string;
	/** When that is over, in milliseconds since 1970; absent where nobody can say. */
	readonly problemUntil?: number;
	/** Whether there are failed requests to be looked at. */
	readonly hasErrors: boolean;
}

/** `retry` begins another job of what has failed. */
export type JobChange = 'pause' | 'resume' | 'cancel' | 'retry';

/** Whether nothing more happens to it. */
export const isJobOver = ({ status }: Pick<JobInfo, 'status'>): boolean =>
	status === 'completed' || status === 'failed' || status === 'expired' || status === 'cancelled';
