/** Whether a document is whole: what cannot be read to its end is translated in no part of it. */

import { AppError } from '../../protocol/errors.ts';
import type { Extract, Fault } from './piece.ts';

/**
 * @param name What the document is called in a message
 * @throws AppError `invalid_request` that says where the first fault is
 */
export function checkWhole(text: string, { faultOf }: Extract, name: string): void {
	// An empty file has no words, and nothing in it is broken.
	const fault = text.trim() === '' ? undefined : faultOf?.(text);
	if (fault === undefined) return;
	throw new AppError(
		'invalid_request',
		`${name} is damaged at ${placeOf(text, fault)}: ${fault.what}. Mend it and try again.`,
	);
}

function placeOf(text: string, { at }: Fault): string {
	const lines = text.slice(0, at).split('\n');
	return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}
