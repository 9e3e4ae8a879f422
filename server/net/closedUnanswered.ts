/**
 * Requests whose connection is closed before a byte of the answer: mostly one that was kept open and that the other side
 * was about to close, or whose server has just been started anew. What may be done twice is asked once more.
 */

import { errno } from '../protocol/index.ts';

/** Methods that may be sent twice (RFC 9110, 9.2.2). */
const idempotent = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

export const isIdempotent = (method = 'GET'): boolean => idempotent.has(method.toUpperCase());

/** Whether a request failed so, rather than at an address, a certificate or a limit of time. */
export function closedUnanswered(error: unknown): boolean {
	const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
	if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE') return true;
	return error instanceof TypeError && cause !== undefined && closedUnanswered(cause);
}

/**
 * Asks, and once more where the connection was closed unanswered.
 * @param ask resolves with the head of the answer: what comes after it is not asked for again
 * @param mayRepeat false for what may have been done and must not be done twice
 * @param mayHaveEnded what is asked may be what has ended the server: where nothing listens any more, the first failure stands
 */
export async function retryOnce<Answer>(
	ask: () => Promise<Answer>,
	mayRepeat = true,
	mayHaveEnded = false,
): Promise<Answer> {
	try {
		return await ask();
	} catch (error) {
		if (!mayRepeat || !closedUnanswered(error)) throw error;
		return await ask().catch((second) => {
			throw mayHaveEnded && isUnconnected(second) ? error : second;
		});
	}
}

/** Whether there was no connection, so that nobody can have seen the request. */
export function isUnconnected(error: unknown): boolean {
	if (error instanceof AggregateError) return isUnconnected(error.errors[0]);
	const codes =
		/^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EHOSTDOWN|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/;
	if (codes.test(errno(error) ?? '')) return true;
	return error instanceof Error && error.cause !== undefined && isUnconnected(error.cause);
}

/** Node's `fetch`, which asks once more with methods that may be sent twice. */
export const retryingFetch: typeof fetch = (input, init) =>
	retryOnce(
		() => fetch(input, init),
		isIdempotent(init?.method ?? (input instanceof Request ? input.method : undefined)) &&
			!(init?.body instanceof ReadableStream) &&
			!(input instanceof Request && input.body !== null),
	);
