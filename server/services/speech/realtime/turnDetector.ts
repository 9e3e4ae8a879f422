/** Where turns begin and end in sound that goes on: speech after silence, silence after speech. */

import { activityFrame, type VoiceActivity } from '../../../audio/voiceActivity.ts';

/** Samples per second of all positions here. */
export const turnRateHz = 16_000;

/** When somebody speaks, and when they have finished. */
export interface TurnOptions {
	/** Probability from which a frame counts as speech, 0…1. */
	readonly threshold: number;
	/** Sound before the first speech that belongs to a turn. */
	readonly prefixPaddingMs: number;
	/** Silence that ends a turn. */
	readonly silenceDurationMs: number;
}

/** `at` counts samples at 16 kHz since the start. */
export interface TurnEvent {
	readonly type: 'started' | 'stopped';
	readonly at: number;
}

/** A click is shorter than this. */
const minSpeechFrames = 2;
const samplesOf = (ms: number) => Math.round((ms * turnRateHz) / 1000);

/** Follows one session. */
export class TurnDetector {
	readonly #activity: VoiceActivity;
	readonly #options: TurnOptions;
	#rest = new Float32Array(0);
	/** Samples judged so far. */
	#judged: number;
	#speaking = false;
	/** Frames of speech or silence in a row that speak for a change. */
	#run = 0;
	/** Where the last turn ended: the next one does not begin before it. */
	#floor: number;

	/** @param start samples of the session so far, and whether somebody is in the middle of a turn */
	constructor(
		activity: VoiceActivity,
		options: TurnOptions,
		{ from = 0, speaking = false }: { readonly from?: number; readonly speaking?: boolean } = {},
	) {
		this.#activity = activity;
		this.#options = options;
		this.#judged = from;
		this.#floor = from;
		this.#speaking = speaking;
	}

	/** Samples before the present that a turn may still begin with. */
	get reach(): number {
		return samplesOf(this.#options.prefixPaddingMs) + (minSpeechFrames + 2) * activityFrame;
	}

	/** What changes with these samples, in order. */
	async push(samples: Float32Array, signal?: AbortSignal): Promise<TurnEvent[]> {
		const whole = new Float32Array(this.#rest.length + samples.length);
		whole.set(this.#rest);
		whole.set(samples, this.#rest.length);
		const frames = Math.floor(whole.length / activityFrame);
		this.#rest = whole.slice(frames * activityFrame);
		if (frames === 0) return [];
		const found = await this.#activity.probabilities(
			whole.subarray(0, frames * activityFrame),
			signal,
		);
		return [...found].flatMap((probability) => this.#judge(probability));
	}

	/** What is said from here on belongs to another turn. */
	reset(): void {
		this.#speaking = false;
		this.#run = 0;
		this.#floor = this.#judged + this.#rest.length;
	}

	#judge(probability: number): TurnEvent[] {
		const isSpeech = probability >= this.#options.threshold;
		this.#judged += activityFrame;
		this.#run = isSpeech === this.#speaking ? 0 : this.#run + 1;
		if (!this.#speaking) {
			if (this.#run < minSpeechFrames) return [];
			const first = this.#judged - this.#run * activityFrame;
			const at = Math.max(this.#floor, first - samplesOf(this.#options.prefixPaddingMs));
			return [this.#change(true, at)];
		}
		if (this.#run * activityFrame < samplesOf(this.#options.silenceDurationMs)) return [];
		this.#floor = this.#judged;
		return [this.#change(false, this.#judged)];
	}

	#change(speaking: boolean, at: number): TurnEvent {
		this.#speaking = speaking;
		this.#run = 0;
		return { type: speaking ? 'started' : 'stopped', at };
	}
}
