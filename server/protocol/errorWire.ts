/** Errors between processes, and any thrown value as one with a sentence. */

import { defined } from './defined.ts';
import { AppError, type ErrorCode, errorKinds } from './errors.ts';
import { errorStrings, translatableError } from './localisedErrors.ts';
import { systemError } from './systemErrors.ts';

/** Plain form of an {@link AppError} that survives JSON and process boundaries. */
export interface ErrorWire {
	readonly code: ErrorCode;
	readonly message: string;
	readonly param?: string;
	readonly retryAfterS?: number;
	readonly data?: Readonly<Record<string, unknown>>;
}

/** Serialises an error for another process, without its stack. */
export function toErrorWire(error: unknown): ErrorWire {
	const { code, message, param, retryAfterS, data } = asAppError(error);
	return {
		code,
		message,
		...(param === null ? {} : { param }),
		...defined({ retryAfterS, data }),
	};
}

/** Restores what {@link toErrorWire} made. */
export function fromErrorWire(wire: ErrorWire): AppError {
	const { code, message, ...options } = wire;
	return new AppError(code in errorKinds ? code : 'internal', message, options);
}

/**
 * Any thrown value as an {@link AppError}: what the system refused in words, everything else as `internal`.
 * @param doing what was being done, to follow "while": `answering POST /v1/embeddings`
 */
export function asAppError(error: unknown, doing?: string): AppError {
	if (error instanceof AppError) return error;
	if (isAbortError(error)) return new AppError('cancelled', undefined, { cause: error });
	return systemError(error) ?? unexpected(error, doing);
}

/** A fault of the product itself, which users can only report. */
function unexpected(error: unknown, doing: string | undefined): AppError {
	const what = (error instanceof Error ? error.message : String(error)).trim();
	const said = what.replace(/\.$/, '');
	if (doing === undefined && said !== '')
		return translatableError('internal', errorStrings.unexpected, [said], { cause: error });
	const where = doing === undefined ? '' : ` while ${doing}`;
	const message = `Something went wrong inside Nearglot${where}${said === '' ? '' : `: ${said}`}. Try again; if it stays so, please report it.`;
	return new AppError('internal', message, { cause: error });
}

/** Where an unexpected error came from, for logs; `undefined` for those that were foreseen. */
export function stackOf(error: unknown): string | undefined {
	const { code, cause } = asAppError(error);
	return code === 'internal' && cause instanceof Error ? cause.stack : undefined;
}

function isAbortError(error: unknown): boolean {
	return error instanceof Error && (error.name === 'AbortError' || error.name === 'CancelledError');
}
