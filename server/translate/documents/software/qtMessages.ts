/**
 * Qt Linguist `.ts` files: translations that are empty are filled in and stay unfinished, so that a person looks
 * at them; messages with numbers get the forms of the target language. What is translated or obsolete stays.
 */

import { gateRules } from '../../gate/gateRules.ts';
import { sameLanguage } from '../../languageCodes.ts';
import { applyEdits } from '../edits.ts';
import { languageTag } from '../languageTag.ts';
import type { Branches, Extract, Fault, Piece } from '../piece.ts';
import { samePlaceholders } from '../placeholders.ts';
import { pluralFormsOf } from '../pluralForms.ts';
import { withNumber, withoutNumber } from '../pluralNumbers.ts';
import { asksToKeep } from '../remarks.ts';
import {
	childElements,
	contentOf,
	elementsIn,
	readXml,
	type XmlElement,
	xmlAttribute,
	xmlAttributes,
	xmlCodeOfWords,
	xmlFault,
	xmlWords,
} from '../xmlTree.ts';

/** Whether a file that ends in `.ts` is one of Qt, and no program. */
export const isQtMessages = (text: string): boolean =>
	/^\ufeff?\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!DOCTYPE TS>\s*)?<TS\b/.test(text.slice(0, 1000));

interface Message {
	readonly source: string;
	readonly translation: XmlElement;
	readonly isNumerus: boolean;
	/** What the program says of it. */
	readonly comment: string;
}

function messagesOf(text: string): Message[] {
	return [...elementsIn(readXml(text))].flatMap((message) => {
		if (message.name !== 'message') return [];
		const [source] = childElements(message, 'source');
		const [translation] = childElements(message, 'translation');
		if (!source || !translation || source.children.some(({ kind }) => kind !== 'text')) return [];
		const type = xmlAttribute(text, translation, 'type');
		const words = contentOf(text, translation).replace(/<[^<>]*>/g, '');
		if ((type !== undefined && type !== 'unfinished') || words.trim() !== '') return [];
		const remarks = [
			...childElements(message, 'comment'),
			...childElements(message, 'extracomment'),
		];
		if (remarks.some((remark) => asksToKeep(contentOf(text, remark)))) return [];
		const isNumerus = xmlAttribute(text, message, 'numerus') === 'yes';
		const comment = remarks.map((remark) => xmlWords(contentOf(text, remark)).trim()).join('\n');
		return [{ source: xmlWords(contentOf(text, source)), translation, isNumerus, comment }];
	});
}

const counters = /%(?:n|L\d{1,2}|\d{2})(?!\w)/g;

export const extractQt: Extract = Object.assign(
	(text: string, to?: string): Piece[] =>
		messagesOf(text).flatMap(({ source, translation, isNumerus, comment }): Piece[] => {
			const words = withoutMnemonic(source);
			if (!/\p{L}{2}/u.test(words)) return [];
			const start = text.slice(translation.start, translation.content);
			const tag = start.endsWith('/>') ? `${start.slice(0, -2).trimEnd()}>` : start;
			const hasVariants = xmlAttribute(text, translation, 'variants') === 'yes';
			const said = comment === '' ? {} : { comment };
			const place = { start: translation.start, end: translation.end, text: words, ...said };
			const write = (made: string) =>
				xmlCodeOfWords(withMnemonic(made, source)).replaceAll('"', '&quot;');
			if (!isNumerus)
				return [
					{
						...place,
						delimiters: counters,
						encode: (made) =>
							hasVariants
								? `${tag}<lengthvariant>${write(made)}</lengthvariant></translation>`
								: `${tag}${write(made)}</translation>`,
					},
				];
			const branches = to === undefined ? undefined : numerusBranches(words, to);
			if (!branches) return [];
			const line = text.slice(text.lastIndexOf('\n', translation.start) + 1, translation.start);
			const indent = line.trim() === '' ? line : '';
			const encode = (made: string) => {
				const forms = (JSON.parse(made) as string[]).map(
					(form) => `\n${indent}    <numerusform>${write(form)}</numerusform>`,
				);
				return `${tag}${forms.join('')}\n${indent}</translation>`;
			};
			return [{ ...place, branches, encode }];
		}),
	{
		rules: gateRules.qt,
		faultOf: (text: string): Fault | undefined =>
			xmlFault(text) ?? (isQtMessages(text) ? undefined : { at: 0, what: 'this is no file of Qt' }),
		prose: (text: string) => messagesOf(text).map(({ source }) => withoutMnemonic(source)),
		prepare: (text: string, to: string) => {
			const [root] = childElements(readXml(text));
			const tag = languageTag(to)?.replaceAll('-', '_');
			const mark = root && xmlAttributes(text, root).find(({ name }) => name === 'language');
			if (mark && sameLanguage(mark.value.replaceAll('_', '-'), to)) return text;
			return mark && tag ? applyEdits(text, [{ ...mark, text: tag }]).text : text;
		},
	},
);

/** A form for each number the language has one for, translated with such a number in it. */
function numerusBranches(source: string, to: string): Branches | undefined {
	const forms = pluralFormsOf(to);
	if (!forms) return undefined;
	const texts: string[] = [];
	const builds = forms.numbers.map((numbers) => {
		const sample = numbers[0];
		const numbered = sample === undefined ? undefined : withNumber(source, '%n', sample);
		const at = texts.length;
		if (numbered !== undefined) texts.push(numbered);
		texts.push(source);
		return (made: readonly string[]) => {
			const plain = made[numbered === undefined ? at : at + 1] ?? '';
			const back =
				numbered === undefined || sample === undefined
					? undefined
					: withoutNumber(made[at] ?? '', '%n', sample);
			return [back, plain].find(
				(one) =>
					one !== undefined && samePlaceholders(source, one) && countOf(one) === countOf(source),
			);
		};
	});
	return {
		texts,
		join: (made) => {
			const rows = builds.map((build) => build(made));
			return rows.some((row) => row === undefined) ? undefined : JSON.stringify(rows);
		},
	};
}

const countOf = (text: string) => (text.match(counters) ?? []).sort().join();

/** The sign in front of a letter, and none that begins an entity of rich text. */
const mnemonic = /&(?!#?[\p{L}\d]{1,40};)(?=[\p{L}\d])/u;
const entity = /&#?[\p{L}\d]{1,40};/gu;
const signs = (label: string) => label.replace(entity, '').split('&').length - 1;

/** A label without the sign in front of the letter that its key is. */
function withoutMnemonic(label: string): string {
	return signs(label) === 1 ? label.replace(mnemonic, '') : label;
}

/** The sign in front of the same letter, or of the first one. */
function withMnemonic(text: string, source: string): string {
	const at = source.search(mnemonic);
	if (at < 0 || signs(source) !== 1) return text;
	const letter = source.charAt(at + 1).toLowerCase();
	const same = text.toLowerCase().indexOf(letter);
	const place =
		same >= 0 && text.toLowerCase().length === text.length ? same : text.search(/\p{L}/u);
	return place < 0 ? text : `${text.slice(0, place)}&${text.slice(place)}`;
}
