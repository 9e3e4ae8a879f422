/**
 * Messages a translated file lacks: which they are, and putting them in where the source has them,
 * with order and layout of the target kept.
 */

import { parseDocument, visit } from 'yaml';
import { defined } from '../../protocol/defined.ts';
import type { MessageProgress, TranslateMissingResult } from '../../protocol/editingMessages.ts';
import { alignedLists } from './alignedLists.ts';
import {
	type DocumentLanguages,
	inItsLanguage,
	type LeftText,
	type TextTranslator,
	type TranslateTexts,
} from './documentLanguage.ts';
import { applyEdits, isWithin, lineEnd } from './edits.ts';
import { emptyMessages } from './emptyMessages.ts';
import { flatMessages, isFlat } from './flatMessages.ts';
import { extractJson } from './jsonDocument.ts';
import type { MissingMessage } from './lineChanges.ts';
import {
	isLanguageKey,
	type MessageFormat,
	messageChanges,
	treeFormats,
} from './messageChanges.ts';
import { messageStates, sharedPaths } from './messageStates.ts';
import type { MessageTree } from './messageTree.ts';
import type { Extract } from './piece.ts';
import { extractPo } from './poDocument.ts';
import { poEntries } from './poEntries.ts';
import { type IsPartly, partlyBy } from './textCounts.ts';
import { type PiecesResult, proseOf, translatePieces } from './translateDocument.ts';
import { type MadeMessage, pointerOf, staleMessages } from './translationRecord.ts';
import { extractYaml } from './yamlDocument.ts';

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
	return messageChanges(sourceText, targetText, format, () => true, to).missing;
}

/**
 * How many messages the source has, how many of them the target lacks, how many the target has that the source
 * lacks, and how many have changed in the source since.
 *
 * @param recorded what was recorded of the target, by the pointers of its messages
 *
 * @throws AppError `invalid_request` when a file cannot be read.
 */
export function messageProgress(
	sourceText: string,
	targetText: string,
	format: MessageFormat,
	to: string,
	recorded?: ReadonlyMap<string, MadeMessage>,
): MessageProgress {
	const lists = alignedLists(sourceText, targetText, format, recorded);
	const { text, recorded: known, moved } = lists;
	const states = messageStates(sourceText, text, format, to);
	const unpaired = states.filter(({ isUnpaired }) => isUnpaired).length;
	const missing = missingMessages(sourceText, text, format, to).length + unpaired;
	// A template of gettext names its own messages: all of them are empty there.
	const all =
		missingMessages(sourceText, '', format, to).length - sharedIn(sourceText, text, format, to);
	const hasOwn = format !== 'po' && targetText.trim() !== '';
	const unused = hasOwn ? missingMessages(targetText, sourceText, format).length : 0;
	const stale = staleMessages(states, known).length + moved.size;
	return { total: Math.max(all, missing), missing, unused, stale };
}

