/** Tells the daemon's listeners of downloads, at most some times a second for each model. */

import type { DownloadProgress } from '../protocol/index.ts';
import type { DaemonEvents } from './events.ts';

const everyMs = 200;

export function listenerOf(events: DaemonEvents): (progress: DownloadProgress) => void {
	const last = new Map<string, number>();
	return (progress) => {
		const now = performance.now();
		const done = progress.doneBytes >= progress.totalBytes;
		if (!done && now - (last.get(progress.model) ?? Number.NEGATIVE_INFINITY) < everyMs) return;
		if (done) last.delete(progress.model);
		else last.set(progress.model, now);
		events.emit({ type: 'download', ...progress });
	};
}
