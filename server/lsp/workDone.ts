/** Work-done progress for what takes longer than people wait without a sign. */

import type { Connection, InitializeParams } from 'vscode-languageserver/node';

/** Milliseconds without a sign. */
const patienceMs = 1000;

/**
 * Runs work; after a second the editor shows a progress with a cancel button, when it can. The signal
 * given to the work ends with either cancelling.
 */
export async function withWorkDone<T>(
	connection: Connection,
	client: InitializeParams | undefined,
	title: string,
	signal: AbortSignal,
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	if (!client?.capabilities.window?.workDoneProgress) return work(signal);
	const stop = new AbortController();
	let ended = false;
	let finish = () => {};
	const timer = setTimeout(async () => {
		const progress = await connection.window.createWorkDoneProgress();
		if (ended) return;
		progress.begin(title, undefined, undefined, true);
		progress.token.onCancellationRequested(() => stop.abort());
		finish = () => progress.done();
	}, patienceMs);
	try {
		return await work(AbortSignal.any([signal, stop.signal]));
	} finally {
		ended = true;
		clearTimeout(timer);
		finish();
	}
}
