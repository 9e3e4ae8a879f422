/** What went wrong, as a sentence. */

import { AppError } from '../server/protocol/index.ts';

export function errorText(error: unknown): string {
	if (error instanceof AppError) return error.message;
	return error instanceof Error ? error.message : String(error);
}
