/**
 * Messages a translated file lacks: which they are, and putting them in where the source has them,
 * with order and layout of the target kept.
 */

import { defined } from '../../protocol/defined.ts';
import type { MessageProgress, TranslateMissingResult } from '../../protocol/editingMessages.ts';
import { AppError } from '../../protocol/errors.ts';
import { pushAll } from '../../protocol/lists.ts';
import {
	type DocumentLanguages,
	inItsLanguage,
	type LeftText,
	type TextTranslator,
	type TranslateTexts,
} from './documentLanguage.ts';
import { applyEdits, isWithin } from './edits.ts';
import { type FlatFormat, flatMessages, isFlat, translatableMessages } from './flatMessages.ts';
import { extractJson } from './jsonDocument.ts';
import { lineChanges, type MessageChanges, type MissingMessage } from './lineChanges.ts';
import { poLines } from './messageLines.ts';
import {
	jsonTree,
	type MessageTree,
	type NewEntry,
	type TreeFormat,
	yamlTree,
} from './messageTree.ts';
import type { Extract } from './piece.ts';
import { entriesFor } from './pluralKeys.ts';
import { extractPo } from './poDocument.ts';
import { poEntries } from './poEntries.ts';
import { type IsPartly, partlyBy } from './textCounts.ts';
import { type PiecesResult, proseOf, translatePieces } from './translateDocument.ts';
import { extractYaml } from './yamlDocument.ts';

export type MessageFormat = 'json' | 'yaml' | 'po' | FlatFormat;

export interface MissingResult extends TranslateMissingResult {
	readonly left: readonly LeftText[];
}

const endings: Readonly<Record<string, MessageFormat>> = {
	arb: 'json',
	json: 'json',
	jsonc: 'json',
	po: 'po',
	pot: 'po',
	properties: 'properties',
	resx: 'resx',
	strings: 'strings',
	yaml: 'yaml',
	yml: 'yaml',
};
const trees = { json: jsonTree, yaml: yamlTree };
const { properties, strings, android, resx } = flatMessages;
const extracts = {
	json: extractJson,
	yaml: extractYaml,
	po: extractPo,
	properties: properties.extract,
	strings: strings.extract,
	android: android.extract,
	resx: resx.extract,
};

