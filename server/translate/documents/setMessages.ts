/** Puts translations that a person has written or accepted into a message file, each by the key of its message. */

import { applyEdits, isWithin, lineEnd } from './edits.ts';
import { flatMessages, isFlat } from './flatMessages.ts';
import type { IsWanted } from './lineChanges.ts';
import {
	isLanguageKey,
	type MessageFormat,
	messageChanges,
	treeFormats,
} from './messageChanges.ts';
import type { MessageLine } from './messageLines.ts';
import { type MessageState, messageStates } from './messageStates.ts';
import type { MessageEdit } from './messageTree.ts';
import { extractOfMessages } from './missingMessages.ts';
import type { Piece } from './piece.ts';
import { extractPo } from './poDocument.ts';
import { type PoEntry, poEntries, poFormText, quotePo } from './poEntries.ts';
import { withoutFuzzy } from './poHeader.ts';

/** Texts by the keys of their messages, joined by full stops as in `files.open`. */
export type TextsByKey = ReadonlyMap<string, string>;

export interface SetMessages {
	/** The translated file with the texts in it. */
	readonly text: string;
	/** Keys of messages that could not be put in: the source has none such, or the file has to be edited itself. */
	readonly refused: readonly string[];
}

/** Key of a message as code and {@link TextsByKey} name it. */
export const keyOfPath = (path: readonly string[]): string => path.join('.');

/**
 * Sets messages of a translated file, those it lacks where the source has them. Everything else stays, byte for byte.
 *
 * @param to BCP 47 code of the translated file
 * @throws AppError `invalid_request` when a file cannot be read
 */
export function setMessages(
	sourceText: string,
	targetText: string,
	format: MessageFormat,
	to: string,
	texts: TextsByKey,
): SetMessages {
	const isWanted: IsWanted = (_, path) =>
		holds(texts, path) || (isLanguageKey(path[0] ?? '') && holds(texts, path.slice(1)));
	const opened = openedTarget(sourceText, targetText, format, to, texts, isWanted);
	const { edits } = messageChanges(sourceText, opened, format, isWanted, to);
	const whole = applyEdits(opened, edits).text;
	const made =
		format === 'po'
			? setPo(sourceText, whole, to, texts)
			: setValues(sourceText, whole, format, to, texts);
	if (made.refused.length === 0) return made;
	// What stands there in the place of what could not be put in is its source.
	const others = new Map(texts);
	for (const key of made.refused) others.delete(key);
	if (others.size === 0) return { text: targetText, refused: made.refused };
	const rest = setMessages(sourceText, targetText, format, to, others);
	return { ...rest, refused: [...made.refused, ...rest.refused] };
}

/** Whether a message, or a form of it, is among those with a text. */
function holds(texts: TextsByKey, path: readonly string[]): boolean {
	const key = keyOfPath(path);
	return texts.has(key) || hasForms(texts, key);
}

/** Whether there is a text for a plural form of a message: forms are messages of their own. */
const hasForms = (texts: TextsByKey, key: string): boolean =>
	[...texts.keys()].some(
		(one) => one.startsWith(`${key}.`) && /^\d+$/.test(one.slice(key.length + 1)),
	);

/** Whether there is a text for all that a list says. */
const hasAll = (texts: TextsByKey, { key, items = [] }: MessageLine): boolean =>
	items.every((item) => item.parts.length === 0 || texts.has(keyOfPath([key, item.key])));

/** The file ready for what comes: a frame where it needs one, and no old text of flat formats in the place of a new one. */
function openedTarget(
	sourceText: string,
	targetText: string,
	format: MessageFormat,
	to: string,
	texts: TextsByKey,
	isWanted: IsWanted,
): string {
	if (!isFlat(format)) return targetText;
	const { isFramed, lines } = flatMessages[format];
	if (isFramed && targetText.trim() === '') {
		const others = lines(sourceText).filter(
			(line) => !isWanted(line.text, [line.key]) || (line.isList && !hasAll(texts, line)),
		);
		const without = others.map(({ start, end }) => ({
			start,
			end: lineEnd(sourceText, end),
			text: '',
		}));
		return applyEdits(sourceText, without).text;
	}
	const states = messageStates(sourceText, targetText, format, to);
	const emptied = states.flatMap(({ path, value }): MessageEdit[] =>
		value && texts.has(keyOfPath(path))
			? [{ start: value.start, end: value.end, text: value.empty }]
			: [],
	);
	return applyEdits(targetText, emptied).text;
}

