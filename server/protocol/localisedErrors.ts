/**
 * Refusals in the language of whoever reads them. The server answers programs, in English; its codes are a closed set,
 * whose sentences are translated. What it says beyond that (which model, which line, what to do) follows in its words.
 */

import { AppError, type AppErrorOptions, type ErrorCode, errorKinds } from './errors.ts';
import { signInCodes } from './signInCodes.ts';

/** English texts; the value is what is translated. */
export const errorStrings = {
	serverSays: '{0} The server says: {1}',
	batchExpired: 'The time for the batch was over before this was done.',
	fileNotFound: 'The file is not there any more.',
	noWorker: 'No server takes on work at present.',
	endedOften: 'The language server ended five times within three minutes. Its log says why.',
	notAnswering: 'The model server does not answer: {0}',
	unexpected:
		'Something went wrong inside Nearglot: {0}. Try again; if it stays so, please report it.',
} as const;

/** A text in the reader's language, or as it is where that has none. */
export type Localise = (english: string, ...values: string[]) => string;

/** What an answer says went wrong. */
export interface ServerRefusal {
	readonly code?: string | undefined;
	readonly message: string;
}

/** Codes that are no errors of a request: those of batches, and of the sign-in layer. */
const moreCodes: Readonly<Record<string, string>> = {
	batch_expired: errorStrings.batchExpired,
	file_not_found: errorStrings.fileNotFound,
	no_worker: errorStrings.noWorker,
	...signInCodes,
};

/** The English sentence of a code; `undefined` of one that is not known. */
export function sentenceOfCode(code: string | undefined): string | undefined {
	if (code === undefined) return undefined;
	if (Object.hasOwn(errorKinds, code)) return errorKinds[code as ErrorCode].sentence;
	return Object.hasOwn(moreCodes, code) ? moreCodes[code] : undefined;
}

/** What a refusal says to a reader; one with an unknown code says what it says. */
export function localisedMessage({ code, message }: ServerRefusal, localise: Localise): string {
	const english = sentenceOfCode(code);
	const said = english === undefined ? undefined : localise(english);
	// A reader of English loses nothing.
	if (said === undefined || said === english) return message;
	if (message === english || message === '') return said;
	return localise(errorStrings.serverSays, said, message);
}

/** The same error with its message in the reader's language; one that has it already stays. */
export function localisedError(error: AppError, localise: Localise): AppError {
	if (error.data?.[mark] === true) return error;
	const { code, message } = error;
	const own = ownSentence(error);
	if (!own)
		return inReadersLanguage(
			code,
			localisedMessage({ code: refusalCodeOf(error), message }, localise),
			error,
		);
	const { [sentence]: _said, ...data } = error.data ?? {};
	const { param, retryAfterS, cause } = error;
	const said = localise(own.english, ...own.values);
	return inReadersLanguage(code, said, { param, retryAfterS, data, cause });
}

/** An error with a sentence of the bundles, in English until {@link localisedError} has it translated. */
export function translatableError(
	code: ErrorCode,
	english: string,
	values: readonly string[] = [],
	{ data, ...options }: AppErrorOptions = {},
): AppError {
	return new AppError(code, filled(english, ...values), {
		...options,
		data: { ...data, [sentence]: { english, values } satisfies OwnSentence },
	});
}

/** A text with its values, in English. */
export const filled: Localise = (english, ...values) =>
	english.replace(/\{(\d)\}/g, (_, at: string) => values[Number(at)] ?? '');

/** The code of whoever refused, where that says more than the error's own. */
function refusalCodeOf({ code, data }: AppError): string {
	const refusal = data?.['refusalCode'];
	return typeof refusal === 'string' && sentenceOfCode(refusal) !== undefined ? refusal : code;
}

/** A text of the bundles, and what stands in its places. */
interface OwnSentence {
	readonly english: string;
	readonly values: readonly string[];
}

function ownSentence({ data }: AppError): OwnSentence | undefined {
	const { english, values } = (data?.[sentence] ?? {}) as Partial<Record<string, unknown>>;
	if (typeof english !== 'string' || !Array.isArray(values)) return undefined;
	return { english, values: values.map(String) };
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

/** Fields of an error's data. */
const mark = 'isInReadersLanguage';
const sentence = 'sentence';
