/** Errors of the document interface: `{"error":{"code","message","target","innerError"}}`, and `x-ms-error-code`. */

import { defined } from '../../protocol/defined.ts';
import { AppError, asAppError } from '../../protocol/index.ts';
import { ownErrorHeaders, retryHeaders } from '../httpErrors.ts';

/** Codes within the interface's own, as they stand in `innerError`. */
export type DocumentErrorCode =
	| 'InvalidApiVersion'
	| 'InvalidSourceLanguage'
	| 'InvalidTargetLanguage'
	| 'MissingDocument'
	| 'UnsupportedDocumentFormat'
	| 'UnsupportedGlossaryFormat'
	| 'InvalidGlossary'
	| 'InvalidParameter'
	| 'LanguagePairNotSupported'
	| 'DocumentTooLarge';

/** A refusal with one of the inner codes. */
export function documentError(inner: DocumentErrorCode, message: string, param?: string): AppError {
	const code = inner === 'DocumentTooLarge' ? 'payload_too_large' : 'invalid_request';
	return new AppError(code, message, { data: { documentCode: inner }, ...defined({ param }) });
}

/** Status and code by our code; the rest goes by whose fault it is. */
const byAppCode: ReadonlyMap<string, readonly [status: number, code: string]> = new Map([
	['invalid_api_key', [401, 'Unauthorized']],
	['forbidden', [403, 'Unauthorized']],
	['not_found', [404, 'ResourceNotFound']],
	['method_not_allowed', [405, 'InvalidRequest']],
	['payload_too_large', [413, 'InvalidRequest']],
	['conflict', [409, 'InvalidRequest']],
	['model_not_found', [400, 'InvalidRequest']],
	['not_supported', [400, 'InvalidRequest']],
	['rate_limited', [429, 'RequestRateTooHigh']],
	['overloaded', [503, 'ServiceUnavailable']],
	['model_loading', [503, 'ServiceUnavailable']],
]);
const innerByAppCode: ReadonlyMap<string, string> = new Map([
	['model_not_found', 'LanguagePairNotSupported'],
	['payload_too_large', 'DocumentTooLarge'],
]);

/** @param clientRequestId As the client sent it, to be sent back */
export function documentFailure(
	error: unknown,
	requestId: string,
	clientRequestId: string | undefined,
): Response {
	const known = asAppError(error);
	const { code: own, param } = known;
	const { httpStatus } = known.kind;
	// The interface of texts refuses callers in its own numbers.
	const number = known.data?.['translatorCode'];
	const numbered = typeof number === 'number' && own !== 'model_not_found' ? number : undefined;
	const [status, code] =
		numbered !== undefined
			? byNumber(Math.floor(numbered / 1000))
			: (byAppCode.get(own) ?? byStatus(httpStatus));
	const given = known.data?.['documentCode'];
	const inner = typeof given === 'string' ? given : (innerByAppCode.get(own) ?? code);
	// Messages of unexpected errors may hold anything; they go to the log only.
	const message = status === 500 ? 'An unexpected error occurred.' : known.message;
	const body = {
		error: { code, message, ...defined({ target: param }), innerError: { code: inner, message } },
	};
	return new Response(JSON.stringify(body), {
		status,
		headers: {
			'content-type': 'application/json; charset=utf-8',
			'x-content-type-options': 'nosniff',
			'x-ms-error-code': code,
			'x-requestid': requestId,
			...(clientRequestId === undefined ? {} : { 'x-ms-client-request-id': clientRequestId }),
			...retryHeaders(known),
			...ownErrorHeaders(known),
			...(status === 401 ? { 'www-authenticate': 'Bearer realm="nearglot"' } : {}),
		},
	});
}

function byNumber(status: number): readonly [number, string] {
	if (status === 401 || status === 403) return [status, 'Unauthorized'];
	return status === 429 ? [429, 'RequestRateTooHigh'] : byStatus(status);
}

function byStatus(status: number): readonly [number, string] {
	if (status === 503) return [503, 'ServiceUnavailable'];
	if (status >= 500) return [500, 'InternalServerError'];
	return [status < 400 ? 400 : status, 'InvalidRequest'];
}
