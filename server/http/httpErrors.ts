/** Errors on the wire: status, headers and the body `{error:{message,type,param,code}}`. */

import { HTTPException } from 'hono/http-exception';
import { codeOfStatus } from '../protocol/errorBody.ts';
import { AppError, asAppError, errorBody } from '../protocol/index.ts';

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

/** Headers an error brings along: `Retry-After` for what may succeed later. */
function errorHeaders(error: AppError): Record<string, string> {
	const headers: Record<string, string> = {};
	if (error.retryAfterS !== undefined)
		headers['retry-after'] = String(Math.ceil(error.retryAfterS));
	else if (error.kind.retryable && error.kind.httpStatus === 503) headers['retry-after'] = '1';
	if (error.kind.httpStatus === 401) headers['www-authenticate'] = 'Bearer realm="nearglot"';
	return headers;
}

/**
 * The answer for an error, as the chat interface has it.
 * @param more what the route's own interface adds to the body
 */
export function errorResponse(error: AppError, more: object = {}): Response {
	return new Response(JSON.stringify({ ...errorBody(error), ...more }), {
		status: error.kind.httpStatus,
		headers: { 'content-type': 'application/json; charset=utf-8', ...errorHeaders(error) },
	});
}