/** How many texts of a source both files take from elsewhere, where they count. */
function sharedIn(
	sourceText: string,
	targetText: string,
	format: MessageFormat,
	to: string,
): number {
	if (format !== 'yaml') return 0;
	const shared = new Set(sharedPaths(sourceText, targetText, to).map(pointerOf));
	if (shared.size === 0) return 0;
	const isShared = (path: readonly string[]) =>
		path.some((_, at) => shared.has(pointerOf(path.slice(0, at + 1))));
	return missingMessages(sourceText, '', format, to).filter(
		// A file of Rails has its language as the first key.
		({ path }) => isShared(path) || isShared(path.slice(1)),
	).length;
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
	// A translated file may lack what its source says of the messages.
	const said = new Map(
		extracts[format](sourceText).map(({ text, comment }) => [text.trim(), comment]),
	);
	const remembered: TranslateTexts = async (texts, comments) => {
		const fresh = [...new Set(texts)].filter((text) => !known.has(text));
		const ofFresh = fresh.map((text) => comments?.[texts.indexOf(text)] ?? said.get(text));
		const answers = fresh.length === 0 ? [] : await translate(fresh, ofFresh);
		for (const [index, text] of fresh.entries()) known.set(text, answers[index] ?? text);
		return texts.map((text) => known.get(text) ?? text);
	};
	const isFramed = isFlat(format)
		? flatMessages[format].isFramed
		: format === 'yaml' && hasAliases(sourceText);
	if (isFramed && targetText.trim() === '') {
		// A new file needs what stands around the messages, and what its aliases stand for.
		for (const text of unwanted) known.set(text, text);
		const done = await translatePieces(sourceText, extracts[format], remembered, to, isPartly);
		const { missing } = messageChanges(sourceText, '', format, () => true, to);
		const refused = new Set(done.refused);
		const out = new Set([...refused, ...unwanted]);
		const added = missing.filter(isMade(out)).map(({ parts, ...message }) => message);
		const isNone = added.length === 0 && out.size > 0;
		const text = isNone ? targetText : withoutMessages(sourceText, done.text, format, to, out);
		return { text, added, refused: [...refused], kept: keptOf(done) };
	}
	const attempt = async (wanted: (text: string) => boolean) => {
		const { missing, edits } = messageChanges(sourceText, targetText, format, wanted, to);
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
		refused.size === 0
			? first
			: await attempt((text) => !isAmong(refused, text) && !unwanted.has(text));
	const now = translatedAlready(sourceText, last.done.text, format);
	return {
		text: last.done.text,
		added: last.missing.filter(isMade(refused)).map(({ parts, ...message }) => ({
			...message,
			...defined({ translation: now.get(message.text.trim()) }),
		})),
		refused: [...refused],
		kept: keptOf(last.done),
	};
}

/** Texts that are in a file as they are in its source, in whole or in part. */
const keptOf = ({ pieces, translated, refused }: PiecesResult): number =>
	pieces - translated - refused.length;

/** A new file without the messages that have one of some source texts still: they are missing. */
function withoutMessages(
	sourceText: string,
	made: string,
	format: MessageFormat,
	to: string,
	texts: ReadonlySet<string>,
): string {
	if (texts.size === 0) return made;
	const found = extracts[format](made, to).filter(
		(piece) => !piece.companion && isAmong(texts, piece.text),
	);
	const hasOne = ({ start, end }: { readonly start: number; readonly end: number }) =>
		found.some((piece) => piece.start < end && piece.end > start);
	if (!isFlat(format)) {
		const states = messageStates(sourceText, made, format, to);
		const emptied = emptyMessages(
			made,
			states.filter(({ value }) => value && hasOne(value)),
		);
		// What an alias stands for may lie in a list.
		return extracts[format].faultOf?.(emptied) ? made : emptied;
	}
	const edits = flatMessages[format].lines(made).filter(hasOne);
	return applyEdits(
		made,
		edits.map(({ start, end }) => ({ start, end: lineEnd(made, end), text: '' })),
	).text;
}

/** Whether messages of YAML stand for others, which would be written out again and again. */
function hasAliases(text: string): boolean {
	// Words between stars look alike, but what is no alias has none of these signs.
	if (!/\*[^\s*,[\]{}]/.test(text)) return false;
	let found = false;
	visit(parseDocument(text, { uniqueKeys: false, prettyErrors: false }), {
		Alias: () => {
			found = true;
			return visit.BREAK;
		},
	});
	return found;
}

/** Whether nothing of a message is among texts that were refused. */
const isMade =
	(refused: ReadonlySet<string>) =>
	({ text, parts = [text] }: MissingMessage): boolean =>
		!parts.some((one) => isAmong(refused, one));

/** Blocks of YAML end with a line end, which translators do not see. */
const isAmong = (texts: ReadonlySet<string>, text: string): boolean =>
	texts.has(text) || texts.has(text.trim());

/** Texts by their keys from the root, and what says them in a file of that format. */
function textsOf(text: string, format: MessageFormat): Map<string, string> {
	if (isFlat(format))
		return new Map(
			flatMessages[format].lines(text).flatMap(({ key, text, parts = [], items, isList }) => {
				if (!items && parts.length < 2) return [[key, text] as const];
				if (!items)
					return parts.map((part, at) => [`${key}\u0000${parts.length}\u0000${at}`, part] as const);
				// A plural form says what its category needs. Lists of different lengths are no pair.
				if (!isList) return [];
				return items.map(
					(item) => [`${key}\u0000${items.length}\u0000${item.key}`, item.text] as const,
				);
			}),
		);
	const texts = new Map<string, string>();
	const visit = (tree: MessageTree | undefined, path: string) => {
		if (typeof tree?.value === 'string') texts.set(path, tree.value);
		for (const { key, value } of tree?.entries ?? []) visit(value, `${path}\u0000${key}`);
	};
	const root = format === 'po' ? undefined : treeFormats[format].read(text);
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
