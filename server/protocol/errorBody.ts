/** Errors as they come over HTTP, read back into AppError. */

import { defined } from './defined.ts';
import { parseErrorAction } from './errorAction.ts';
import { AppError, type ErrorCode, errorKinds } from './errors.ts';
import { signInCodes } from './signInCodes.ts';

/** Codes of the translate interface that say more than their status. */
const translatorCodes: Readonly<Record<number, ErrorCode>> = {
	400050: 'context_length_exceeded',
	400074: 'invalid_json',
	400077: 'payload_too_large',
	499000: 'cancelled',
};

/** What published clients of the model service look for in a message; people read what follows. */
const foreignWords =
	/^No OpenAIService provider found for modelName:.*?\. (?=There is no model ')/s;

/**
 * The error in a body of either family (`{error:{message,type,param,code}}` or the translator's
 * `{error:{code:400036,message}}`), or `undefined` when there is none.
 *
 * @param retryAfterS From the answer's `Retry-After`, see {@link retryAfterOf}.
 */
export function errorOfBody(
	body: unknown,
	status: number,
	retryAfterS?: number,
): AppError | undefined {
	if (!isRecord(body) || !isRecord(body['error'])) return undefined;
	const { message, code, param } = body['error'];
	const action = parseErrorAction(body['error']['action']);
	const known = typeof code === 'string' && code in errorKinds ? (code as ErrorCode) : undefined;
	const number = translatorNumber(code);
	return new AppError(
		known ??
			(number === undefined
				? codeOfStatus(status)
				: codeOfTranslator(number, retryAfterS !== undefined)),
		typeof message === 'string' ? message.replace(foreignWords, '') : undefined,
		{
			...(typeof param === 'string' ? { param } : {}),
			...(number === undefined && !action
				? {}
				: { data: defined({ translatorCode: number, action }) }),
			...defined({ retryAfterS }),
		},
	);
}

/** The error that an answer with a status outside 2xx stands for, of whichever family of routes. */
export async function errorOfResponse(response: Response): Promise<AppError> {
	const text = await response.text().catch(() => '');
	let body: unknown;
	try {
		body = JSON.parse(text);
	} catch {
		// A page of a proxy in between is quoted below.
	}
	return (
		errorOfBody(body, response.status, retryAfterOf(response.headers)) ??
		errorOfProblem(body, response.status) ??
		new AppError(
			codeOfStatus(response.status),
			`The server answered ${response.status}: ${text.slice(0, 300)}`,
		)
	);
}

/** The error in a problem document, with which the sign-in layer answers. */
function errorOfProblem(body: unknown, status: number): AppError | undefined {
	if (!isRecord(body) || typeof body['detail'] !== 'string') return undefined;
	const { code, detail } = body;
	const known = typeof code === 'string' && Object.hasOwn(signInCodes, code);
	return new AppError(codeOfStatus(status), detail, known ? { data: { refusalCode: code } } : {});
}

/** A code of the translate interface, of which the newer version makes a text. */
function translatorNumber(code: unknown): number | undefined {
	if (typeof code === 'number') return code;
	return typeof code === 'string' && /^[1-5]\d{5}$/.test(code) ? Number(code) : undefined;
}

/**
 * 408001 stands for a model that is on its way, which has a time to wait, and for one that is not; 503000 for a
 * server that is overloaded, which has one, too, and for whatever else failed there.
 */
function codeOfTranslator(code: number, waits: boolean): ErrorCode {
	if (code === 408001) return waits ? 'model_loading' : 'model_not_found';
	if (code === 503000 && waits) return 'overloaded';
	return translatorCodes[code] ?? codeOfStatus(Math.floor(code / 1000));
}

/** Seconds of a `Retry-After` header; dates are not understood. */
export function retryAfterOf(headers: {
	get(name: string): string | null | undefined;
}): number | undefined {
	const value = headers.get('retry-after');
	const seconds = value == null || value === '' ? Number.NaN : Number(value);
	return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
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