/** Format of a message file by its name, or `undefined`. */
export function messageFormatOf(fileName: string): MessageFormat | undefined {
	const ending = /\.([^./\\]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
	if (/(?:^|[/\\])(?:strings|arrays|plurals)[\w-]*\.xml$/i.test(fileName)) return 'android';
	return Object.hasOwn(endings, ending) ? endings[ending] : undefined;
}

/** How the words of a message format are found. */
export const extractOfMessages = (format: MessageFormat): Extract => extracts[format];

/**
 * Messages of the source without a translation in the target, in the order of the source. Keys that
 * are there but empty count as missing; with `to`, so do plural forms only that language has.
 *
 * @throws AppError `invalid_request` when a file cannot be read.
 */
export function missingMessages(
	sourceText: string,
	targetText: string,
	format: MessageFormat,
	to?: string,
): readonly MissingMessage[] {
	return changes(sourceText, targetText, format, () => true, to).missing;
}

/**
 * How many messages the source has, how many of them the target lacks, and how many the target has that the source lacks.
 *
 * @throws AppError `invalid_request` when a file cannot be read.
 */
export function messageProgress(
	sourceText: string,
	targetText: string,
	format: MessageFormat,
	to: string,
): MessageProgress {
	const missing = missingMessages(sourceText, targetText, format, to).length;
	// A template of gettext names its own messages: all of them are empty there.
	const all = missingMessages(sourceText, '', format, to).length;
	const hasOwn = format !== 'po' && targetText.trim() !== '';
	const unused = hasOwn ? missingMessages(targetText, sourceText, format).length : 0;
	return { total: Math.max(all, missing), missing, unused };
}

/**
 * Translates what is missing and puts it into the target; what is there is not touched. The language
 * is that of the whole source file, however little is missing.
 *
 * @throws AppError `invalid_request` when a file cannot be read, `model_not_found` when no model here
 *   translates from the language of the source.
 */
export async function translateMissing(
	sourceText: string,
	targetText: string,
	format: MessageFormat,
	translator: TextTranslator,
	languages: DocumentLanguages & {
		/** Source texts that are not to be put in. */
		readonly without?: readonly string[];
	},
): Promise<MissingResult> {
	const prose = proseOf(sourceText, extracts[format], languages.to);
	const { translate, left, language } = await inItsLanguage(prose, translator, languages);
	const { to, without } = languages;
	const isPartly = partlyBy(left, language);
	return {
		...(await mergeMissing(sourceText, targetText, format, translate, to, without, isPartly)),
		left,
	};
}

/** {@link translateMissing} with a translator that knows the language. */
export async function mergeMissing(
	sourceText: string,
	targetText: string,
	format: MessageFormat,
	translate: TranslateTexts,
	to: string,
	without: readonly string[] = [],
	isPartly: IsPartly = () => false,
): Promise<TranslateMissingResult> {
	const unwanted = new Set(without);
	// What the file says already is said again, and what its author wants to keep is kept.
	const known = new Map([
		...translatedAlready(sourceText, targetText, format),
		...keptTexts(sourceText, format),
	]);
	const remembered: TranslateTexts = async (texts) => {
		const fresh = [...new Set(texts)].filter((text) => !known.has(text));
		const answers = fresh.length === 0 ? [] : await translate(fresh);
		for (const [index, text] of fresh.entries()) known.set(text, answers[index] ?? text);
		return texts.map((text) => known.get(text) ?? text);
	};
	if (isFlat(format) && flatMessages[format].isFramed && targetText.trim() === '') {
		// A new file needs what stands around the messages.
		const done = await translatePieces(sourceText, extracts[format], remembered, to, isPartly);
		const { missing } = changes(sourceText, '', format, () => true, to);
		const refused = new Set(done.refused);
		const added = missing.filter(({ text }) => !refused.has(text));
		return { text: done.text, added, refused: [...refused], kept: keptOf(done) };
	}
	const attempt = async (wanted: (text: string) => boolean) => {
		const { missing, edits } = changes(sourceText, targetText, format, wanted, to);
		const merged = applyEdits(targetText, edits);
		const added: Extract = (text, language) =>
			extracts[format](text, language).filter(
				({ start, end, companion }) => companion || isWithin(merged.ranges, start, end),
			);
		// Empty messages of a target file are filled where they are.
		const extract: Extract = format === 'po' ? extractPo : added;
		return { missing, done: await translatePieces(merged.text, extract, remembered, to, isPartly) };
	};
	const first = await attempt((text) => !unwanted.has(text));
	const refused = new Set(first.done.refused);
	const last =
		refused.size === 0 ? first : await attempt((text) => !refused.has(text) && !unwanted.has(text));
	const said = translatedAlready(sourceText, last.done.text, format);
	return {
		text: last.done.text,
		added: last.missing
			.filter(({ text }) => !refused.has(text))
			.map((message) => ({
				...message,
				...defined({ translation: said.get(message.text.trim()) }),
			})),
		refused: [...refused],
		kept: keptOf(last.done),
	};
}

/** Texts that are in a file as they are in its source, in whole or in part. */
const keptOf = ({ pieces, translated, refused }: PiecesResult): number =>
	pieces - translated - refused.length;

function changes(
	sourceText: string,
	targetText: string,
	format: MessageFormat,
	wanted: (text: string) => boolean,
	to?: string,
): MessageChanges {
	if (format === 'po')
		return lineChanges(poLines(sourceText), poLines(targetText), targetText, wanted);
	if (isFlat(format)) {
		const { lines, extract, firstAt } = flatMessages[format];
		const source =
			to === undefined ? sourceText : (extract.prepare?.(sourceText, to) ?? sourceText);
		const at = firstAt(targetText);
		return lineChanges(
			translatableMessages(lines(source)),
			lines(targetText),
			targetText,
			wanted,
			at,
		);
	}
	return treeChanges(sourceText, targetText, trees[format], wanted, to);
}

function treeChanges(
	sourceText: string,
	targetText: string,
	format: TreeFormat,
	wanted: (text: string) => boolean,
	to: string | undefined,
): MessageChanges {
	const source = format.read(sourceText);
	if (!source) throw unreadable('source');
	const target = format.read(targetText);
	const found: MessageChanges = { missing: [], edits: [] };
	if (!target) {
		if (targetText.replace(/^(?:---|#.*|\s+)+/gm, '').trim() !== '') throw unreadable('target');
		const [root] = source.entries ?? [];
		const values = newEntries(source, [], wanted, found.missing, to);
		const isRooted = source.entries?.length === 1 && root?.value.entries && isLanguageKey(root.key);
		const rooted = isRooted && to ? values.map(([, value]) => [to, value] as const) : values;
		if (values.length > 0)
			found.edits.push({
				start: targetText.length,
				end: targetText.length,
				text: format.whole(rooted),
			});
		return found;
	}
	const [from, into] = [source.entries?.[0], target.entries?.[0]];
	// Files of Rails have their language as the only key at the root.
	const isRooted =
		source.entries?.length === 1 &&
		target.entries?.length === 1 &&
		from &&
		into &&
		isLanguageKey(from.key) &&
		isLanguageKey(into.key);
	if (isRooted && from.value.entries && into.value.entries)
		compare(from.value, into.value, [into.key], targetText, format, wanted, found, to);
	else compare(source, target, [], targetText, format, wanted, found, to);
	return found;
}

/** Whether the only key at a root is the language of what lies below. */
export function isLanguageKey(key: string): boolean {
	return /^[a-z]{2,3}(?:[-_][A-Za-z\d]{2,8})*$/.test(key);
}

function unreadable(which: 'source' | 'target'): AppError {
	return new AppError(
		'invalid_request',
		`The ${which} file is no map of messages, or it is damaged. Mend it and try again.`,
	);
}

function compare(
	source: MessageTree,
	target: MessageTree,
	path: readonly string[],
	targetText: string,
	format: TreeFormat,
	wanted: (text: string) => boolean,
	found: MessageChanges,
	to: string | undefined,
): void {
	const there = new Map(target.entries?.map((entry) => [entry.key, entry]));
	let after: NonNullable<MessageTree['entries']>[number] | undefined;
	let fresh: NewEntry[] = [];
	const flush = () => {
		if (fresh.length > 0) found.edits.push(format.add(targetText, target, after, fresh));
		fresh = [];
	};
	for (const { key, value } of entriesFor(source, to)) {
		const own = there.get(key);
		const whole = [...path, key];
		if (!own) {
			// ARB describes messages in its template only.
			if (!key.startsWith('@')) pushAll(fresh, newEntries(value, whole, wanted, found.missing, to));
			continue;
		}
		flush();
		after = own;
		if (value.entries && own.value.entries)
			compare(value, own.value, whole, targetText, format, wanted, found, to);
		else if (own.value.value === null && value.value !== null) {
			const [made] = newEntries(value, whole, wanted, found.missing, to);
			const { start, end } = own.value;
			const space = targetText[start - 1] === ':' ? ' ' : '';
			if (made) found.edits.push({ start, end, text: space + format.literal(made[1]) });
		} else if (typeof value.value === 'string' && value.value !== '' && own.value.value === '') {
			if (!wanted(value.value)) continue;
			found.missing.push({ path: whole, text: value.value });
			const text = format.literal(value.value);
			found.edits.push({ start: own.value.start, end: own.value.end, text });
		}
	}
	flush();
}

/** What of a source is wanted, as entries to be written; its texts are noted as missing. */
function newEntries(
	tree: MessageTree,
	path: readonly string[],
	wanted: (text: string) => boolean,
	missing: MissingMessage[],
	to: string | undefined,
): NewEntry[] {
	const key = path.at(-1);
	if (tree.entries) {
		const inner = entriesFor(tree, to).flatMap((entry) =>
			entry.key.startsWith('@')
				? []
				: newEntries(entry.value, [...path, entry.key], wanted, missing, to),
		);
		if (key === undefined) return inner;
		return inner.length > 0 || tree.entries.length === 0 ? [[key, Object.fromEntries(inner)]] : [];
	}
	if (key === undefined) return [];
	const texts = (Array.isArray(tree.value) ? (tree.value as unknown[]) : [tree.value]).filter(
		(value) => typeof value === 'string',
	);
	if (!texts.every(wanted)) return [];
	pushAll(
		missing,
		texts.map((text) => ({ path, text })),
	);
	return [[key, tree.value]];
}

/** Texts by their keys from the root, and what says them in a file of that format. */
function textsOf(text: string, format: MessageFormat): Map<string, string> {
	if (isFlat(format))
		return new Map(flatMessages[format].lines(text).map((line) => [line.key, line.text]));
	const texts = new Map<string, string>();
	const visit = (tree: MessageTree | undefined, path: string) => {
		if (typeof tree?.value === 'string') texts.set(path, tree.value);
		for (const { key, value } of tree?.entries ?? []) visit(value, `${path}\u0000${key}`);
	};
	const root = format === 'po' ? undefined : trees[format].read(text);
	const [only, ...others] = root?.entries ?? [];
	visit(only && others.length === 0 && isLanguageKey(only.key) ? only.value : root, '');
	return texts;
}

/** Translations of the target by their source texts, where all that have one agree. */
function translatedAlready(
	sourceText: string,
	targetText: string,
	format: MessageFormat,
): Map<string, string> {
	const found = new Map<string, string | undefined>();
	const add = (source: string, target: string) => {
		const [text, answer] = [source.trim(), target.trim()];
		if (text === '' || answer === '' || text === answer) return;
		found.set(text, found.has(text) && found.get(text) !== answer ? undefined : answer);
	};
	if (format === 'po') {
		for (const { id, plural, strings } of poEntries(targetText))
			if (!plural) add(id.text, strings[0]?.text ?? '');
	} else {
		const target = textsOf(targetText, format);
		for (const [path, text] of textsOf(sourceText, format)) add(text, target.get(path) ?? '');
	}
	return new Map([...found].flatMap(([text, answer]) => (answer ? [[text, answer]] : [])));
}

/** Texts of the source that are no words for translators, or are to be left alone. */
function keptTexts(sourceText: string, format: MessageFormat): Map<string, string> {
	if (format === 'po') return new Map();
	const asked = new Set(extracts[format](sourceText).map(({ text }) => text.trim()));
	const all = [...textsOf(sourceText, format).values()];
	return new Map(
		all.filter((text) => !asked.has(text.trim())).map((text) => [text.trim(), text.trim()]),
	);
}
