/** Lines of code whose ends are hidden from a model, which is asked to write them. Pure. */

import { commentMarker, likePieces, textAround } from '../../extension/ai/completionContext.ts';

/** A text of a folder, with the language that an editor gives it. */
export interface SourceText {
	readonly path: string;
	readonly language: string;
	readonly text: string;
}

/** A place where somebody might wait for a suggestion. */
export interface HeldOutLine {
	readonly language: string;
	readonly path: string;
	/** What the model is shown, as the editor shows it. */
	readonly prefix: string;
	readonly suffix: string;
	/** What stands there: the rest of the line. */
	readonly expected: string;
}

/** What one suggestion was worth. */
export interface Suggested {
	readonly language: string;
	readonly ms: number;
	readonly expected: string;
	readonly text: string;
}

/** Fewest characters of a line that is held out, without its indentation. */
const minLine = 16;
/** Other texts that the model may be shown pieces of, as of files that were looked at last. */
const otherTexts = 8;

/**
 * Lines of each language, spread over its files. The rest of the line is taken out of the text, and nothing after it
 * has it.
 * @param count lines of each language at most
 */
export function heldOutLines(texts: readonly SourceText[], count: number): HeldOutLine[] {
	const byLanguage = Map.groupBy(texts, ({ language }) => language);
	return [...byLanguage].flatMap(([language, own]) => {
		const places = own.flatMap((source) => placesOf(source).map((place) => ({ source, place })));
		const step = Math.max(1, places.length / count);
		return Array.from({ length: Math.min(count, places.length) }, (_, index) => {
			const { source, place } = places[Math.floor(index * step)] as (typeof places)[number];
			return lineAt(source, place, language, own);
		});
	});
}

/** Offsets after the first word of what a line says, and where the line ends. */
function placesOf({ text }: SourceText): { readonly at: number; readonly end: number }[] {
	const places: { at: number; end: number }[] = [];
	let start = 0;
	for (const line of text.split('\n')) {
		const end = start + line.length;
		const indent = line.length - line.trimStart().length;
		const said = line.trim();
		const word = /^\S+\s/.exec(said)?.[0].length ?? said.length;
		if (said.length >= minLine && word < said.length && !/^(?:\/\/|\/?\*|#|--)/.test(said))
			places.push({ at: start + indent + word, end: start + line.trimEnd().length });
		start = end + 1;
	}
	return places;
}

function lineAt(
	source: SourceText,
	{ at, end }: { readonly at: number; readonly end: number },
	language: string,
	own: readonly SourceText[],
): HeldOutLine {
	const { text, path } = source;
	const { prefix, suffix } = textAround(text.slice(0, at) + text.slice(end), at);
	const marker = commentMarker(language);
	const place = own.indexOf(source);
	const others = [...own.slice(place + 1), ...own.slice(0, place)].slice(0, otherTexts);
	const pieces = marker === undefined ? '' : likePieces(prefix, others, marker);
	return { language, path, prefix: pieces + prefix, suffix, expected: text.slice(at, end) };
}

/** Characters of a suggestion that somebody who writes the expected text could take over, from its start on. */
export function acceptedCharacters({
	expected,
	text,
}: Pick<Suggested, 'expected' | 'text'>): number {
	let same = 0;
	while (same < expected.length && text[same] === expected[same]) same++;
	return same;
}

/** Figures of one language. */
export interface CompletionFigures {
	readonly language: string;
	readonly lines: number;
	readonly medianMs: number;
	readonly slowMs: number;
	/** Share of the lines for which something was suggested. */
	readonly shown: number;
	/** Of the characters that were held out, those that were suggested right, from the start of each line on. */
	readonly accepted: number;
	/** Share of the lines that were suggested whole. */
	readonly whole: number;
}

export function figuresOf(all: readonly Suggested[]): CompletionFigures[] {
	return [...Map.groupBy(all, ({ language }) => language)].map(([language, own]) => {
		const shown = own.filter(({ text }) => text.trim() !== '');
		const times = shown.map(({ ms }) => ms).sort((one, other) => one - other);
		const at = (share: number) => times[Math.floor(share * (times.length - 1))] ?? Number.NaN;
		const sum = (of: (one: Suggested) => number) => own.reduce((total, one) => total + of(one), 0);
		return {
			...{ language, lines: own.length, medianMs: at(0.5), slowMs: at(0.95) },
			shown: shown.length / own.length,
			accepted:
				sum(acceptedCharacters) /
				Math.max(
					1,
					sum(({ expected }) => expected.length),
				),
			whole: sum((one) => Number(acceptedCharacters(one) === one.expected.length)) / own.length,
		};
	});
}
