/** Bodies of a hub's answers, with an end: no answer is waited for or kept without limit. */

import type { Response } from 'node-fetch';
import { AppError } from '../protocol/index.ts';
import type { Patience } from './patience.ts';
import { Retry } from './retry.ts';

/** Milliseconds without a byte after which a connection is given up. */
export const stallMs = 30_000;

/**
 * The pieces of a body as they come. Leaving the loop ends the connection.
 * @throws Retry when no byte comes for `timeoutMs` or the connection breaks; AppError `cancelled`
 */
export async function* piecesOf(
	response: Response,
	signal: AbortSignal,
	timeoutMs = stallMs,
	patience?: Patience,
): AsyncGenerator<Buffer, void, undefined> {
	const body = response.body as unknown as (AsyncIterable<Buffer> & { destroy(): void }) | null;
	if (body === null) return;
	const pieces = body[Symbol.asyncIterator]();
	let isStalled = false;
	const words = `Waiting for the next bytes of ${new URL(response.url).origin}: none for some seconds, asked again after ${timeoutMs / 1000} s.`;
	const end = () => body.destroy();
	signal.addEventListener('abort', end, { once: true });
	try {
		for (;;) {
			const timer = setTimeout(() => {
				isStalled = true;
				end();
			}, timeoutMs);
			const next = pieces.next().finally(() => clearTimeout(timer));
			const { value, done } = await (patience?.during(words, next) ?? next);
			if (isStalled) throw new Retry(`no byte for ${timeoutMs / 1000} s.`);
			if (signal.aborted) throw new AppError('cancelled');
			if (done === true) return;
			yield value;
		}
	} catch (error) {
		if (signal.aborted) throw new AppError('cancelled');
		if (isStalled) throw new Retry(`no byte for ${timeoutMs / 1000} s.`);
		throw error instanceof Retry ? error : new Retry('the connection broke.', undefined, error);
	} finally {
		signal.removeEventListener('abort', end);
		end();
	}
}

/** Reads and throws away what is left of a body, so that its socket can be used again. */
export async function discard(response: Response): Promise<void> {
	const body = response.body as unknown as NodeJS.ReadableStream | null;
	if (body !== null && 'destroy' in body && typeof body.destroy === 'function') body.destroy();
}
