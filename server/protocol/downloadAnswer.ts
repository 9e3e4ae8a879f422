/** The streamed answer of a download: progress, and at last the model. */

import type { DownloadProgress } from './modelTypes.ts';
import type { pullModel } from './routes/modelDownloads.ts';
import type { EventOf } from './routes/route.ts';

/** What will be made of files that a model is built of. */
export type BuildPlanned = NonNullable<
	Extract<EventOf<typeof pullModel>, { start: unknown }>['start']['build']
>;

/**
 * Resolves when the model is on disk.
 * @param onPlan told what will be built, where the model is built here
 */
export async function readDownload(
	events: AsyncIterable<EventOf<typeof pullModel>>,
	onProgress: (progress: DownloadProgress) => void,
	onPlan?: (plan: BuildPlanned) => void,
): Promise<void> {
	for await (const event of events) {
		if ('model' in event) return;
		if ('start' in event && event.start.build !== undefined) onPlan?.(event.start.build);
		if ('progress' in event) onProgress(event.progress);
	}
}
