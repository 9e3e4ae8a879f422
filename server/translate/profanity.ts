/**
 * Profanity in translations: found by word lists of 28 languages that the `naughty-words` package
 * brings (CC BY 4.0). The target is searched first; a profane word of the source marks its partner.
 */

import words from 'naughty-words';
import { primaryLanguage, usesSpaces } from './languageCodes.ts';
import type { TargetEdit } from './sentence.ts';
import type { Span } from './sentences.ts';

export type ProfanityAction = 'NoAction' | 'Marked' | 'Deleted';
export type ProfanityMarker = 'Asterisk' | 'Tag';

type Finder = (text: string) => Span[];

const finders = new Map<string, Finder>();
const listNames: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({ nb: 'no', 'fr-CA': 'fr' }),
);

/** Finds profane words of a language; nothing where no list exists. */
function profanityFinder(language: string): Finder {
	const known = finders.get(language);
	if (known) return known;
	const lists = words as unknown as Readonly<Record<string, readonly string[] | undefined>>;
	const list = lists[listNames.get(language) ?? primaryLanguage(language)] ?? [];
	const made = list.length === 0 ? () => [] : makeFinder(list, usesSpaces(language));
	finders.set(language, made);
	return made;
}

interface Trie {
	readonly next: Map<string, Trie>;
	end: boolean;
}

function makeFinder(list: readonly string[], spaced: boolean): Finder {
	const root: Trie = { next: new Map(), end: false };
	for (const word of list) {
		// Single letters and symbols of the lists would hit innocent text.
		if (word.length < 2 && spaced) continue;
		let node = root;
		for (const character of word.toLowerCase()) {
			const child: Trie = node.next.get(character) ?? { next: new Map(), end: false };
			node.next.set(character, child);
			node = child;
		}
		node.end = true;
	}
	const isWord = (character: string | undefined): boolean =>
		character !== undefined && /[\p{L}\p{M}\p{N}]/u.test(character);
	return (text) => {
		const lower = text.toLowerCase();
		// Lower-casing may change lengths (İ): then search the text as it is.
		const searched = lower.length === text.length ? lower : text;
		const spans: Span[] = [];
		for (let at = 0; at < searched.length; at++) {
			if (spaced && isWord(searched[at - 1])) continue;
			let node: Trie | undefined = root;
			let end = -1;
			for (let position = at; node && position < searched.length; position++) {
				node = node.next.get(searched[position] ?? '');
				if (node?.end && (!spaced || !isWord(searched[position + 1]))) end = position + 1;
			}
			if (end < 0) continue;
			spans.push([at, end]);
			at = end - 1;
		}
		return spans;
	};
}

/** The change to make to every translated sentence; `undefined` for `NoAction`. */
export function profanityEdit(
	action: ProfanityAction,
	marker: ProfanityMarker,
	source: string,
	target: string,
): TargetEdit | undefined {
	if (action === 'NoAction') return undefined;
	const inTarget = profanityFinder(target);
	const inSource = profanityFinder(source);
	return ({ source: sourceText, target: text, links, raws }) => {
		const bad: Span[] = [...inTarget(text)];
		for (const span of inSource(sourceText)) {
			const partners = links.filter(({ source: own }) => own[0] < span[1] && span[0] < own[1]);
			for (const { target: partner } of partners) bad.push(partner);
		}
		const spans = union(bad).filter(
			([start, end]) =>
				!raws.some((raw) => raw[0] < end && start < raw[1]) &&
				/[\p{L}\p{M}]/u.test(text.slice(start, end)),
		);
		return spans.map((span) => {
			if (action === 'Deleted') return { span: withSpace(text, span), by: '' };
			const word = text.slice(span[0], span[1]);
			return { span, by: marker === 'Tag' ? `<profanity>${word}</profanity>` : '***' };
		});
	};
}

/** The span with one neighbouring space, so that no double space is left. */
function withSpace(text: string, [start, end]: Span): Span {
	if (
		/\s/.test(text[start - 1] ?? '') &&
		(end >= text.length || /[\s\p{P}]/u.test(text[end] ?? ''))
	)
		return [start - 1, end];
	if (start === 0 && /\s/.test(text[end] ?? '')) return [start, end + 1];
	return [start, end];
}

function union(spans: readonly Span[]): Span[] {
	const merged: [number, number][] = [];
	for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
		const last = merged.at(-1);
		if (last && start <= last[1]) last[1] = Math.max(last[1], end);
		else merged.push([start, end]);
	}
	return merged;
}
