/** Errors as JSON-RPC has them. */

import { ResponseError } from 'vscode-languageserver/node';
import { asAppError, stackOf, toErrorWire } from '../protocol/index.ts';
import { notify } from '../store/notices.ts';

/** What the editor receives: the code of the table and the whole error in `data`. Its log gets the stack of the unexpected. */
export function toResponseError(error: unknown): ResponseError<unknown> {
	const known = asAppError(error);
	const stack = stackOf(error);
	if (stack !== undefined) notify(stack);
	return new ResponseError(known.kind.rpcCode, known.message, toErrorWire(known));
}
