/**
 * Waiting for room: what a server refuses because it is overloaded has not been begun, so it is asked again when the
 * server said. People who wait for longer are told; who cancels goes at once.
 */

import { AppError } from './errors.ts';

export interface RoomPatience {
	/** In all; what would have to wait for longer is refused. */
	readonly maxWaitMs: number;
	/** After this people are told for what they wait. */
	readonly wordMs: number;
	readonly tell: (text: string) => void;
}

/** As long as a full queue of a small machine takes several times over. */
export const usualRoomPatience = { maxWaitMs: 15 * 60_000, wordMs: 5000 } as const;

/** Seconds, of a server that does not say how long it takes. */
const unknownWaitS = 5;
/** Seconds, whatever it says. */
const minWaitS = 0.1;

/** Sends a request until there is room. Rejects as `ask` does, and with `cancelled`. */
export async function askPatiently<T>(
	ask: () => Promise<T>,
	{ body, signal }: Pick<RequestInit, 'body' | 'signal'>,
	{ maxWaitMs, wordMs, tell }: RoomPatience,
): Promise<T> {
	// A stream can be sent once only.
	if (body instanceof ReadableStream) return ask();
	let waitedMs = 0;
	for (;;) {
		let refusal: AppError;
		try {
			return await ask();
		} catch (error) {
			if (!(error instanceof AppError) || error.code !== 'overloaded') throw error;
			refusal = error;
		}
		// Those that were refused together come back a little apart.
		const waitS = Math.max(minWaitS, refusal.retryAfterS ?? unknownWaitS);
		const waitMs = waitS * 1000 * (1 + Math.random() / 10);
		if (waitedMs + waitMs > maxWaitMs) throw refusal;
		const isUntold = waitedMs < wordMs;
		const word = isUntold ? setTimeout(() => tell(waiting(refusal)), wordMs - waitedMs) : undefined;
		try {
			await pause(waitMs, signal);
		} finally {
			clearTimeout(word);
		}
		waitedMs += waitMs;
	}
}

const waiting = ({ message }: AppError): string =>
	`Waiting for the server, which has too much to do: ${message} This is tried again by itself.`;

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
