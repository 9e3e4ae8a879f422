/** Tags of MDX: their names, and the words in their attributes. */

import type { Event } from 'micromark-util-types';
import { escapeMarkup, readable } from '../markup.ts';
import type { Piece } from '../piece.ts';
import { isReadAttribute } from '../readAttributes.ts';

export interface JsxTag {
	readonly name: string;
	readonly isClosing: boolean;
	readonly isSelfClosing: boolean;
	/** Words in attributes. */
	readonly inner: readonly Piece[];
}

/**
 * Reads a tag.
 *
 * @param events From the enter of the tag to its exit.
 * @param base Offset of their text in its document.
 */
export function jsxTag(text: string, events: readonly Event[], base: number): JsxTag {
	let name = '';
	let attribute = '';
	let isClosing = false;
	let isSelfClosing = false;
	const inner: Piece[] = [];
	for (const [kind, { type, start, end }] of events) {
		if (kind === 'exit') continue;
		const raw = text.slice(start.offset, end.offset);
		const part = type.replace(/^mdxJsx(?:Flow|Text)Tag/, '');
		if (part === 'Name') name = raw.trim();
		else if (part === 'ClosingMarker') isClosing = true;
		else if (part === 'SelfClosingMarker') isSelfClosing = true;
		else if (part === 'AttributeName') attribute = raw.trim();
		else if (part === 'AttributeValueLiteralValue') {
			if (!isReadAttribute(name, attribute, {}) || !/\p{L}{2}/u.test(raw)) continue;
			const [from, to] = [start.offset + base, end.offset + base];
			inner.push({ start: from, end: to, text: readable(raw).trim(), encode: encodeValue });
		}
	}
	return { name, isClosing, isSelfClosing, inner };
}

const encodeValue = (made: string): string =>
	escapeMarkup(made).replaceAll('"', '&quot;').replaceAll("'", '&#39;');
