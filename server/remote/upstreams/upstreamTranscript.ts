/** Reads a transcript that another engine sends, in the forms `json` and `verbose_json`. Nothing in it is trusted. */

import { isRecord } from '../../protocol/errorBody.ts';
import type { TranscriptSegment, TranscriptWord } from '../../protocol/index.ts';

type JsonFields = Readonly<Record<string, unknown>>;

export interface UpstreamTranscript {
	readonly text: string;
	/** As the engine says it: a name or a code. */
	readonly language?: string;
	readonly segments: readonly TranscriptSegment[];
	readonly words: readonly TranscriptWord[];
}

/** @returns `undefined` for an answer without a text, or with times outside `durationS` seconds of sound */
export function transcriptOf(
	answer: JsonFields,
	durationS: number,
): UpstreamTranscript | undefined {
	const { text, language } = answer;
	if (typeof text !== 'string') return undefined;
	const segments = listOf(answer['segments']).map((each, id) => segmentOf(each, id, durationS));
	const words = listOf(answer['words']).map((each) => wordOf(each, durationS));
	const sound = (each: unknown) => each !== undefined;
	if (!segments.every(sound) || !words.every(sound)) return undefined;
	return {
		text: text.trim(),
		...(typeof language === 'string' ? { language } : {}),
		segments: segments.filter((each) => each !== undefined),
		words: words.filter((each) => each !== undefined),
	};
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const numberIn = (value: unknown, otherwise = 0): number =>
	typeof value === 'number' && Number.isFinite(value) ? value : otherwise;

/** Engines round up: the last word may end a little after the sound. */
const toleranceS = 2;

/** Seconds from the start of the recording; `undefined` where nothing can be said at them. */
function spanOf(value: JsonFields, durationS: number) {
	const { start, end } = value;
	if (typeof start !== 'number' || typeof end !== 'number') return undefined;
	if (!(start >= 0 && end >= start && end <= durationS + toleranceS)) return undefined;
	return { start: Math.min(start, durationS), end: Math.min(end, durationS) };
}

function segmentOf(value: unknown, id: number, durationS: number): TranscriptSegment | undefined {
	if (!isRecord(value) || typeof value['text'] !== 'string') return undefined;
	const span = spanOf(value, durationS);
	if (span === undefined) return undefined;
	const tokens = listOf(value['tokens']).filter((each) => Number.isSafeInteger(each));
	return {
		id,
		seek: numberIn(value['seek']),
		...span,
		text: value['text'],
		tokens: tokens as number[],
		temperature: numberIn(value['temperature']),
		avg_logprob: numberIn(value['avg_logprob']),
		compression_ratio: numberIn(value['compression_ratio'], 1),
		no_speech_prob: numberIn(value['no_speech_prob']),
	};
}

function wordOf(value: unknown, durationS: number): TranscriptWord | undefined {
	if (!isRecord(value) || typeof value['word'] !== 'string') return undefined;
	const span = spanOf(value, durationS);
	const sure = value['probability'];
	const probability =
		typeof sure === 'number' && sure >= 0 && sure <= 1 ? { probability: sure } : {};
	return span && { word: value['word'], ...span, ...probability };
}
