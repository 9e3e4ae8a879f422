/** Character references of HTML text: decoding with offsets, and escaping in the author's manner. */

import { Parser } from 'htmlparser2';

const decoded = new Map<string, string>();

function decodeOne(reference: string): string {
	const known = decoded.get(reference);
	if (known !== undefined) return known;
	let text = '';
	new Parser({ ontext: (part) => (text += part) }, { decodeEntities: true }).end(reference);
	// Attacker-made documents must not grow the table.
	if (decoded.size < 3000) decoded.set(reference, text);
	return text;
}

/**
 * Decodes character references.
 *
 * @param source Offset of `raw` in its document.
 * @returns the text and, when anything was decoded, the document offset of each of its UTF-16 units
 *   plus the offset of the end.
 */
export function decodeEntities(
	raw: string,
	source: number,
): { readonly text: string; readonly offsets?: number[] } {
	if (!raw.includes('&')) return { text: raw };
	const offsets: number[] = [];
	let text = '';
	let at = 0;
	const plain = (to: number): void => {
		for (; at < to; at++) {
			offsets.push(source + at);
			text += raw[at];
		}
	};
	for (const match of raw.matchAll(/&(?:#[xX]?[\da-fA-F]+|[A-Za-z][A-Za-z\d]*);?/g)) {
		const character = decodeOne(match[0]);
		if (character === match[0]) continue;
		plain(match.index);
		for (let unit = 0; unit < character.length; unit++) offsets.push(source + at);
		text += character;
		at += match[0].length;
	}
	plain(raw.length);
	offsets.push(source + raw.length);
	return { text, offsets };
}

/**
 * Escapes text for the place where `raw` stood: `&`, `<` and `>` become references unless the
 * author wrote them bare there, and no-break spaces stay references if they were.
 */
export function escaper(raw: string): (text: string) => string {
	const bareAmp = /&(?![#A-Za-z])/.test(raw) && !/&amp;/i.test(raw);
	const bareLess = raw.includes('<');
	const bareGreater = raw.includes('>');
	const space = /&nbsp;|&#160;|&#xa0;/i.exec(raw)?.[0];
	return (text) => {
		let out = text.replace(bareAmp ? /&(?=[#A-Za-z])/g : /&/g, '&amp;');
		out = out.replace(bareLess ? /<(?=[A-Za-z/!?])/g : /</g, '&lt;');
		if (!bareGreater) out = out.replaceAll('>', '&gt;');
		return space === undefined ? out : out.replaceAll('\u00a0', space);
	};
}
