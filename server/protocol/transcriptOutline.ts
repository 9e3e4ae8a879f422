/** A summary and chapters of a transcript by a chat model: what it is asked, and what is read out of its answers. */

import { AppError } from './errors.ts';
import { speakerName, type TranscriptDocument, type TranscriptLine } from './transcriptDocument.ts';
import type { TranscriptChapter, TranscriptOutline } from './transcriptOutlineTypes.ts';

/** What is asked of the model. */
export interface OutlineDeps {
	/** The answer to a question, of at most `maxTokens` tokens; rejects with AppError. */
	readonly ask: (question: string, maxTokens: number) => Promise<string>;
	/** Characters of a question that the model has room for. */
	readonly maxCharacters: number;
	/** Called before each question, and once more at the end. */
	readonly onProgress: (done: number, total: number) => void;
}

/** Characters of a question for which a model has room beside its answer; fewer than there may be. */
export function outlineRoom(contextLength: number | null | undefined, language: string): number {
	const tokens = (contextLength ?? 4096) - Math.max(partTokens, wholeTokens);
	return Math.min(maxPartCharacters, Math.max(0, tokens * charactersPerToken(language)));
}

/** Of small models, whose vocabularies are made for Latin letters; few, so that what is asked fits. */
function charactersPerToken(language: string): number {
	const code = /^[a-z]{2,3}(?=-|$)/.exec(language)?.[0];
	const script = code === undefined ? undefined : new Intl.Locale(code).maximize().script;
	if (script === 'Latn' || script === undefined) return 3;
	return script === 'Cyrl' || script === 'Grek' ? 2 : 1;
}

/** More is read badly by small models, and takes long to begin. */
const maxPartCharacters = 24_000;
/** Fewer characters than this leave no room for a transcript beside what is asked of it. */
const minCharacters = 1500;
/** Characters of what is asked, without the transcript. */
const instructionCharacters = 700;
/** Tokens of an answer about a part, and of the summary of the whole. */
const [partTokens, wholeTokens] = [800, 600];
/** Chapters of a part; more are too short to be worth a title. */
const maxChapters = 8;
/** Characters of a title; what is longer is no title. */
const maxTitle = 90;

/**
 * Reads a transcript part by part, and sums up what was said of the parts.
 * @throws AppError `not_supported` when the model can read too little, `conflict` when nothing came of its answers;
 *   whatever `ask` throws
 */
export async function outlineOf(
	document: TranscriptDocument,
	{ ask, maxCharacters, onProgress }: OutlineDeps,
): Promise<Omit<TranscriptOutline, 'model'>> {
	if (!hasOutlineRoom(maxCharacters))
		throw new AppError(
			'not_supported',
			'This model can read too little at once for a summary. Choose another chat model.',
		);
	const language = languageName(document.language);
	const parts = partsOf(document, maxCharacters - instructionCharacters);
	const total = parts.length + (parts.length > 1 ? 1 : 0);
	const notes: string[] = [];
	const chapters: TranscriptChapter[] = [];
	for (const [index, part] of parts.entries()) {
		onProgress(index, total);
		const answer = readOutline(
			await ask(partQuestion(part.text, language), partTokens),
			part.lines,
		);
		if (answer.summary !== '') notes.push(answer.summary);
		for (const chapter of answer.chapters) chapters.push(chapter);
	}
	onProgress(parts.length, total);
	if (notes.length === 0)
		throw new AppError(
			'conflict',
			'The model did not give a summary. Try again, or choose another chat model.',
		);
	const whole = notes.join('\n').slice(0, maxCharacters - instructionCharacters);
	const summary =
		notes.length === 1 ? whole : cleaned(await ask(wholeQuestion(whole, language), wholeTokens));
	onProgress(total, total);
	const [first] = document.lines;
	const started = chapters.map((chapter, index) =>
		index === 0 && first ? { ...chapter, start: first.start } : chapter,
	);
	return { summary: summary === '' ? whole : summary, chapters: started };
}

/** Whether a model can sum up anything. */
export const hasOutlineRoom = (maxCharacters: number): boolean => maxCharacters >= minCharacters;

interface Part {
	readonly lines: readonly TranscriptLine[];
	/** The lines with their numbers, from 1. */
	readonly text: string;
}

/** The lines in parts that a model has room for; a longer line is cut. */
function partsOf(document: TranscriptDocument, maxCharacters: number): Part[] {
	const parts: Part[] = [];
	let lines: TranscriptLine[] = [];
	let text = '';
	for (const line of document.lines) {
		const who = line.speaker === undefined ? '' : `${speakerName(document, line.speaker)}: `;
		const words = `${who}${line.text}`.slice(0, maxCharacters - 10);
		if (lines.length > 0 && text.length + words.length + 8 > maxCharacters) {
			parts.push({ lines, text });
			[lines, text] = [[], ''];
		}
		lines.push(line);
		text += `${lines.length}: ${words}\n`;
	}
	return lines.length > 0 ? [...parts, { lines, text }] : parts;
}

const partQuestion = (lines: string, language: string): string =>
	`Below is a part of a transcript of speech. Each line begins with its number.

${lines}
Say what it is about. Answer in ${language}, in this form and nothing else:
Summary: two or three sentences.
NUMBER: TITLE
The last kind of line once for each topic, at most ${maxChapters} times: the number of the line where the topic begins, and a title of two to six words.`;

const wholeQuestion = (notes: string, language: string): string =>
	`These notes sum up the parts of one recording, in order:

${notes}

Sum up the whole recording in ${language}, in three to five sentences. Answer with the summary alone.`;

/** What an answer about a part says, whatever else it says. */
export function readOutline(
	answer: string,
	lines: readonly TranscriptLine[],
): Pick<TranscriptOutline, 'summary' | 'chapters'> {
	const words: string[] = [];
	const chapters: TranscriptChapter[] = [];
	let last = 0;
	for (const row of answer.split('\n')) {
		const [, number, title] = /^[\s>*#-]*\[?(\d{1,6})\]?\s*[:.)–-](.+)$/.exec(row) ?? [];
		if (number === undefined || title === undefined) {
			if (chapters.length === 0) words.push(row);
			continue;
		}
		const line = lines[Number(number) - 1];
		const name = cleaned(title);
		// Models count wrongly, repeat themselves and write sentences.
		const isNew = line !== undefined && Number(number) > last;
		if (!isNew || name === '' || name.length > maxTitle || chapters.length === maxChapters)
			continue;
		last = Number(number);
		chapters.push({ start: line.start, title: name });
	}
	return { summary: cleaned(words.join(' ')), chapters };
}

/** Without the marks and labels that models put around what they were asked for. */
const cleaned = (text: string): string =>
	text
		.replace(/```\w*|\*\*|^#+\s*/gm, '')
		.replace(/\s+/g, ' ')
		.trim()
		.replace(/^(?:summary|title|zusammenfassung|titel|résumé|titre|resumen|título)\s*:\s*/i, '')
		.replace(/^["“«„](.*)["”»“]$/s, '$1')
		.trim();

/** In English, as models know it best. */
function languageName(code: string): string {
	try {
		return (
			new Intl.DisplayNames('en', { type: 'language' }).of(code) ?? 'the language of the transcript'
		);
	} catch {
		return 'the language of the transcript';
	}
}
