/**
 * Refusals in the language of whoever reads them. The server answers programs, in English; its codes are a closed set,
 * whose sentences are translated. What it says beyond that (which model, which line, what to do) follows in its words.
 */

import { AppError, type ErrorCode, errorKinds } from './errors.ts';

/** English texts; the value is what is translated. */
export const errorStrings = {
	serverSays: '{0} The server says: {1}',
	batchExpired: 'The time for the batch was over before this was done.',
	fileNotFound: 'The file is not there any more.',
	noWorker: 'No server takes on work at present.',
} as const;

/** A text in the reader's language, or as it is where that has none. */
export type Localise = (english: string, ...values: string[]) => string;

/** What an answer says went wrong. */
export interface ServerRefusal {
	readonly code?: string | undefined;
	readonly message: string;
}

/** Codes that are no errors of a request: those of batches. */
const batchCodes: Readonly<Record<string, string>> = {
	batch_expired: errorStrings.batchExpired,
	file_not_found: errorStrings.fileNotFound,
	no_worker: errorStrings.noWorker,
};

/** The English sentence of a code; `undefined` of one that is not known. */
export function sentenceOfCode(code: string | undefined): string | undefined {
	if (code === undefined) return undefined;
	if (Object.hasOwn(errorKinds, code)) return errorKinds[code as ErrorCode].sentence;
	return Object.hasOwn(batchCodes, code) ? batchCodes[code] : undefined;
}

/** What a refusal says to a reader; one with an unknown code says what it says. */
export function localisedMessage({ code, message }: ServerRefusal, localise: Localise): string {
	const english = sentenceOfCode(code);
	const sentence = english === undefined ? undefined : localise(english);
	// A reader of English loses nothing.
	if (sentence === undefined || sentence === english) return message;
	if (message === english || message === '') return sentence;
	return localise(errorStrings.serverSays, sentence, message);
}

/** The same error with its message in the reader's language; one that has it already stays. */
export function localisedError(error: AppError, localise: Localise): AppError {
	if (error.data?.[mark] === true) return error;
	return inReadersLanguage(error.code, localisedMessage(error, localise), error);
}

/** An error whose message is in the reader's language from the start. */
export function inReadersLanguage(
	code: ErrorCode,
	message: string,
	{ param, retryAfterS, data, cause }: Partial<AppError> = {},
): AppError {
	return new AppError(code, message, {
		...(param ? { param } : {}),
		...(retryAfterS === undefined ? {} : { retryAfterS }),
		data: { ...data, [mark]: true },
		cause,
	});
}

/** Field of an error's data. */
const mark = 'isInReadersLanguage';
