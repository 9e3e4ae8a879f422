/**
 * Waiting for room: what a server refuses because it is overloaded has not been begun, so it is asked again when the
 * server said. People who wait for longer are told; who cancels goes at once.
 */

import { AppError } from './errors.ts';

export interface OverloadRetry {
	/** In all; what would have to wait for longer is refused. */
	readonly maxWaitMs: number;
	/** After this people are told for what they wait. */
	readonly noticeAfterMs: number;
	readonly notify: (text: string) => void;
}

/** As long as a full queue of a small machine takes several times over. */
export const defaultOverloadRetry = { maxWaitMs: 15 * 60_000, noticeAfterMs: 5000 } as const;

/** Seconds, of a server that does not say how long it takes. */
const unknownWaitS = 5;
/** Seconds, whatever it says. */
const minWaitS = 0.1;

/** Sends a request until there is room. Rejects as `ask` does, and with `cancelled`. */
export async function retryWhenOverloaded<T>(
	request: () => Promise<T>,
	{ body, signal }: Pick<RequestInit, 'body' | 'signal'>,
	{ maxWaitMs, noticeAfterMs, notify: tell }: OverloadRetry,
): Promise<T> {
	// A stream can be sent once only.
	if (body instanceof ReadableStream) return request();
	let waitedMs = 0;
	for (;;) {
		let refusal: AppError;
		try {
			return await request();
		} catch (error) {
			if (!(error instanceof AppError) || error.code !== 'overloaded') throw error;
			refusal = error;
		}
		// Those that were refused together come back a little apart.
		const waitS = Math.max(minWaitS, refusal.retryAfterS ?? unknownWaitS);
		const waitMs = waitS * 1000 * (1 + Math.random() / 10);
		if (waitedMs + waitMs > maxWaitMs) throw refusal;
		const isUnnotified = waitedMs < noticeAfterMs;
		const timer = isUnnotified
			? setTimeout(() => tell(waiting(refusal)), noticeAfterMs - waitedMs)
			: undefined;
		try {
			await pause(waitMs, signal);
		} finally {
			clearTimeout(timer);
		}
		waitedMs += waitMs;
	}
}

const waiting = ({ message }: AppError): string =>
	`Waiting for the model server, which has too much to do: ${message} This is tried again by itself.`;

/** Rejects with `cancelled`. */
function pause(milliseconds: number, signal: AbortSignal | null | undefined): Promise<void> {
	return new Promise((resolve, reject) => {
		const cancel = () => {
			clearTimeout(timer);
			reject(new AppError('cancelled'));
		};
		if (signal?.aborted) return reject(new AppError('cancelled'));
		const timer = setTimeout(() => {
			signal?.removeEventListener('abort', cancel);
			resolve();
		}, milliseconds);
		signal?.addEventListener('abort', cancel, { once: true });
	});
}
