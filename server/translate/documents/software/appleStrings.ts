/** Apple `.strings` files: values; keys, comments and order stay. And `.stringsdict`, which has plural forms. */

import { gateRules } from '../../gate/gateRules.ts';
import { isProse } from '../isProse.ts';
import type { Extract, Fault, Piece } from '../piece.ts';
import { asksToKeep } from '../remarks.ts';
import {
	childElements,
	contentOf,
	elementsIn,
	readXml,
	type XmlElement,
	xmlCodeOfWords,
	xmlFault,
	xmlWords,
} from '../xmlTree.ts';
import { appleEntries } from './appleEntries.ts';
import { itemBranches, type PluralItem, type PluralItems, withCategories } from './pluralItems.ts';

export const extractAppleStrings: Extract = Object.assign(
	(text: string): Piece[] =>
		appleEntries(text).entries.flatMap(({ remark, start, end, raw }) => {
			const words = unescaped(raw);
			if (!isProse(words.trim()) || asksToKeep(remark)) return [];
			// Xcode writes this where nobody said anything.
			const said = remarkWords(remark);
			const isSaid = said !== '' && said !== 'No comment provided by engineer.';
			return [{ start, end, text: words, encode: escaped, ...(isSaid ? { comment: said } : {}) }];
		}),
	{
		rules: gateRules.strings,
		faultOf: (text: string): Fault | undefined => {
			const { fault } = appleEntries(text);
			return fault === undefined ? undefined : { at: fault, what: 'this is no "key" = "value";' };
		},
	},
);

/** What a remark says, without its signs. */
const remarkWords = (remark: string): string =>
	remark
		.split('\n')
		.map((line) =>
			line.trim().replace(/^\/\//, '').replace(/^\/\*/, '').replace(/\*\/$/, '').trim(),
		)
		.filter((line) => line !== '')
		.join(' ');

const letters: ReadonlyMap<string, string> = new Map([
	['n', '\n'],
	['t', '\t'],
	['r', '\r'],
]);

function unescaped(raw: string): string {
	return raw.replace(/\\(?:[uU]([\da-fA-F]{4})|([\s\S]))/g, (_, hex?: string, letter = '') =>
		hex ? String.fromCharCode(Number.parseInt(hex, 16)) : (letters.get(letter) ?? letter),
	);
}

function escaped(text: string): string {
	return text
		.replace(/[\\"]/g, '\\$&')
		.replaceAll('\n', '\\n')
		.replaceAll('\r', '\\r')
		.replaceAll('\t', '\\t');
}

const categories = new Set(['zero', 'one', 'two', 'few', 'many', 'other']);

/** Keys of a dictionary of a property list with their values. */
function pairsOf(
	text: string,
	dictionary: XmlElement,
): { key: XmlElement; value: XmlElement; name: string }[] {
	const children = childElements(dictionary);
	return children.flatMap((key, at) => {
		const value = children[at + 1];
		return key.name === 'key' && value && value.name !== 'key'
			? [{ key, value, name: xmlWords(contentOf(text, key)) }]
			: [];
	});
}

/** The plural messages of a file: dictionaries that say that they are. */
function pluralsOf(text: string): { item: PluralItem; value: XmlElement }[][] {
	return [...elementsIn(readXml(text))]
		.filter(({ name }) => name === 'dict')
		.map((dictionary) => pairsOf(text, dictionary))
		.filter((pairs) => pairs.some(({ name }) => name === 'NSStringFormatSpecTypeKey'))
		.map((pairs) =>
			pairs
				.filter(({ name, value }) => categories.has(name) && value.name === 'string')
				.map(({ key, value, name }) => {
					const words = xmlWords(contentOf(text, value));
					return { value, item: { category: name, start: key.start, end: value.end, text: words } };
				}),
		);
}

/** Dictionaries of texts of which one is shown: by the width there is, or by the device. */
const variantKeys = new Set(['NSStringVariableWidthRuleType', 'NSStringDeviceSpecificRuleType']);

/** Elements that hold whole texts: sentences around plurals, and variants of a text. */
function wholeTexts(text: string): XmlElement[] {
	return [...elementsIn(readXml(text))]
		.filter(({ name }) => name === 'dict')
		.flatMap((dictionary) => pairsOf(text, dictionary))
		.flatMap(({ name, value }) => {
			if (name === 'NSStringLocalizedFormatKey') return [value];
			if (!variantKeys.has(name) || value.name !== 'dict') return [];
			return pairsOf(text, value).map((pair) => pair.value);
		})
		.filter(({ name }) => name === 'string');
}

export const extractStringsDict: Extract = Object.assign(
	(text: string, to?: string): Piece[] => {
		if (to === undefined) return [];
		const pieces = pluralsOf(text).flatMap((forms) =>
			forms.flatMap(({ item, value }): Piece[] => {
				if (!/\p{L}{2}/u.test(item.text)) return [];
				const branches = itemBranches(
					item,
					forms.map((one) => one.item.category),
					to,
				);
				const place = { start: value.content, end: value.contentEnd, text: item.text };
				return [{ ...place, encode: xmlCodeOfWords, ...(branches ? { branches } : {}) }];
			}),
		);
		const whole = wholeTexts(text).flatMap((value): Piece[] => {
			const words = xmlWords(contentOf(text, value));
			// `%#@files@` stands for the forms of a plural.
			if (!/\p{L}{2}/u.test(words.replace(/%(?:\d+\$)?#@\w+@/g, ''))) return [];
			const place = { start: value.content, end: value.contentEnd, text: words };
			return [{ ...place, delimiters: /%(?:\d+\$)?#@\w+@/g, encode: xmlCodeOfWords }];
		});
		return [...pieces, ...whole].sort((a, b) => a.start - b.start);
	},
	{
		rules: gateRules.stringsdict,
		faultOf: xmlFault,
		prepare: (text: string, to: string) =>
			withCategories(
				text,
				pluralsOf(text).map(
					(forms): PluralItems => ({
						items: forms.map(({ item }) => item),
						renamed: (code, category) => code.replace(/^<key>[^<]*/, `<key>${category}`),
					}),
				),
				to,
			),
	},
);
