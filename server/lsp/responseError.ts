/** Errors of the daemon's routes, read back into {@link AppError}, and on into JSON-RPC errors. */

import { ResponseError } from 'vscode-languageserver/node';
import {
	AppError,
	asAppError,
	type ErrorCode,
	errorKinds,
	toErrorWire,
} from '../protocol/index.ts';

/** The error a response with a status outside 2xx stands for. */
export async function errorOfResponse(response: Response): Promise<AppError> {
	const text = await response.text().catch(() => '');
	const body = parse(text);
	return (
		errorOfBody(body, response.status) ??
		new AppError(codeOfStatus(response.status), text.slice(0, 300) || undefined)
	);
}

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

/** What the editor receives: the code of the table and the whole error in `data`. */
export function toResponseError(error: unknown): ResponseError<unknown> {
	const known = asAppError(error);
	return new ResponseError(known.kind.rpcCode, known.message, toErrorWire(known));
}

function codeOfStatus(status: number): ErrorCode {
	const found = (Object.keys(errorKinds) as ErrorCode[]).find(
		(code) => errorKinds[code].httpStatus === status,
	);
	return found ?? (status >= 500 ? 'upstream_failed' : 'invalid_request');
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Whether a value is an object with string keys. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
