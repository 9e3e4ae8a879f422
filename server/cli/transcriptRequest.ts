/** What `nearglot transcribe` asks for, and what becomes of the answer, however it is asked. */

import { basename } from 'node:path';
import {
	exportTranscript,
	type Transcript,
	type TranscriptFormat,
	transcriptDocumentOf,
} from '../protocol/index.ts';
import { transcriptText } from '../services/speech/speechFormats.ts';
import type { ParsedArgs } from './args.ts';
import { UsageError } from './command.ts';

/** Formats of the route, and Markdown, which is made here. */
export type FileFormat = TranscriptFormat | 'md';

export const suffixes: Readonly<Record<FileFormat, string>> = {
	text: '.txt',
	md: '.md',
	json: '.json',
	verbose_json: '.json',
	diarized_json: '.json',
	srt: '.srt',
	vtt: '.vtt',
};

/** @throws UsageError */
export function fileFormatOf(options: ParsedArgs): FileFormat {
	const format = (options.text('format') ?? 'text') as FileFormat;
	if (!Object.hasOwn(suffixes, format))
		throw new UsageError(
			`--format is one of ${Object.keys(suffixes).join(', ')}, not '${format}'.`,
		);
	if (options.has('speakers') && format === 'json')
		throw new UsageError('--speakers needs --format diarized_json or verbose_json for JSON.');
	if (options.has('words') && format !== 'verbose_json')
		throw new UsageError('--words needs --format verbose_json.');
	return format;
}

/** Whether it is said who speaks. */
export const saysSpeakers = (options: ParsedArgs, format: FileFormat): boolean =>
	options.has('speakers') || format === 'diarized_json';

/** Fields of the form that a route of transcripts takes; names of lists end with `[]`. */
export function fieldsOf(
	options: ParsedArgs,
	format: FileFormat,
): (readonly [name: string, value: string])[] {
	const temperature = options.number('temperature', 0, 1);
	const fields: [string, string | undefined][] = [
		['model', options.text('model') ?? 'default'],
		['language', options.text('language')],
		['prompt', options.text('prompt')],
		['temperature', temperature === undefined ? undefined : String(temperature)],
		['response_format', 'verbose_json'],
		['timestamp_granularities[]', 'segment'],
	];
	if (options.has('no-context')) fields.push(['condition_on_previous_text', 'false']);
	if (saysSpeakers(options, format)) fields.push(['speakers', 'true']);
	// Subtitles are divided at words, so they need the times of words as well.
	if (options.has('words') || format === 'srt' || format === 'vtt')
		fields.push(['timestamp_granularities[]', 'word']);
	return fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

export function bodyOf(transcript: Transcript, format: FileFormat, name: string): string {
	const spoken = format === 'text' && transcript.segments.some(({ speaker }) => speaker);
	if (format !== 'md' && !spoken) return transcriptText(transcript, format);
	const document = transcriptDocumentOf(transcript);
	return exportTranscript(document, {
		format: spoken ? 'text' : 'markdown',
		content: 'original',
		times: !spoken,
		title: basename(name),
	});
}