function setValues(
	sourceText: string,
	targetText: string,
	format: Exclude<MessageFormat, 'po'>,
	to: string,
	texts: TextsByKey,
): SetMessages {
	const states = messageStates(sourceText, targetText, format, to);
	const pieces = extractOfMessages(format)(targetText, to).filter(({ companion }) => !companion);
	const left = new Map(texts);
	const edits: MessageEdit[] = [];
	for (const state of states) {
		const key = keyOfPath(state.path);
		const text = left.get(key);
		if (text === undefined) continue;
		const code = codeOf(state, targetText, format, pieces, text);
		if (!code) continue;
		left.delete(key);
		edits.push(code);
	}
	return { text: applyEdits(targetText, edits).text, refused: [...left.keys()] };
}

/** How a text is written in the place of a message; `undefined` where only a person can. */
function codeOf(
	{ target, value }: MessageState,
	targetText: string,
	format: Exclude<MessageFormat, 'po'>,
	pieces: readonly Piece[],
	text: string,
): MessageEdit | undefined {
	if (target === undefined || !value || value.end === 0) return undefined;
	const { start, end } = value;
	const own = pieces.filter((piece) => isWithin([value], piece.start, piece.end));
	const [piece] = own;
	// The format's own way of writing keeps quotes and escapes as the file has them.
	if (own.length === 1 && piece && !piece.inner?.length && piece.text.trim() === target.trim())
		return { start: piece.start, end: piece.end, text: piece.encode(text) };
	if (isFlat(format)) return undefined;
	const old = targetText.slice(start, end);
	// A list is shown, and written, as JSON.
	const list = old.startsWith('[') ? parseStrings(text) : undefined;
	if (old.startsWith('[') && !list) return undefined;
	const lines = /\r?\n$/.exec(old)?.[0] ?? '';
	return { start, end, text: treeFormats[format].literal(list ?? text) + lines };
}

function setPo(sourceText: string, targetText: string, to: string, texts: TextsByKey): SetMessages {
	const eol = targetText.includes('\r\n') ? '\r\n' : '\n';
	const left = new Map(texts);
	const take = (key: string): string | undefined => {
		const text = left.get(key);
		left.delete(key);
		return text;
	};
	const known = new Set(poEntries(sourceText).map(poKey));
	const edits: MessageEdit[] = [];
	for (const entry of poEntries(targetText)) {
		const key = poKey(entry);
		const at = entry.strings[0]?.start;
		if (!known.has(key) || at === undefined) continue;
		const rows: string[] = [];
		if (entry.plural) {
			if (!hasForms(texts, key)) continue;
			const count = entry.strings.reduce((most, { form }) => Math.max(most, form + 1), 0);
			for (let form = 0; left.has(`${key}.${form}`) || form < count; form++) {
				const text = take(`${key}.${form}`) ?? poFormText(entry, form) ?? '';
				rows.push(`msgstr[${form}] ${quotePo(text, eol)}`);
			}
		} else {
			const text = take(key);
			if (text === undefined) continue;
			rows.push(`msgstr ${quotePo(text, eol)}`);
		}
		edits.push({
			start: entry.flagsAt,
			end: entry.end,
			text: lookedAt(targetText.slice(entry.flagsAt, at)) + rows.join(eol),
		});
	}
	const header = extractPo(targetText, to).find(({ companion }) => companion);
	if (header && edits.length > 0)
		edits.push({ start: header.start, end: header.end, text: header.encode(header.text) });
	return { text: applyEdits(targetText, edits).text, refused: [...left.keys()] };
}

const poKey = ({ context, id }: PoEntry): string =>
	context ? `${context.text}\u0004${id.text}` : id.text;

/** Texts of a JSON list. */
function parseStrings(text: string): readonly string[] | undefined {
	try {
		const value: unknown = JSON.parse(text);
		const isList = Array.isArray(value) && value.every((one) => typeof one === 'string');
		return isList ? (value as string[]) : undefined;
	} catch {
		return undefined;
	}
}

/** The head of an entry whose translation a person has looked at. */
const lookedAt = (head: string): string => withoutFuzzy(head).replace(/^#\|.*\r?\n/gm, '');
