/** When a hub is asked again: after a stall, a reset, a truncation, 429 and 5xx, with growing pauses. */

import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../protocol/index.ts';
import type { WaitNotices } from './waitNotices.ts';

/** Worth another try. */
export class Retry extends Error {
	/** What the server asks to wait, milliseconds. */
	readonly waitMs: number | undefined;

	constructor(message: string, waitMs?: number, cause?: unknown) {
		super(message, { cause });
		this.waitMs = waitMs;
	}
}

export interface RetryOptions {
	/** What is fetched, for the message when it is given up. */
	readonly what: string;
	/** Tries without progress; default 6. */
	readonly tries?: number;
	/** First pause between tries, doubled each time; default 500 ms. */
	readonly backoffMs?: number;
	/** Told of long pauses. */
	readonly waitNotices?: WaitNotices;
	/** A number that grows with what has arrived: tries are counted from the last that grew it. */
	readonly arrived?: () => number;
}

/** A server that asks for a longer pause is left alone: somebody should decide whether to wait. */
const longestPauseMs = 120_000;

/**
 * Works until it succeeds, fails for good, or has failed too often.
 * @throws AppError `download_failed` after the last try, `rate_limited` for a pause nobody waits for,
 * `cancelled`; whatever else `work` throws
 */
export async function withRetries<Result>(
	work: () => Promise<Result>,
	options: RetryOptions,
	signal: AbortSignal,
): Promise<Result> {
	const { what, waitNotices: patience, tries = 6, backoffMs = 500, arrived = () => 0 } = options;
	for (let failures = 0; ; ) {
		const before = arrived();
		try {
			return await work();
		} catch (error) {
			if (signal.aborted) throw new AppError('cancelled');
			if (!(error instanceof Retry)) throw error;
			failures = arrived() > before ? 1 : failures + 1;
			if (failures >= tries)
				throw new AppError(
					'download_failed',
					`${what}: ${error.message} Given up after ${tries} ${tries === 1 ? 'try' : 'tries'}; run it again to resume.`,
					{ cause: error },
				);
			const backoff = backoffMs * 2 ** (failures - 1) * (0.75 + Math.random() / 2);
			const waitMs = error.waitMs ?? Math.min(backoff, 60_000);
			if (waitMs > longestPauseMs)
				throw new AppError(
					'rate_limited',
					`${what}: ${error.message} It asks to wait ${Math.ceil(waitMs / 60_000)} minutes. Run it again then: it resumes.`,
					{ cause: error },
				);
			const pause = sleep(waitMs, undefined, { signal }).catch(() => {
				throw new AppError('cancelled');
			});
			const words = `${what}: ${error.message} Trying again in ${Math.ceil(waitMs / 1000)} s.`;
			await (patience === undefined ? pause : patience.pause(words, waitMs, pause));
		}
	}
}

/**
 * What `Retry-After` asks for: seconds or a date (RFC 9110, 10.2.3).
 * @returns milliseconds; `undefined` when it asks for nothing
 */
export function retryAfterMs(header: string | null, now: number): number | undefined {
	if (header === null || header.trim() === '') return undefined;
	const seconds = Number(header);
	const ms = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1000;
	return ms > 0 ? ms : undefined;
}
