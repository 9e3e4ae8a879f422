/** TOML: string values that read like words; keys, comments, dates, numbers and layout stay. */

import { gateRules } from '../../gate/gateRules.ts';
import { isProse } from '../isProse.ts';
import type { Extract, Piece } from '../piece.ts';
import { categoryBranches, pluralKey, siblingsOf } from '../pluralKeys.ts';
import { remarksIn } from '../remarks.ts';
import { readToml } from './tomlReader.ts';

function quoted(text: string, quote: string, eol: string): string {
	if (quote === "'" && !/['\n\r]/.test(text)) return `'${text}'`;
	if (quote === "'''" && !text.includes("''") && !text.endsWith("'"))
		return `'''${eol}${text.replaceAll('\n', eol)}'''`;
	const escaped = text
		.replace(/[\\"]/g, '\\$&')
		.replaceAll('\t', '\\t')
		.replaceAll('\r', '\\r')
		.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '');
	if (quote.length === 3) return `"""${eol}${escaped.replaceAll('\n', eol)}"""`;
	return `"${escaped.replaceAll('\n', '\\n')}"`;
}

/** A word in small letters is the name of something, unless its key says that it is a message. */
const isName = (words: string, key: string): boolean =>
	/^[a-z][\w.-]*$/.test(words) &&
	!/^(?:zero|one|two|few|many|other|text|title|label|message|description)$/.test(key);

export const extractToml: Extract = Object.assign(
	(text: string, to?: string): Piece[] => {
		const eol = text.includes('\r\n') ? '\r\n' : '\n';
		const isKept = remarksIn(text);
		const { reader } = readToml(text);
		const siblings = reader.keys.map((keys) => siblingsOf(keys));
		return reader.values.flatMap(
			({ start, end, text: words, quote, table, key, path }): Piece[] => {
				if (!isProse(words.trim()) || isName(words, key) || isKept(start, '')) return [];
				const own = siblings[table];
				const plural = own && to !== undefined ? pluralKey(key, own) : undefined;
				const branches = plural && to ? categoryBranches(words, plural, to) : undefined;
				const encode = (made: string) => quoted(made, quote, quote.length === 3 ? eol : '');
				return [{ start, end, text: words, key: path, encode, ...(branches ? { branches } : {}) }];
			},
		);
	},
	{ faultOf: (text: string) => readToml(text).fault, rules: gateRules.toml },
);
