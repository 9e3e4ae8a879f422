/** Messages between the page of a recording and its host: the extension, or the studio page itself. */

import { isRecord } from './errorBody.ts';
import type { LanguageInfo } from './languageInfo.ts';
import type { ModelInfo } from './modelTypes.ts';
import type { SoundCut } from './soundCuts.ts';
import type { TranscriptDocument, TranscriptLine } from './transcriptDocument.ts';
import {
	type ExportContent,
	type ExportFormat,
	exportContents,
	exportFormats,
} from './transcriptExport.ts';

/** How a recording is to be transcribed; empty: the best model there is, any language. */
export interface TranscribeChoice {
	readonly model: string;
	/** ISO 639-1. */
	readonly language: string;
	/** Into English instead of the language that is spoken. */
	readonly english: boolean;
	/** Say who speaks. */
	readonly speakers?: boolean;
}

/** What is being done to the transcript. */
export interface TranscriptJob {
	readonly kind: 'transcribe' | 'translate' | 'outline';
	readonly phase: 'connecting' | 'loading' | 'running';
	/** Seconds of the recording, lines when translating, questions to the chat model when summing up. */
	readonly done: number;
	/** Absent while only decoding tells. */
	readonly total?: number;
	/** Seconds or lines per second, once it can be told: seconds give “× real time”. */
	readonly speed?: number;
}

/** The sound as a picture: the loudest sample of equal stretches, 0…255. */
export interface Waveform {
	readonly peaks: readonly number[];
	/** Seconds. */
	readonly duration: number;
}

export interface TranscriptState {
	/** File name of the recording. */
	readonly name: string;
	readonly job: TranscriptJob | null;
	readonly choice: TranscribeChoice;
	/** Speech models. */
	readonly models: readonly ModelInfo[];
	/** What the transcript can be translated into; the first is the user's own. */
	readonly languages: readonly LanguageInfo[];
	/** Codes of those for which a model is here; absent until they are known. */
	readonly ready?: readonly string[];
	readonly canUndo: boolean;
	readonly canRedo: boolean;
	/** Why the last work failed. */
	readonly problem: string | null;
	/** Whether text can be put into an editor. */
	readonly editor: boolean;
	/** There is no speech model on this computer, nor on a team's server. */
	readonly noModel: boolean;
}

/** From the host to the page. */
export type TranscriptHostMessage =
	| {
			readonly type: 'state';
			readonly state: TranscriptState;
			readonly strings: Readonly<Record<string, string>>;
	  }
	/** `null`: there is no transcript. */
	| { readonly type: 'document'; readonly document: TranscriptDocument | null }
	/** Another text and other word times in a line, and what is out of the sound since. */
	| {
			readonly type: 'line';
			readonly line: TranscriptLine;
			readonly cuts: readonly SoundCut[];
	  }
	/** Lines that were heard since the last message, while transcribing. */
	| { readonly type: 'transcribed'; readonly lines: readonly TranscriptLine[] }
	| { readonly type: 'job'; readonly job: TranscriptJob | null }
	| { readonly type: 'waveform'; readonly waveform: Waveform }
	/** Where the sound can be played from. */
	| { readonly type: 'media'; readonly url: string }
	| { readonly type: 'find' };

/** What a line is to say. */
export interface LineText {
	readonly id: number;
	readonly text: string;
}

/** From the page to its host. */
export type TranscriptPageMessage =
	| { readonly type: 'ready' | 'cancel' | 'undo' | 'redo' | 'clearTranslation' | 'insert' }
	/** The recording without what was taken out of its transcript. */
	| { readonly type: 'exportSound' }
	/** A summary and chapters by the chat model; takes them away. */
	| { readonly type: 'outline' | 'clearOutline' }
	/** The browser cannot play the recording as it is. */
	| { readonly type: 'unplayable' }
	| { readonly type: 'downloadModel' }
	| { readonly type: 'transcribe'; readonly choice: TranscribeChoice }
	| { readonly type: 'edit'; readonly id: number; readonly text: string }
	/** Other texts in several lines, as one step of undo. */
	| { readonly type: 'replace'; readonly lines: readonly LineText[] }
	/** Cuts a line in two before the word with this index; puts a line and the next one together. */
	| { readonly type: 'split'; readonly id: number; readonly word: number }
	| { readonly type: 'merge'; readonly id: number }
	/** Another name for a speaker, wherever they speak; empty takes it away. */
	| { readonly type: 'nameSpeaker'; readonly speaker: string; readonly name: string }
	| { readonly type: 'translate'; readonly to: string }
	| {
			readonly type: 'export';
			readonly format: ExportFormat;
			readonly content: ExportContent;
			readonly times: boolean;
	  }
	| { readonly type: 'copy'; readonly content: ExportContent; readonly times: boolean };

const isLineText = (value: unknown): value is LineText =>
	isRecord(value) && Number.isInteger(value['id']) && typeof value['text'] === 'string';

const plain = new Set([
	...['ready', 'cancel', 'undo', 'redo', 'clearTranslation', 'insert', 'unplayable'],
	...['downloadModel', 'outline', 'clearOutline', 'exportSound'],
]);

/** Checks what came out of a page: it is input like any other. `undefined` when it is not valid. */
export function parseTranscriptMessage(value: unknown): TranscriptPageMessage | undefined {
	if (!isRecord(value) || typeof value['type'] !== 'string') return undefined;
	const { type, choice, id, text, lines, word, to, format, content, times, speaker, name } = value;
	const contentKnown = exportContents.some((one) => one === content) && typeof times === 'boolean';
	const valid =
		plain.has(value['type']) ||
		(type === 'transcribe' &&
			isRecord(choice) &&
			typeof choice['model'] === 'string' &&
			/^[a-z]{0,3}$/.test(String(choice['language'])) &&
			typeof choice['english'] === 'boolean' &&
			['boolean', 'undefined'].includes(typeof choice['speakers'])) ||
		(type === 'nameSpeaker' && typeof speaker === 'string' && typeof name === 'string') ||
		(type === 'edit' && Number.isInteger(id) && typeof text === 'string') ||
		(type === 'replace' && Array.isArray(lines) && lines.every(isLineText)) ||
		(type === 'split' && Number.isInteger(id) && Number.isInteger(word)) ||
		(type === 'merge' && Number.isInteger(id)) ||
		(type === 'translate' && typeof to === 'string' && /^[A-Za-z-]{2,20}$/.test(to)) ||
		(type === 'copy' && contentKnown) ||
		(type === 'export' && contentKnown && exportFormats.some((one) => one === format));
	return valid ? (value as unknown as TranscriptPageMessage) : undefined;
}
