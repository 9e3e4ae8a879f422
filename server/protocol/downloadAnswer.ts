/** The streamed answer of a download: progress, and at last the model. */

import { errorOfBody, isRecord } from './errorBody.ts';
import { AppError } from './errors.ts';
import type { DownloadProgress } from './models.ts';
import { readEvents } from './sse.ts';

/** The model server stopped before a download had ended; what is on disk is gone on from. */
export function downloadCut(cause?: unknown): AppError {
	return new AppError(
		'daemon_unavailable',
		'The model server ended in the middle of the download. Start it again: it goes on where it stopped.',
		{ cause },
	);
}

/** Resolves when the model is on disk. */
export async function readDownload(
	body: AsyncIterable<Uint8Array>,
	onProgress: (progress: DownloadProgress) => void,
	signal: AbortSignal,
): Promise<void> {
	let cause: unknown;
	try {
		for await (const { data } of readEvents(body)) {
			const event: unknown = JSON.parse(data);
			const failure = errorOfBody(event, 500);
			if (failure) throw failure;
			if (!isRecord(event)) continue;
			if (isRecord(event['model'])) return;
			if (isRecord(event['progress'])) {
				onProgress(event['progress'] as unknown as DownloadProgress);
			}
		}
	} catch (error) {
		if (error instanceof AppError) throw error;
		cause = error;
	}
	if (signal.aborted) throw new AppError('cancelled', undefined, { cause });
	throw downloadCut(cause);
}
