/** Errors as JSON-RPC has them. */

import { ResponseError } from 'vscode-languageserver/node';
import { asAppError, localisedError, stackOf, toErrorWire } from '../protocol/index.ts';
import { notify } from '../store/notices.ts';
import { localise } from './texts.ts';

/** What the editor receives, in its language: the code of the table and the whole error in `data`. Its log gets the stack of the unexpected. */
export function toResponseError(error: unknown): ResponseError<unknown> {
	const known = localisedError(asAppError(error), localise);
	const stack = stackOf(error);
	if (stack !== undefined) notify(stack);
	return new ResponseError(known.kind.rpcCode, known.message, toErrorWire(known));
}
