/**
 * Apple `.xcstrings` catalogues, which hold all languages: messages get a translation into the target language,
 * marked for review, and plural forms of its own. What is there already stays, and so does every other language.
 */

import { getNodeValue, type Node, parseTree } from 'jsonc-parser';
import { defined } from '../../../protocol/defined.ts';
import { pushAll } from '../../../protocol/lists.ts';
import { gateRules } from '../../gate/gateRules.ts';
import { canonicalLanguage, sameLanguage } from '../../languageCodes.ts';
import { indentAt } from '../../whiteSpace.ts';
import { isProse } from '../isProse.ts';
import { extractJson } from '../jsonDocument.ts';
import { languageTag } from '../languageTag.ts';
import type { Branches, Extract, Piece } from '../piece.ts';
import { samePlaceholders } from '../placeholders.ts';
import { pluralCategories } from '../pluralNumbers.ts';
import { asksToKeep } from '../remarks.ts';
import { itemBranches } from './pluralItems.ts';

const member = (node: Node | undefined, name: string): Node | undefined =>
	node?.children?.find(({ children }) => children?.[0]?.value === name)?.children?.[1];

const textOf = (node: Node | undefined): string | undefined =>
	node?.type === 'string' ? String(node.value) : undefined;

/** Whether the unit of a text holds no translation: one that is empty is one only where somebody says so. */
function isUntranslated(unit: Node | undefined): boolean {
	const state = textOf(member(unit, 'state'));
	return state === 'new' || (!textOf(member(unit, 'value')) && state !== 'translated');
}

/** The units of a localization, with those of all its variations. */
function unitsIn(node: Node | undefined): Node[] {
	return (node?.children ?? []).flatMap(({ children }) => {
		const [key, value] = children ?? [];
		if (!value) return [];
		return key?.value === 'stringUnit' ? [value] : unitsIn(value);
	});
}

/** A message in the language of the source; its key where nobody has written it yet. */
function sourceWords(key: string, own: Node | undefined): string {
	const unit = member(own, 'stringUnit');
	const words = textOf(member(unit, 'value'));
	return words === undefined || (words === '' && isUntranslated(unit)) ? key : words;
}

/** A message that lacks the target language. */
interface Message {
	/** The object to add to, with its members. */
	readonly into: Node;
	/** Whether `into` is the message itself and has no localizations yet. */
	readonly isBare: boolean;
	/** What stands there for the language and is no translation. */
	readonly there?: Node;
	readonly text: string;
	/** What the program says of it. */
	readonly comment?: string;
	/** Category → text of the source, where the message has forms. */
	readonly forms?: ReadonlyMap<string, string>;
	/** Category → what stands there for the language and is translated. */
	readonly kept: ReadonlyMap<string, unknown>;
}

/** Languages (BCP 47) that some message of a catalogue is translated into, in order of the alphabet. */
export function catalogueLanguages(text: string): string[] {
	const root = parseTree(text);
	const source = textOf(member(root, 'sourceLanguage')) ?? 'en';
	const named = (member(root, 'strings')?.children ?? []).flatMap(({ children }) =>
		(member(children?.[1], 'localizations')?.children ?? []).map((one) =>
			String(one.children?.[0]?.value),
		),
	);
	return [...new Set(named)].filter((language) => !sameLanguage(language, source)).sort();
}

/** Messages that have a translation of one form, with it. */
export function cataloguePairs(
	text: string,
	to: string,
): { at: number; source: string; target: string }[] {
	const root = parseTree(text);
	const from = textOf(member(root, 'sourceLanguage')) ?? 'en';
	return (member(root, 'strings')?.children ?? []).flatMap(({ children }) => {
		const [key, message] = children ?? [];
		const all = member(message, 'localizations');
		const made = all?.children?.find((one) => sameLanguage(String(one.children?.[0]?.value), to))
			?.children?.[1];
		const unit = member(made, 'stringUnit');
		const value = member(unit, 'value');
		const own = member(all, from);
		const source = sourceWords(String(key?.value), own);
		const target = textOf(value);
		if (!value || target === undefined || isUntranslated(unit)) return [];
		return member(own, 'variations') ? [] : [{ at: value.offset, source, target }];
	});
}

function extract(text: string, to?: string): Piece[] {
	const root = parseTree(text);
	const tag = to === undefined ? undefined : languageTag(to);
	if (!root || to === undefined || tag === undefined) return [];
	const source = textOf(member(root, 'sourceLanguage')) ?? 'en';
	const pieces: Piece[] = [];
	for (const { children } of member(root, 'strings')?.children ?? []) {
		const [key, value] = children ?? [];
		const message = key && value && messageOf(String(key.value), value, source, tag);
		if (message) pieces.push(pieceOf(text, message, to, tag));
	}
	return pieces;
}

