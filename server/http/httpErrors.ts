/** Errors on the wire: status, headers and the body, in the shape of the interface that was asked. */

import { HTTPException } from 'hono/http-exception';
import { codeOfStatus } from '../protocol/errorBody.ts';
import { AppError, asAppError } from '../protocol/index.ts';
import { errorShapeOf } from '../protocol/routes/errorShapes.ts';
import { errorCodeHeader, isUnsent, unsentHeader } from '../protocol/unsent.ts';

/**
 * Any thrown value as an {@link AppError}; framework errors keep their status.
 * @param doing as `asAppError` has it
 */
export function httpError(error: unknown, doing?: string): AppError {
	if (error instanceof HTTPException) {
		const message = error.message === '' ? undefined : error.message;
		return new AppError(codeOfStatus(error.status), message);
	}
	return asAppError(error, doing);
}

/** Clients of the chat interfaces wait no longer than this of their own. */
const maxRetryS = 60;

/** `Retry-After` for what may succeed later, and for clients that try again by themselves, that it would be in vain. */
export function retryHeaders(error: AppError): Record<string, string> {
	const headers: Record<string, string> = {};
	if (error.retryAfterS !== undefined)
		headers['retry-after'] = String(Math.max(1, Math.ceil(error.retryAfterS)));
	else if (error.kind.retryable && error.kind.httpStatus === 503) headers['retry-after'] = '1';
	// Clients try again by themselves, which helps nobody before a day is over.
	const isHopeless = error.data?.['tooLarge'] === true || (error.retryAfterS ?? 0) > maxRetryS;
	if (error.code === 'rate_limited' && isHopeless) headers['x-should-retry'] = 'false';
	return headers;
}

/** What programs of this product read of failures whose bodies have another interface's codes. */
export const ownErrorHeaders = (error: AppError): Record<string, string> => ({
	[errorCodeHeader]: error.code,
	...unsentHeaders(error),
});

const unsentHeaders = (error: AppError): Record<string, string> =>
	isUnsent(error) ? { [unsentHeader]: 'true' } : {};

/** Headers an error brings along. */
const errorHeaders = (error: AppError): Record<string, string> => ({
	...retryHeaders(error),
	...unsentHeaders(error),
	...(error.kind.httpStatus === 401 ? { 'www-authenticate': 'Bearer realm="nearglot"' } : {}),
});

/**
 * The answer for an error, as the interface at a path has it.
 * @param more what the route's own interface adds to the body
 */
export function errorResponse(error: AppError, path = '/', more: object = {}): Response {
	const shape = errorShapeOf(path);
	return new Response(JSON.stringify({ ...shape.body(error), ...more }), {
		status: shape.status(error),
		headers: { 'content-type': 'application/json; charset=utf-8', ...errorHeaders(error) },
	});
}
