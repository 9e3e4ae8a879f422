/** Puts the results of successive chunks together: one text, one clock, no word twice. */

import type { SpeechResult } from '../../engine/api.ts';
import { speechLanguages } from '../../engine/speech/languages.ts';
import { compressionRatio } from '../../engine/speech/temperatureFallback.ts';
import type {
	Transcript,
	TranscriptLogprob,
	TranscriptSegment,
	TranscriptWord,
} from '../../protocol/index.ts';
import { type SpokenSegment, speakerIn, spokenSegments } from './speakers/assignSpeakers.ts';
import type { SpeakerTurn } from './speakers/speakerTurns.ts';

/** Written without spaces between words, so chunks are joined without one. */
const unspaced = new Set(['zh', 'ja', 'th', 'lo', 'my', 'yue', 'km', 'bo']);
const framesPerSecond = 100;

/** What one chunk added. */
export interface Added {
	/** Continues the text so far, its own leading space included. */
	readonly delta: string;
	readonly segments: readonly TranscriptSegment[];
	readonly logprobs: readonly TranscriptLogprob[];
}

/** Collects the transcript of one recording. */
export class TranscriptBuilder {
	#text = '';
	readonly #segments: TranscriptSegment[] = [];
	readonly #words: TranscriptWord[] = [];
	readonly #logprobs: TranscriptLogprob[] = [];
	/** Language code → seconds it was heard for. */
	readonly #languages = new Map<string, number>();
	readonly #hasLogprobs: boolean;
	readonly #turns: readonly SpeakerTurn[] | undefined;

	/**
	 * @param hasLogprobs whether {@link add} is given what the tokens write
	 * @param turns who speaks when, if that is known
	 */
	constructor(hasLogprobs = false, turns?: readonly SpeakerTurn[]) {
		this.#hasLogprobs = hasLogprobs;
		this.#turns = turns;
	}

	get text(): string {
		return this.#text;
	}

	get segmentCount(): number {
		return this.#segments.length;
	}

	/**
	 * Adds a chunk that began at `startS`.
	 * @param bytes what each token writes, when log-probabilities are wanted; `undefined` = nothing
	 */
	add(result: SpeechResult, startS: number, bytes?: readonly (Uint8Array | undefined)[]): Added {
		const transcribedS = this.#languages.get(result.language) ?? 0;
		this.#languages.set(result.language, transcribedS + result.consumedS);
		const before = this.#text.length;
		const added: TranscriptSegment[] = [];
		const segments: readonly SpokenSegment[] =
			this.#turns === undefined ? result.segments : spokenSegments(result, startS, this.#turns);
		for (const segment of segments) {
			const text = this.#joined(segment.text, result.language);
			if (text === '') continue;
			this.#text += text;
			added.push({
				id: this.#segments.length + added.length,
				seek: Math.round(startS * framesPerSecond),
				start: seconds(startS + segment.start),
				end: seconds(startS + segment.end),
				text: segment.text.trim(),
				tokens: segment.tokens,
				temperature: result.temperature,
				avg_logprob: segment.avgLogprob,
				compression_ratio: compressionRatio(segment.text),
				no_speech_prob: result.noSpeechProb,
				...(segment.speaker === undefined ? {} : { speaker: segment.speaker }),
			});
		}
		this.#segments.push(...added);
		for (const { word, start, end, probability } of result.words ?? []) {
			if (word.trim() === '') continue;
			const speaker = this.#turns && speakerIn(this.#turns, startS + start, startS + end);
			this.#words.push({
				word: word.trim(),
				start: seconds(startS + start),
				end: seconds(startS + end),
				probability: thousandths(probability),
				...(speaker === undefined ? {} : { speaker }),
			});
		}
		const logprobs = bytes === undefined ? [] : logprobsOf(result, bytes);
		this.#logprobs.push(...logprobs);
		return { delta: this.#text.slice(before), segments: added, logprobs };
	}

	/** The whole, once everything is added. */
	build(
		task: Transcript['task'],
		durationS: number,
		parts: { readonly words: boolean },
	): Transcript {
		const [code = 'en'] = [...this.#languages].sort((a, b) => b[1] - a[1])[0] ?? [];
		return {
			task,
			language: speechLanguages.get(code) ?? code,
			language_code: code,
			duration: seconds(durationS),
			text: this.#text,
			segments: this.#segments,
			...(parts.words ? { words: this.#words } : {}),
			...(this.#hasLogprobs ? { logprobs: this.#logprobs } : {}),
		};
	}

	#joined(text: string, language: string): string {
		const trimmed = text.trim();
		if (trimmed === '' || this.#text === '') return trimmed;
		const continues = text.startsWith(' ') || !unspaced.has(language);
		return continues ? ` ${trimmed}` : trimmed;
	}
}

/** Hundredths of a second are below every model's precision; thousandths keep subtitles exact. */
const seconds = (value: number) => thousandths(value);

const thousandths = (value: number) => Math.round(value * 1000) / 1000;

function logprobsOf(
	result: SpeechResult,
	all: readonly (Uint8Array | undefined)[],
): TranscriptLogprob[] {
	return result.tokens.flatMap(({ logprob }, index) => {
		const bytes = all[index];
		if (bytes === undefined) return [];
		const token = new TextDecoder().decode(bytes);
		return /^<\|\d+\.\d\d\|>$/.test(token) ? [] : [{ token, logprob, bytes: [...bytes] }];
	});
}
