/** The streamed answer of a download: progress, and at last the model. */

import type { DownloadProgress } from './modelTypes.ts';
import type { pullModel } from './routes/modelDownloads.ts';
import type { EventOf } from './routes/route.ts';

/** Resolves when the model is on disk. */
export async function readDownload(
	events: AsyncIterable<EventOf<typeof pullModel>>,
	onProgress: (progress: DownloadProgress) => void,
): Promise<void> {
	for await (const event of events) {
		if ('model' in event) return;
		if ('progress' in event) onProgress(event.progress);
	}
}
