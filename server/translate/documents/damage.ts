/** Whether a document is whole: what cannot be read to its end is translated in no part of it. */

import { AppError } from '../../protocol/errors.ts';
import type { Extract, Fault } from './piece.ts';

/** The first fault of a document. */
export interface Damage {
	/** From 1. */
	readonly line: number;
	/** One sentence that names the document and the place. */
	readonly message: string;
}

/** @param name What the document is called in the message */
export function damageOf(text: string, { faultOf }: Extract, name: string): Damage | undefined {
	// An empty file has no words, and nothing in it is broken.
	const fault: Fault | undefined = text.trim() === '' ? undefined : faultOf?.(text);
	if (fault === undefined) return undefined;
	const lines = text.slice(0, fault.at).split('\n');
	const place = `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
	const message = `${name} is damaged at ${place}: ${fault.what}. Mend it and try again.`;
	return { line: lines.length, message };
}

/** @throws AppError `invalid_request` that says where the first fault is */
export function checkWhole(text: string, extract: Extract, name: string): void {
	const damage = damageOf(text, extract, name);
	if (damage) throw new AppError('invalid_request', damage.message);
}
