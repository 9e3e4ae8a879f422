/**
 * Plural messages that are several keys: `item_one`, `item_other` of i18next, and maps of `one`,
 * `other` as Rails has them. A target language gets the keys of its own CLDR categories.
 */

import type { MessageEntry, MessageTree } from './messageTree.ts';
import type { Branches } from './piece.ts';
import { placeholders, samePlaceholders } from './placeholders.ts';
import { pluralCategories, withNumber, withoutNumber } from './pluralNumbers.ts';

const categoryNames = ['zero', 'one', 'two', 'few', 'many', 'other'] as const;
const suffix = /^(.+?)(_ordinal)?_(zero|one|two|few|many|other)$/;
/** Placeholders that stand for the number of things. */
const counts =
	/^(?:\{\{\s*(?:count|n|num|number)\b[^{}]*\}\}|%\{(?:count|n|num|number)\}|\{(?:count|n|num|number)\}|%(?:\d+\$)?l{0,2}[diu])$/;

export interface PluralKey {
	readonly category: string;
	readonly isOrdinal: boolean;
	/** What the keys of one message have in common; empty for a map of categories. */
	readonly base: string;
}

/** The keys of one map. */
export interface Siblings {
	readonly keys: ReadonlySet<string>;
	/** Whether they are the forms of one message and nothing else. */
	readonly isForms: boolean;
}

/** Looks at the keys of a map once. */
export function siblingsOf(keys: readonly string[]): Siblings {
	const isForms =
		keys.length > 1 &&
		keys.length <= categoryNames.length &&
		keys.includes('other') &&
		keys.every((one) => categoryNames.some((name) => name === one));
	return { keys: new Set(keys), isForms };
}

/** What a key says of plurals among the keys beside it; `undefined` for ordinary ones. */
export function pluralKey(key: string, siblings: Siblings): PluralKey | undefined {
	if (siblings.isForms) return { category: key, isOrdinal: false, base: '' };
	const [, base = '', ordinal = '', category = ''] = suffix.exec(key) ?? [];
	if (base === '' || !siblings.keys.has(`${base}${ordinal}_other`)) return undefined;
	return { category, isOrdinal: ordinal !== '', base: base + ordinal };
}

/** Categories a message needs in a language, in the order of CLDR. */
function neededIn(to: string, isOrdinal: boolean, has: (category: string) => boolean): string[] {
	const needed = pluralCategories(to, isOrdinal ? 'ordinal' : 'cardinal')?.map(({ name }) => name);
	if (!needed) return categoryNames.filter(has);
	// "No files" is written for its own sake, whatever the language's rules.
	return categoryNames.filter((name) => needed.includes(name) || (name === 'zero' && has(name)));
}

/**
 * Entries of a map as a target language has them: plural messages with its categories, each with the
 * value of the source that fits it best.
 */
export function entriesFor(tree: MessageTree, to: string | undefined): readonly MessageEntry[] {
	const entries = tree.entries ?? [];
	if (to === undefined) return entries;
	const keys = siblingsOf(entries.map(({ key }) => key));
	const byKey = new Map(entries.map((entry) => [entry.key, entry]));
	const done = new Set<string>();
	return entries.flatMap((entry) => {
		const plural = pluralKey(entry.key, keys);
		if (!plural || typeof entry.value.value !== 'string') return [entry];
		const { base, isOrdinal } = plural;
		if (done.has(base)) return [];
		done.add(base);
		const keyOf = (category: string) => (base === '' ? category : `${base}_${category}`);
		const own = (category: string) => byKey.get(keyOf(category));
		const other = own('other');
		if (!other) return [entry];
		return neededIn(to, isOrdinal, (category) => own(category) !== undefined).map((category) => {
			const { key, ...like } = bestFor(category, own(category), other, to, isOrdinal);
			return { ...like, key: keyOf(category) };
		});
	});
}

function bestFor(
	category: string,
	own: MessageEntry | undefined,
	other: MessageEntry,
	to: string,
	isOrdinal: boolean,
): MessageEntry {
	if (!own || category !== 'one' || isOrdinal) return own ?? other;
	const one = pluralCategories(to, 'cardinal')?.find(({ name }) => name === 'one');
	const says = ({ value }: MessageEntry) => countIn(String(value.value)) !== undefined;
	// "One file" is wrong for 21 files where 21 counts as one.
	return one && !one.onlyOne && !says(own) && says(other) ? other : own;
}

/** Whether a placeholder stands for the number of things. */
export const isCountPlaceholder = (placeholder: string): boolean => counts.test(placeholder);

