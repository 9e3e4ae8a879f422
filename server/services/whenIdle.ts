/** Unloading of a model that may be answering just now. */

import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../protocol/index.ts';

/** Milliseconds for which an answer is waited for, and between two looks. */
const longestMs = 60_000;
const stepMs = 250;

/**
 * Unloads as soon as nobody is answered any more.
 * @throws AppError `conflict` when that takes more than a minute, or `cancelled`
 */
export async function whenIdle(unload: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
	for (let waited = 0; ; waited += stepMs) {
		if (signal.aborted) throw new AppError('cancelled');
		try {
			await unload();
			return;
		} catch (error) {
			if (!(error instanceof AppError && error.code === 'conflict') || waited >= longestMs)
				throw error;
		}
		await sleep(stepMs);
	}
}
