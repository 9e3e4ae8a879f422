/** A transcript as text, for a file or the clipboard: words, Markdown, subtitles, JSON; in both languages. */

import { type Cue, clock, cuesOf, subRip, webVtt } from './subtitles.ts';
import {
	speakerName,
	spreadWords,
	type TranscriptDocument,
	type TranscriptLine,
} from './transcriptDocument.ts';

export const exportFormats = ['text', 'markdown', 'docx', 'srt', 'vtt', 'json'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const exportContents = ['original', 'translation', 'both'] as const;
export type ExportContent = (typeof exportContents)[number];

export interface ExportOptions {
	readonly format: ExportFormat;
	readonly content: ExportContent;
	/** Whether lines of text and Markdown begin with their time. */
	readonly times: boolean;
	/** Heading of Markdown: the name of the recording. */
	readonly title: string;
}

/** File name ending of each format. */
export const exportEndings: Readonly<Record<ExportFormat, string>> = {
	text: 'txt',
	markdown: 'md',
	docx: 'docx',
	srt: 'srt',
	vtt: 'vtt',
	json: 'json',
};

/** A pause after which text without times begins a new paragraph, in seconds. */
const paragraphPauseS = 2;
/** A paragraph ends at the first sentence end after this many characters. */
const paragraphCharacters = 700;

/** How a transcript becomes a text; Word documents are no text. */
export type TextExportOptions = ExportOptions & { readonly format: Exclude<ExportFormat, 'docx'> };

/** The whole file, with a line end at its end. */
export function exportTranscript(document: TranscriptDocument, options: TextExportOptions): string {
	switch (options.format) {
		case 'text':
			return plainText(document, options);
		case 'markdown':
			return markdown(document, options);
		case 'srt':
			return subRip(cues(document, options.content));
		case 'vtt':
			return webVtt(cues(document, options.content));
		case 'json':
			return `${JSON.stringify(json(document, options.content), null, '\t')}\n`;
	}
}

/** `talk.mp3` → `talk.de.srt`. */
export function exportName(
	recording: string,
	document: TranscriptDocument,
	{ format, content }: Pick<ExportOptions, 'format' | 'content'>,
): string {
	const stem = recording.replace(/\.[^.]+$/, '');
	const { translation, language } = document;
	const codes =
		content === 'original' || !translation
			? ''
			: content === 'both'
				? `.${language}-${translation.to}`
				: `.${translation.to}`;
	return `${stem}${codes}.${exportEndings[format]}`;
}

/** `1:02:03` or `2:03`. */
export function shortClock(seconds: number): string {
	const [hours = '00', minutes = '00', rest = '00'] = clock(seconds, '.').slice(0, 8).split(':');
	return Number(hours) > 0 ? `${Number(hours)}:${minutes}:${rest}` : `${Number(minutes)}:${rest}`;
}

/** What a line says in the other language; empty where nothing does. */
export const translationOf = (document: TranscriptDocument, line: TranscriptLine) =>
	document.translation?.lines[line.id]?.text ?? '';

/** `Anna: ` before what she says, where it is known who speaks. */
const said = (document: TranscriptDocument, { speaker }: TranscriptLine) =>
	speaker === undefined ? '' : `${speakerName(document, speaker)}: `;

function plainText(document: TranscriptDocument, options: ExportOptions): string {
	const head = outlineLines(document, options.content);
	return `${head.length === 0 ? '' : `${head.join('\n')}\n\n`}${spokenText(document, options)}`;
}

/** Summary and chapters, line by line; none in a translation, whose language is another. */
export function outlineLines(
	{ outline }: Pick<TranscriptDocument, 'outline'>,
	content: ExportContent,
): string[] {
	if (!outline || content === 'translation') return [];
	const chapters = outline.chapters.map(({ start, title }) => `${shortClock(start)} ${title}`);
	return [outline.summary, ...(chapters.length > 0 ? ['', ...chapters] : [])];
}

function spokenText(document: TranscriptDocument, { content, times }: ExportOptions): string {
	const texts = (line: TranscriptLine) =>
		[
			content === 'translation' ? '' : line.text,
			content === 'original' ? '' : translationOf(document, line),
		].filter((text) => text !== '');
	if (times) {
		return document.lines
			.map(
				(line) =>
					`[${clock(line.start, '.').slice(0, 8)}] ${said(document, line)}${texts(line).join('\n           ')}\n`,
			)
			.join('');
	}
	if (content === 'both')
		return document.lines
			.map((line) => `${said(document, line)}${texts(line).join('\n')}\n`)
			.join('\n');
	const found = spokenParagraphs(document, (line) => texts(line)[0] ?? '');
	return `${found.map(({ who, text }) => `${who === '' ? '' : `${who}: `}${text}`).join('\n\n')}\n`;
}

/** What one speaker says, empty where nobody knows who, up to a pause. */
export interface SpokenParagraph {
	readonly who: string;
	readonly text: string;
}

/** What is said, speaker by speaker, up to pauses and sentence ends. */
export function spokenParagraphs(
	document: TranscriptDocument,
	textOf: (line: TranscriptLine) => string,
): SpokenParagraph[] {
	const result: SpokenParagraph[] = [];
	let current = '';
	let speaker: string | undefined;
	const who = () => (speaker === undefined ? '' : speakerName(document, speaker));
	let ending = '';
	let end = 0;
	for (const line of document.lines) {
		const full = current.length > paragraphCharacters && /[.!?…。！？]["»”)]?$/.test(ending);
		const other = line.speaker !== speaker;
		if (current !== '' && (line.start - end >= paragraphPauseS || full || other)) {
			result.push({ who: who(), text: current });
			current = '';
		}
		speaker = line.speaker;
		const text = textOf(line);
		// Chinese and Japanese sentences follow each other without a space.
		const glue = current === '' || /[\u3000-\u30ff\u4e00-\u9fff]$/.test(ending) ? '' : ' ';
		if (text !== '') current += glue + text;
		ending = (ending + text).slice(-2);
		end = line.end;
	}
	if (current !== '') result.push({ who: who(), text: current });
	return result;
}

function markdown(document: TranscriptDocument, options: ExportOptions): string {
	const { content, times, title } = options;
	const { translation, language } = document;
	const heading = `# ${escapeMarkdown(title)}\n\n${markdownOutline(document, content)}`;
	if (content === 'both' && translation) {
		const rows = document.lines.map(
			(line) =>
				`| ${times ? `${shortClock(line.start)} | ` : ''}${cell(said(document, line) + line.text)} | ${cell(translationOf(document, line))} |\n`,
		);
		const head = times
			? `|  | ${language} | ${translation.to} |\n| ---: | --- | --- |\n`
			: `| ${language} | ${translation.to} |\n| --- | --- |\n`;
		return heading + head + rows.join('');
	}
	const textOf = (line: TranscriptLine) =>
		escapeMarkdown(content === 'translation' ? translationOf(document, line) : line.text);
	const bold = (who: string) => (who === '' ? '' : `**${escapeMarkdown(who)}:** `);
	if (!times)
		return `${heading}${spokenParagraphs(document, textOf)
			.map(({ who, text }) => bold(who) + text)
			.join('\n\n')}\n`;
	return (
		heading +
		document.lines
			.map((line) => {
				const who = line.speaker === undefined ? '' : speakerName(document, line.speaker);
				return `**${shortClock(line.start)}** ${bold(who)}${textOf(line)}\n`;
			})
			.join('\n')
	);
}

/** The summary as a paragraph, the chapters as a list. */
function markdownOutline({ outline }: TranscriptDocument, content: ExportContent): string {
	if (!outline || content === 'translation') return '';
	const chapters = outline.chapters.map(
		({ start, title }) => `- **${shortClock(start)}** ${escapeMarkdown(title)}\n`,
	);
	return `${escapeMarkdown(outline.summary)}\n\n${chapters.join('')}${chapters.length > 0 ? '\n' : ''}`;
}

/** What speech contains that Markdown would read as markup. */
function escapeMarkdown(text: string): string {
	return text
		.replace(/[\\`*_[\]<>#|]/g, '\\$&')
		.replace(/^(\d+)([.)])/, '$1\\$2')
		.replace(/^([-+])/, '\\$1');
}

const cell = (text: string) => escapeMarkdown(text);

function cues(document: TranscriptDocument, content: ExportContent): Cue[] {
	const named = document.lines.map(({ speaker, ...line }) =>
		speaker === undefined ? line : { ...line, speaker: speakerName(document, speaker) },
	);
	if (content === 'original' || !document.translation) return cuesOfLines(named);
	if (content === 'translation') {
		return cuesOfLines(
			named.map((line) => {
				const text = translationOf(document, line);
				return { ...line, text, words: spreadWords(text, line.start, line.end) };
			}),
		);
	}
	return named.flatMap((line) => {
		const parts = cuesOfLines([line]);
		const second = divide(translationOf(document, line), parts.length);
		return parts.map((part, index) => ({ ...part, second: second[index] ?? '' }));
	});
}

function cuesOfLines(lines: readonly TranscriptLine[]): Cue[] {
	return cuesOf({
		segments: lines.filter(({ text }) => text !== ''),
		words: lines.flatMap(({ words }) => words),
	});
}

/** A text in about equal parts, cut at spaces. */
function divide(text: string, count: number): string[] {
	const words = text.split(' ');
	const parts: string[] = [];
	let taken = 0;
	for (let part = 1; part <= count; part++) {
		const upTo = part === count ? words.length : Math.round((words.length * part) / count);
		parts.push(words.slice(taken, upTo).join(' '));
		taken = upTo;
	}
	return parts;
}

function json(document: TranscriptDocument, content: ExportContent): unknown {
	const { translation, language, duration, lines, outline } = document;
	const wanted = content === 'original' ? undefined : translation;
	return {
		language,
		duration,
		...(wanted ? { translation: wanted.to } : {}),
		...(outline ? { summary: outline.summary, chapters: outline.chapters } : {}),
		text: spokenParagraphs(document, ({ text }) => text)
			.map(({ text }) => text)
			.join('\n\n'),
		segments: lines.map((line, id) => ({
			id,
			start: line.start,
			end: line.end,
			text: line.text,
			...(line.speaker === undefined ? {} : { speaker: speakerName(document, line.speaker) }),
			...(wanted ? { translation: translationOf(document, line) } : {}),
		})),
		words: lines.flatMap(({ words }) => words),
	};
}
