/** Searching a transcript and its translation. */

import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { TranscriptDocument, TranscriptLine } from '../../server/protocol/index.ts';

export interface Match {
	/** Id of the line. */
	readonly line: number;
	readonly translated: boolean;
	/** Characters of the text. */
	readonly start: number;
	readonly end: number;
}

export interface Search {
	readonly query: Signal<string>;
	readonly matches: ReadonlySignal<readonly Match[]>;
	/** By line, for drawing. */
	readonly byLine: ReadonlySignal<ReadonlyMap<number, readonly Match[]>>;
	/** The match that is shown. */
	readonly current: ReadonlySignal<Match | undefined>;
	/** Its number, from 0. */
	readonly at: Signal<number>;
	move(step: 1 | -1): void;
}

/** Places of `query` in a text, ignoring case and accents. */
export function findIn(text: string, query: string): { start: number; end: number }[] {
	const wanted = fold(query).text;
	if (wanted === '') return [];
	const { text: folded, origin } = fold(text);
	const found: { start: number; end: number }[] = [];
	for (
		let at = folded.indexOf(wanted);
		at !== -1;
		at = folded.indexOf(wanted, at + wanted.length)
	) {
		found.push({ start: origin[at] ?? 0, end: origin[at + wanted.length] ?? text.length });
	}
	return found;
}

/** A text with places in it (in order, none over another) replaced by other words. */
export function replaceIn(
	text: string,
	places: readonly { readonly start: number; readonly end: number }[],
	words: string,
): string {
	let replaced = '';
	let at = 0;
	for (const { start, end } of places) {
		replaced += text.slice(at, start) + words;
		at = end;
	}
	return replaced + text.slice(at);
}

/** Lower case without accents, and where each character comes from. */
function fold(text: string): { text: string; origin: number[] } {
	const origin: number[] = [];
	let folded = '';
	let at = 0;
	for (const character of text) {
		const plain = character.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
		for (let i = 0; i < plain.length; i++) origin.push(at);
		folded += plain;
		at += character.length;
	}
	origin.push(text.length);
	return { text: folded, origin };
}

export function createSearch(
	document: ReadonlySignal<TranscriptDocument | null>,
	lines: ReadonlySignal<readonly TranscriptLine[]>,
): Search {
	const query = signal('');
	const at = signal(0);
	const matches = computed(() => {
		const wanted = query.value.trim();
		if (wanted === '') return [];
		const translated = document.value?.translation?.lines;
		return lines.value.flatMap(({ id, text }): Match[] => [
			...findIn(text, wanted).map((place) => ({ line: id, translated: false, ...place })),
			...findIn(translated?.[id]?.text ?? '', wanted).map((place) => ({
				line: id,
				translated: true,
				...place,
			})),
		]);
	});
	return {
		query,
		matches,
		byLine: computed(() => Map.groupBy(matches.value, ({ line }) => line)),
		current: computed(() => matches.value[at.value % Math.max(1, matches.value.length)]),
		at,
		move: (step) => {
			const { length } = matches.value;
			if (length > 0) at.value = (at.value + step + length) % length;
		},
	};
}
