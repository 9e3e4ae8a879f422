/** Work-done progress for what takes longer than people wait without a sign. */

import type { Connection, InitializeParams } from 'vscode-languageserver/node';
import type { TextsProgress } from '../protocol/index.ts';

/** Milliseconds without a sign. */
const progressAfterMs = 1000;

/** Tells how far work is. */
export type Report = (progress: TextsProgress) => void;

/**
 * Runs work; after a second the editor shows a progress with a cancel button, when it can. The signal
 * given to the work ends with either cancelling.
 */
export async function withWorkDone<T>(
	connection: Connection,
	client: InitializeParams | undefined,
	title: string,
	signal: AbortSignal,
	work: (signal: AbortSignal, report: Report) => Promise<T>,
): Promise<T> {
	if (!client?.capabilities.window?.workDoneProgress) return work(signal, () => {});
	const stop = new AbortController();
	let ended = false;
	let latest: TextsProgress | undefined;
	let finish = () => {};
	let show = (_progress: TextsProgress) => {};
	const timer = setTimeout(async () => {
		const progress = await connection.window.createWorkDoneProgress().catch(() => undefined);
		if (ended || !progress) return;
		progress.begin(title, percentage(latest), undefined, true);
		progress.token.onCancellationRequested(() => stop.abort());
		show = (now) => progress.report(percentage(now), `${now.done} / ${now.total}`);
		finish = () => progress.done();
	}, progressAfterMs);
	try {
		return await work(AbortSignal.any([signal, stop.signal]), (progress) => {
			latest = progress;
			show(progress);
		});
	} finally {
		ended = true;
		clearTimeout(timer);
		finish();
	}
}

function percentage(progress: TextsProgress | undefined): number {
	return progress && progress.total > 0 ? Math.round((progress.done / progress.total) * 100) : 0;
}
