/** Bodies of a hub's answers, with an end: no answer is waited for or kept without limit. */

import type { Readable } from 'node:stream';
import { AppError } from '../protocol/index.ts';
import { Retry } from './retry.ts';
import type { WaitNotices } from './waitNotices.ts';

/** An answer whose body is still to come, as it was sent: nothing is unpacked. */
export interface HubResponse {
	/** The address that answered, after redirects. */
	readonly url: string;
	readonly status: number;
	/** Whether the status is one of success. */
	readonly ok: boolean;
	readonly headers: { get(name: string): string | null };
	/** Left before its end, it is to be destroyed; see {@link discard}. */
	readonly body: Readable & AsyncIterable<Buffer>;
}

/** Milliseconds without a byte after which a connection is given up. */
const stallMs = 30_000;

/**
 * The pieces of a body as they come. Leaving the loop ends the connection.
 * @throws Retry when no byte comes for `timeoutMs` or the connection breaks; AppError `cancelled`
 */
export async function* piecesOf(
	response: HubResponse,
	signal: AbortSignal,
	timeoutMs = stallMs,
	waitNotices?: WaitNotices,
): AsyncGenerator<Buffer, void, undefined> {
	const { body } = response;
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
			const { value, done } = await (waitNotices?.during(words, next) ?? next);
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

/** Ends the connection of an answer whose body nobody wants. */
export function discard({ body }: HubResponse): void {
	body.destroy();
}
