/**
 * Errors of the translate interface: `{"error":{"code":400036,"message":…}}`, where the first three
 * digits of the code are the status.
 */

import { AppError, type AppErrorOptions, asAppError } from '../../protocol/index.ts';
import { retryHeaders } from '../httpErrors.ts';

/** Codes of the interface with their sentences. */
export const translatorErrors: Readonly<Record<number, string>> = {
	400000: 'One of the request inputs is not valid.',
	400001: 'The "scope" parameter is invalid.',
	400002: 'The "category" parameter is invalid.',
	400003: 'A language specifier is missing or invalid.',
	400004: 'A target script specifier ("To script") is missing or invalid.',
	400005: 'An input text is missing or invalid.',
	400006: 'The combination of language and script is not valid.',
	400018: 'A source script specifier ("From script") is missing or invalid.',
	400019: 'One of the specified languages is not supported.',
	400020: 'One of the elements in the array of input text is not valid.',
	400021: 'The API version parameter is missing or invalid.',
	400023: 'One of the specified language pair is not valid.',
	400035: 'The source language is not valid.',
	400036: 'The target language is not valid.',
	400042: 'One of the options specified is not valid.',
	400043: 'The client trace ID is missing or invalid.',
	400050: 'The input text is too long.',
	400064: 'The "translation" parameter is missing or invalid.',
	400070:
		'The number of target scripts (ToScript parameter) does not match the number of target languages (To parameter).',
	400071: 'The value is not valid for TextType.',
	400072: 'The array of input text has too many elements.',
	400073: 'The script parameter is not valid.',
	400074: 'The body of the request is not valid JSON.',
	400075: 'The language pair and category combination is not valid.',
	400077: 'The maximum request size has been exceeded.',
	400079:
		'The custom system requested for translation between from and to language does not exist.',
	400080: 'Transliteration is not supported for the language or script.',
	401000: 'The request is not authorized because credentials are missing or invalid.',
	401001: 'The request is not authorized because the token is expired or not valid.',
	403000: 'The operation is not allowed.',
	403001: 'The operation is not allowed because the subscription has exceeded its quota.',
	405000: 'The request method is not supported for the requested resource.',
	408001:
		'The translation system requested is being prepared or is not installed. Please retry in a few minutes.',
	408002: 'Request timed out waiting on incoming stream.',
	415000: 'The Content-Type header is missing or invalid.',
	429000: 'The server rejected the request because the client has exceeded request limits.',
	429001: 'The server rejected the request because the client has exceeded request limits.',
	429002: 'The server rejected the request because the client has exceeded request limits.',
	499000: 'The client closed the connection.',
	500000: 'An unexpected error occurred.',
	503000: 'Service is temporarily unavailable. Please retry.',
};

/** An error with one of the codes above. `detail` is appended to the code's own sentence. */
export function translatorError(
	code: number,
	detail?: string,
	options: Pick<AppErrorOptions, 'retryAfterS' | 'data'> = {},
): AppError {
	const sentence = translatorErrors[code] ?? translatorErrors[500000] ?? '';
	const base = code >= 500000 ? 'internal' : code >= 429000 ? 'rate_limited' : 'invalid_request';
	return new AppError(base, detail === undefined ? sentence : `${sentence} ${detail}`, {
		...options,
		data: { ...options.data, translatorCode: code },
	});
}

const byAppCode: ReadonlyMap<string, number> = new Map(
	Object.entries<number>({
		invalid_request: 400000,
		invalid_json: 400074,
		context_length_exceeded: 400050,
		payload_too_large: 400077,
		too_expensive: 400077,
		unsupported_media_type: 415000,
		invalid_api_key: 401000,
		forbidden: 403000,
		model_not_found: 408001,
		model_loading: 408001,
		method_not_allowed: 405000,
		rate_limited: 429000,
		cancelled: 499000,
		timeout: 408002,
		request_timeout: 408002,
	}),
);

/** What no code of the interface stands for keeps whose fault it is. */
function byStatus({ kind: { httpStatus, retryable } }: AppError): number {
	if (httpStatus === 429) return 429000;
	if (httpStatus === 503 || retryable) return 503000;
	return httpStatus < 500 ? 400000 : 500000;
}

/** Any thrown value → code, message and the headers that say when to try again. */
export function translatorErrorOf(error: unknown): {
	code: number;
	message: string;
	retry: Readonly<Record<string, string>>;
	known: AppError;
} {
	const known = asAppError(error);
	const given = known.data?.['translatorCode'];
	const code = typeof given === 'number' ? given : (byAppCode.get(known.code) ?? byStatus(known));
	// Of all that 503000 stands for, clients know by its time to wait what was refused and not begun.
	const waits = code !== 503000 || known.code === 'overloaded';
	// Messages of unexpected errors may hold anything; they go to the log only.
	const message = code === 500000 ? (translatorErrors[500000] ?? '') : known.message;
	return {
		code,
		message,
		known,
		retry: waits ? retryHeaders(known) : {},
	};
}
