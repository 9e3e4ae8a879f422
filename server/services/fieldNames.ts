/** Errors that name a field name the one of the interface that was asked, not that of the service behind it. */

import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';

/** Runs work; of an error about the field `from`, the same error about the field `to`. */
export async function namingField<T>(from: string, to: string, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof AppError) || error.param !== from) throw error;
		const { code, message, data, retryAfterS } = error;
		throw new AppError(code, message, {
			param: to,
			cause: error,
			...defined({ data, retryAfterS }),
		});
	}
}

/** Of an error about nothing in particular, the same about a field. */
export async function aboutField<T>(param: string, work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		if (!(error instanceof AppError) || error.param !== null) throw error;
		throw new AppError(error.code, error.message, { param, cause: error });
	}
}
