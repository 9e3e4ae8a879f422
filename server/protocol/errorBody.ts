/** Errors as they come over HTTP, read back into AppError. */

import { AppError, type ErrorCode, errorKinds } from './errors.ts';

/**
 * The error in a body of either family (`{error:{message,type,param,code}}` or the translator's
 * `{error:{code:400036,message}}`), or `undefined` when there is none.
 */
export function errorOfBody(body: unknown, status: number): AppError | undefined {
	if (!isRecord(body) || !isRecord(body['error'])) return undefined;
	const { message, code, param } = body['error'];
	const known = typeof code === 'string' && code in errorKinds ? (code as ErrorCode) : undefined;
	return new AppError(
		known ?? codeOfStatus(typeof code === 'number' ? Math.floor(code / 1000) : status),
		typeof message === 'string' ? message : undefined,
		typeof param === 'string' ? { param } : {},
	);
}

/** The code that stands for an HTTP status when nothing better is known. */
export function codeOfStatus(status: number): ErrorCode {
	const found = (Object.keys(errorKinds) as ErrorCode[]).find(
		(code) => errorKinds[code].httpStatus === status,
	);
	return found ?? (status >= 500 ? 'upstream_failed' : 'invalid_request');
}

/** Whether a value is an object with string keys. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
