/** Java `.properties` files: values; keys, comments, separators and continuation lines stay. */

import { gateRules } from '../gate/gateRules.ts';
import type { Extract, Piece } from './piece.ts';
import { propertyEntries } from './propertyEntries.ts';
import { remarksIn } from './remarks.ts';

function extract(text: string): Piece[] {
	const isKept = remarksIn(text);
	const ascii = /^[\x00-\x7f]*$/.test(text);
	return propertyEntries(text)
		.filter(({ value, start }) => /\p{L}{2}/u.test(value) && !isKept(start, ''))
		.map(({ value, valueStart, end }) => ({
			start: valueStart,
			end,
			text: value,
			encode: (translation) => encode(translation, ascii),
		}));
}

export const extractProperties: Extract = Object.assign(extract, { rules: gateRules.properties });

function encode(text: string, ascii: boolean): string {
	const escaped = text
		.replaceAll('\\', '\\\\')
		.replaceAll('\n', '\\n')
		.replaceAll('\r', '\\r')
		.replaceAll('\t', '\\t')
		.replace(/^ /, '\\ ');
	if (!ascii) return escaped;
	// A file in plain ASCII may be read as Latin-1.
	return escaped.replace(
		/[^\x00-\x7f]/g,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}