function countIn(text: string): string | undefined {
	return placeholders(text).find((found) => counts.test(found));
}

/** The text of one category: translated with a number of that category in it, so that forms agree. */
export function categoryBranches(
	text: string,
	{ category, isOrdinal }: PluralKey,
	to: string,
): Branches | undefined {
	const known = pluralCategories(to, isOrdinal ? 'ordinal' : 'cardinal');
	const sample = known?.find(({ name }) => name === category)?.sample;
	const count = countIn(text);
	const numbered =
		count === undefined || sample === undefined ? undefined : withNumber(text, count, sample);
	if (numbered === undefined || count === undefined || sample === undefined) return undefined;
	return {
		texts: [numbered, text],
		join: ([first = '', plain = '']) =>
			[withoutNumber(first, count, sample), plain].find(
				(answer) => answer !== undefined && samePlaceholders(text, answer),
			),
	};
}

/** How the entries of a format are written. */
export interface KeyStyle {
	readonly read: (text: string) => MessageTree | undefined;
	/** What stands between two entries, when the source has but one. */
	readonly separator: (text: string, eol: string, tree: MessageTree, entry: MessageEntry) => string;
	/** A file whose only key at the root is its language gets the one of the target. */
	readonly isRooted: boolean;
}

/** A source file with the plural keys of a target language; the texts are still the source's. */
export function withKeysOf(text: string, to: string, style: KeyStyle): string {
	const root = style.read(text);
	if (!root) return text;
	const eol = text.includes('\r\n') ? '\r\n' : '\n';
	const edits: { start: number; end: number; text: string }[] = [];
	const visit = (whole: MessageTree) => {
		const entries = (whole.entries ?? []).filter(({ value }) => !value.isShared);
		const tree = { ...whole, entries };
		const keys = siblingsOf(entries.map(({ key }) => key));
		const places = new Map(entries.map((entry, at) => [entry, at]));
		const byBase = new Map<string, { own: MessageEntry[]; made: MessageEntry[] }>();
		const groupOf = (key: string, value: MessageTree) => {
			const plural = typeof value.value === 'string' ? pluralKey(key, keys) : undefined;
			if (!plural) return undefined;
			const group = byBase.get(plural.base) ?? { own: [], made: [] };
			byBase.set(plural.base, group);
			return group;
		};
		for (const entry of entries) groupOf(entry.key, entry.value)?.own.push(entry);
		if (byBase.size > 0)
			for (const entry of entriesFor(tree, to)) groupOf(entry.key, entry.value)?.made.push(entry);
		for (const { own, made } of byBase.values()) {
			const [first] = own;
			const last = own.at(-1);
			const isRun =
				last && first && (places.get(last) ?? 0) - (places.get(first) ?? 0) === own.length - 1;
			const isSame = made.map(({ key }) => key).join() === own.map(({ key }) => key).join();
			if (
				!first ||
				!last ||
				!isRun ||
				(isSame && made.every(({ start }, at) => own[at]?.start === start))
			)
				continue;
			const between = own[1] ? text.slice(first.end, own[1].start) : '';
			const separator = /^[\s,]+$/.test(between)
				? between
				: style.separator(text, eol, tree, first);
			const rows = made.map((entry) => renamed(text.slice(entry.start, entry.end), entry.key));
			edits.push({ start: first.start, end: last.end, text: rows.join(separator) });
		}
		for (const { key, value } of entries) if (pluralKey(key, keys) === undefined) visit(value);
	};
	visit(root);
	const [only, ...others] = root.entries ?? [];
	if (
		style.isRooted &&
		only?.value.entries &&
		others.length === 0 &&
		isLanguage(only.key) &&
		text.startsWith(only.key, only.start)
	)
		edits.push({
			start: only.start,
			end: only.start + only.key.length,
			// Norwegian is a truth value to readers of YAML 1.1.
			text: to === 'no' ? '"no"' : to,
		});
	let out = '';
	let next = 0;
	for (const edit of edits.sort((a, b) => a.start - b.start)) {
		out += text.slice(next, edit.start) + edit.text;
		next = edit.end;
	}
	return out + text.slice(next);
}

/** Source code of an entry under another key, in the quotes the key had. */
function renamed(code: string, key: string): string {
	const [old = ''] = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^:\s]+)/.exec(code) ?? [];
	const quote = /^["']/.exec(old)?.[0] ?? '';
	return quote + key + quote + code.slice(old.length);
}

function isLanguage(key: string): boolean {
	if (!/^[a-z]{2,3}(?:-[A-Za-z\d]{2,8})*$/.test(key)) return false;
	const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
	return names.of(key) !== undefined;
}
