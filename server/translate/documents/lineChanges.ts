/** What a translated file lacks of a source whose messages stand one after the other, and how it gets there. */

import { indentAt } from '../whiteSpace.ts';
import type { MessageLine } from './messageLines.ts';
import type { MessageEdit } from './messageTree.ts';

export interface MissingMessage {
	/** Keys from the root, or the one key of a flat format (of `.po`: context, U+0004, id). */
	readonly path: readonly string[];
	/** Text of the source. */
	readonly text: string;
	/** Its texts for translators, where these are several. */
	readonly parts?: readonly string[];
}

/** Whether the text of a message, with its keys from the root, is to be put in. */
export type IsWanted = (text: string, path: readonly string[]) => boolean;

/** What is missing, and source text in its place. */
export interface MessageChanges {
	readonly missing: MissingMessage[];
	readonly edits: MessageEdit[];
}

/**
 * @param firstAt where the first message of a target without any goes
 */
export function lineChanges(
	source: readonly MessageLine[],
	target: readonly MessageLine[],
	targetText: string,
	wanted: IsWanted,
	firstAt = targetText.length,
): MessageChanges {
	const eol = targetText.includes('\r\n') ? '\r\n' : '\n';
	const isPo = source.some(({ valueAt }) => !valueAt);
	const there = new Map(target.map((line) => [line.key, line]));
	const found: MessageChanges = { missing: [], edits: [] };
	/** Copies by the offset they go to. */
	const copies = new Map<number, string>();
	let at = target[0]?.start ?? firstAt;
	let after = false;
	for (const line of source) {
		const own = there.get(line.key);
		if (own) [at, after] = [own.end, true];
		if (own?.isFilled) addItems(line, own, targetText, wanted, found);
		if (own?.isFilled || line.text === '' || (isPo && !wanted(line.text, [line.key]) && own))
			continue;
		if (!isWhole(line, wanted)) continue;
		const { text, parts = [] } = line;
		found.missing.push({ path: [line.key], text, ...(parts.length > 1 ? { parts } : {}) });
		if (own?.valueAt && line.valueAt) {
			const value = line.code.slice(line.valueAt[0] - line.start, line.valueAt[1] - line.start);
			const [before, after] = own.around ?? ['', ''];
			const [start, end] = own.valueAt;
			found.edits.push({ start, end, text: before + value + after });
		} else if (!own) {
			const code = line.code.replace(/\r?\n/g, eol);
			const gap = isPo ? eol + eol : eol;
			const isFresh = at === 0 || (at === targetText.length && targetText.endsWith('\n'));
			const joined = after
				? gap + code
				: isFresh && at > 0
					? (isPo ? eol : '') + code + eol
					: code + gap;
			copies.set(at, (copies.get(at) ?? '') + joined);
		}
	}
	for (const [start, text] of copies) found.edits.push({ start, end: start, text });
	return found;
}

/** Whether all of a message is to be put in; the texts of a list are messages of their own. */
function isWhole({ key, text, parts, items = [], isList }: MessageLine, wanted: IsWanted): boolean {
	if (!isList) return (parts ?? [text]).every((one) => wanted(one, [key]));
	return items.every((item) => item.parts.every((one) => wanted(one, [key, item.key])));
}

/** Plural forms that a message lacks, and empty texts of a list. */
function addItems(
	{ key, items = [], isList = false }: MessageLine,
	{ items: own = [] }: MessageLine,
	targetText: string,
	wanted: IsWanted,
	found: MessageChanges,
): void {
	// Which texts are translations of which cannot be told.
	if (own.length === 0 || (isList && items.length !== own.length)) return;
	const eol = targetText.includes('\r\n') ? '\r\n' : '\n';
	const there = new Map(own.map((item) => [item.key, item]));
	let after = own.at(-1);
	for (const item of items) {
		const same = there.get(item.key);
		after = same ?? after;
		if (same?.isFilled || item.text === '') continue;
		if (!item.parts.every((text) => wanted(text, isList ? [key, item.key] : [key]))) continue;
		found.missing.push({ path: [key, item.key], text: item.text });
		const indent = after && indentAt(targetText, after.start);
		const [start, end] = same ? [same.start, same.end] : [after?.end ?? 0, after?.end ?? 0];
		const gap = same || indent === undefined ? '' : eol + indent;
		found.edits.push({ start, end, text: gap + item.code });
	}
}
