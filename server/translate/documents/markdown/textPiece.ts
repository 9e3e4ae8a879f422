/** Words of Markdown that are no line: titles of links, descriptions of images. */

import type { Piece } from '../piece.ts';

/** What would end them or begin something else in them. */
const special = { alt: /[[\]\\`*_<]/g, title: /["'()\\]/g };
const escapes = /\\([!-/:-@[-`{-~])/g;

/** A text that stands at an offset as it is written; none where it has no words, or marks among them. */
export function textPiece(raw: string, start: number, kind: keyof typeof special): Piece[] {
	if (kind === 'alt' && /(?<!\\)[[\]`*_<]/.test(raw)) return [];
	const text = raw.replace(escapes, '$1').replace(/\s+/g, ' ').trim();
	if (!/\p{L}{2}/u.test(text)) return [];
	const encode = (made: string) => made.replace(/\s+/g, ' ').replace(special[kind], '\\$&');
	return [{ start, end: start + raw.length, text, encode }];
}
