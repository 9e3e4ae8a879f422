/** Errors of the daemon's routes, read back into {@link AppError}, and on into JSON-RPC errors. */

import { ResponseError } from 'vscode-languageserver/node';
import {
	AppError,
	asAppError,
	codeOfStatus,
	errorOfBody,
	retryAfterOf,
	stackOf,
	toErrorWire,
} from '../protocol/index.ts';
import { tell } from '../store/notices.ts';

/** The error a response with a status outside 2xx stands for. */
export async function errorOfResponse(response: Response): Promise<AppError> {
	const text = await response.text().catch(() => '');
	const body = parse(text);
	return (
		errorOfBody(body, response.status, retryAfterOf(response.headers)) ??
		new AppError(codeOfStatus(response.status), text.slice(0, 300) || undefined)
	);
}

/** What the editor receives: the code of the table and the whole error in `data`. Its log gets the stack of the unexpected. */
export function toResponseError(error: unknown): ResponseError<unknown> {
	const known = asAppError(error);
	const stack = stackOf(error);
	if (stack !== undefined) tell(stack);
	return new ResponseError(known.kind.rpcCode, known.message, toErrorWire(known));
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
