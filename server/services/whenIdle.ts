/** Unloading of a model that may be answering just now. */

import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../protocol/index.ts';

/** Milliseconds between two looks. */
const stepMs = 250;

/**
 * Unloads, as soon as nobody is answered any more, what a complete model takes the place of.
 * @param id of the model
 * @param longestMs milliseconds for which an answer is waited for
 * @throws AppError `conflict` when that takes longer, or `cancelled`
 */
export async function whenIdle(
	id: string,
	unload: () => Promise<unknown>,
	signal: AbortSignal,
	longestMs = 60_000,
): Promise<void> {
	for (let waited = 0; ; waited += stepMs) {
		if (signal.aborted) throw new AppError('cancelled');
		try {
			await unload();
			return;
		} catch (error) {
			if (!(error instanceof AppError && error.code === 'conflict')) throw error;
			if (waited >= longestMs)
				throw new AppError(
					'conflict',
					`${id} is complete and waits for its place: the older one is answering a request. Ask for it again when that has ended; nothing is downloaded or built twice.`,
					{ cause: error },
				);
		}
		await sleep(stepMs);
	}
}
