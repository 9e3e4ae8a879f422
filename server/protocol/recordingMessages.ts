/** What an editor asks about recordings that are transcribed in the background. */

import type { TranscribeChoice } from './transcriptPage.ts';

export interface RecordingParams extends TranscribeChoice {
	readonly path: string;
	readonly name: string;
	/** Tells the recording from others, wherever it lies. */
	readonly mark: string;
}

/** How a recording stands. */
export type QueuedState = 'underWay' | 'done' | 'failed' | 'cancelled';

/** One that was handed over with a mark. */
export interface MarkedRecording {
	readonly id: string;
	readonly mark: string;
	readonly name: string;
	readonly state: QueuedState;
	/** Why it failed. */
	readonly reason?: string;
}

/** The newest first. */
export interface QueuedList {
	readonly recordings: readonly MarkedRecording[];
}