function messageOf(key: string, value: Node, source: string, tag: string): Message | undefined {
	if (member(value, 'shouldTranslate')?.value === false) return undefined;
	const comment = textOf(member(value, 'comment')) ?? '';
	if (asksToKeep(comment)) return undefined;
	const all = member(value, 'localizations');
	const there = all?.children?.find(({ children }) =>
		sameLanguage(String(children?.[0]?.value), tag),
	);
	// Xcode puts messages that nobody has translated yet into every language.
	const units = unitsIn(there?.children?.[1]);
	if (units.length > 0 && !units.some(isUntranslated)) return undefined;
	const own = member(all, source);
	const plural = member(member(own, 'variations'), 'plural');
	const kept = keptForms(there?.children?.[1]);
	// Which forms of a message are open can be told of plurals only.
	if (!units.every(isUntranslated) && !(plural && kept.size > 0)) return undefined;
	const place = {
		kept,
		...(all ? { into: all, isBare: false } : { into: value, isBare: true }),
		...(comment.trim() === '' ? {} : { comment }),
		...defined({ there }),
	};
	if (plural) {
		const forms = new Map(
			(plural.children ?? []).flatMap(({ children }) => {
				const words = textOf(member(member(children?.[1], 'stringUnit'), 'value'));
				return words === undefined ? [] : [[String(children?.[0]?.value), words] as const];
			}),
		);
		const other = forms.get('other');
		return other !== undefined && isProse(other) ? { ...place, text: other, forms } : undefined;
	}
	// Other variations, such as of devices, are for a person.
	if (member(own, 'variations') || member(own, 'substitutions')) return undefined;
	const text = sourceWords(key, own);
	return isProse(text) ? { ...place, text } : undefined;
}

/** Plural forms of a localization that are translated. */
function keptForms(localization: Node | undefined): Map<string, unknown> {
	const plural = member(member(localization, 'variations'), 'plural');
	return new Map(
		(plural?.children ?? []).flatMap(({ children }) => {
			const [key, form] = children ?? [];
			const units = unitsIn(form);
			const isKept = form !== undefined && units.length > 0 && !units.some(isUntranslated);
			return isKept ? [[String(key?.value), getNodeValue(form) as unknown] as const] : [];
		}),
	);
}

function pieceOf(text: string, message: Message, to: string, tag: string): Piece {
	const { into, isBare, there } = message;
	const first = into.children?.[0];
	const last = into.children?.at(-1);
	const at = last ? last.offset + last.length : into.offset + 1;
	const eol = text.includes('\r\n') ? '\r\n' : '\n';
	const outer = lineIndent(text, into.offset);
	const indent = (first && indentAt(text, first.offset)) ?? `${outer}  `;
	const unit =
		indent.startsWith(outer) && indent.length > outer.length ? indent.slice(outer.length) : '  ';
	const branches = message.forms && formBranches(message.forms, message.kept, to);
	return {
		start: there?.offset ?? at,
		end: there ? there.offset + there.length : at,
		text: message.text,
		isNew: true,
		...defined({ branches, comment: message.comment }),
		encode: (made) => {
			const unitOf = (value: string) => ({ stringUnit: { state: 'needs_review', value } });
			const formsOf = (texts: Readonly<Record<string, string>>) => ({
				...Object.fromEntries(message.kept),
				...Object.fromEntries(Object.entries(texts).map(([name, one]) => [name, unitOf(one)])),
			});
			const value = branches
				? { variations: { plural: formsOf(JSON.parse(made) as Record<string, string>) } }
				: unitOf(made);
			const added = isBare ? { localizations: { [tag]: value } } : { [tag]: value };
			const code = JSON.stringify(added, null, unit)
				.replace(/^([ \t]*"(?:[^"\\]|\\.)*"):/gm, '$1 :')
				.slice(1, -1)
				.trim()
				.split('\n')
				.map((line) => indent + (line.startsWith(unit) ? line.slice(unit.length) : line))
				.join(eol);
			if (there) return code.trimStart();
			return last ? `,${eol}${code}` : `${eol}${code}${eol}${outer}`;
		},
	};
}

function lineIndent(text: string, at: number): string {
	return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))?.[0] ?? '';
}

/** Every category of the target that is not kept, from the form of the source that fits it best. */
function formBranches(
	forms: ReadonlyMap<string, string>,
	kept: ReadonlyMap<string, unknown>,
	to: string,
): Branches {
	const names = pluralCategories(to, 'cardinal')?.map(({ name }) => name) ?? [...forms.keys()];
	const other = forms.get('other') ?? '';
	const texts: string[] = [];
	const open = names.filter((name) => !kept.has(name));
	const builds = open.map((category) => {
		const text = forms.get(category) ?? other;
		const own = itemBranches({ category, text }, names.length > 1 ? names : [...names, 'one'], to);
		const at = texts.length;
		pushAll(texts, own?.texts ?? [text]);
		const count = own?.texts.length ?? 1;
		return (made: readonly string[]) => {
			const answers = made.slice(at, at + count);
			const joined = own ? own.join(answers) : answers[0];
			return joined !== undefined && samePlaceholders(text, joined)
				? ([category, joined] as const)
				: undefined;
		};
	});
	return {
		texts,
		join: (made) => {
			const rows = builds.map((build) => build(made)).filter((row) => row !== undefined);
			return rows.length === open.length ? JSON.stringify(Object.fromEntries(rows)) : undefined;
		},
	};
}

export const extractStringCatalog: Extract = Object.assign(extract, {
	rules: gateRules.stringCatalog,
	sourceLanguage: (text: string) =>
		canonicalLanguage(textOf(member(parseTree(text), 'sourceLanguage')) ?? ''),
	...(extractJson.faultOf ? { faultOf: extractJson.faultOf } : {}),
	prose: (text: string) => {
		const root = parseTree(text);
		const source = textOf(member(root, 'sourceLanguage')) ?? 'en';
		return (member(root, 'strings')?.children ?? []).flatMap(({ children }) => {
			const [key, value] = children ?? [];
			const own = member(member(value, 'localizations'), source);
			const words = sourceWords(String(key?.value ?? ''), own);
			return isProse(words) ? [words] : [];
		});
	},
});
