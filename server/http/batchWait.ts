/** Waits for a while, or until a signal is aborted. Never rejects. */

import { setTimeout as sleep } from 'node:timers/promises';

export const untilAborted = (milliseconds: number, signal: AbortSignal): Promise<void> =>
	sleep(milliseconds, undefined, { signal }).catch(() => {});
