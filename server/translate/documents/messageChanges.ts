/** What a translated file lacks of its source, whatever their format, and how it gets there. */

import { AppError } from '../../protocol/errors.ts';
import { pushAll } from '../../protocol/lists.ts';
import { canonicalLanguage } from '../languageCodes.ts';
import { type FlatFormat, flatMessages, isFlat, translatableMessages } from './flatMessages.ts';
import {
	type IsWanted,
	lineChanges,
	type MessageChanges,
	type MissingMessage,
} from './lineChanges.ts';
import { type MessageLine, poLines } from './messageLines.ts';
import {
	jsonTree,
	type MessageTree,
	type NewEntry,
	type TreeFormat,
	yamlTree,
} from './messageTree.ts';
import { entriesFor } from './pluralKeys.ts';
import { pluralCategories } from './pluralNumbers.ts';

export type MessageFormat = 'json' | 'yaml' | 'po' | FlatFormat;

/** Formats whose messages lie in one another. */
export const treeFormats = { json: jsonTree, yaml: yamlTree };

/**
 * What is missing, with the source text in its place.
 *
 * @param wanted whether a text, or the message with these keys, is to be put in
 * @throws AppError `invalid_request` when a file cannot be read.
 */
export function messageChanges(
	sourceText: string,
	targetText: string,
	format: MessageFormat,
	wanted: IsWanted,
	to?: string,
): MessageChanges {
	if (format === 'po')
		return lineChanges(poLines(sourceText), poLines(targetText, to), targetText, wanted);
	if (isFlat(format)) {
		const { lines, extract, firstAt, prefixes } = flatMessages[format];
		const source =
			to === undefined ? sourceText : (extract.prepare?.(sourceText, to) ?? sourceText);
		const at = firstAt(targetText);
		const own = lines(targetText);
		const from = translatableMessages(lines(source)).map((line) => withNeeded(line, to));
		const changes = lineChanges(from, own, targetText, wanted, at);
		const bound = prefixes?.(sourceText, targetText, changes.edits);
		return bound ? { ...changes, edits: [bound, ...changes.edits] } : changes;
	}
	return treeChanges(sourceText, targetText, treeFormats[format], wanted, to);
}

/** A message with those of its plural forms that every translation into a language needs. */
function withNeeded(line: MessageLine, to: string | undefined): MessageLine {
	if (!line.items || line.isList) return line;
	const needed = to === undefined ? undefined : pluralCategories(to, 'cardinal');
	const isNeeded = (category: string) => needed?.some(({ name }) => name === category) === true;
	return { ...line, items: line.items.filter(({ key }) => isNeeded(key)) };
}

function treeChanges(
	sourceText: string,
	targetText: string,
	format: TreeFormat,
	wanted: IsWanted,
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
	return /^[a-z]{2,3}(?:[-_][A-Za-z\d]{2,8})*$/.test(key) && canonicalLanguage(key) !== undefined;
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
	wanted: IsWanted,
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
		// What an alias stands for is looked at in its own place.
		if (own?.value.isShared) continue;
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
			if (!wanted(value.value, whole)) continue;
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
	wanted: IsWanted,
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
	if (!texts.every((text) => wanted(text, path))) return [];
	pushAll(
		missing,
		texts.map((text) => ({ path, text })),
	);
	return [[key, tree.value]];
}
