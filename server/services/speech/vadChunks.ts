/**
 * Cuts a recording into chunks a speech model can hear at once: begins where speech begins, ends in
 * pauses, drops long silence. Memory is bounded by one window, however long the recording.
 */

import { activityFrame, activityFrameS, type VoiceActivity } from '../../audio/voiceActivity.ts';

export interface SpeechChunk {
	/** Seconds from the start of the recording. */
	readonly startS: number;
	/** 16 kHz mono, at most the window. */
	readonly samples: Float32Array;
	/** Probability of speech of each of its frames. */
	readonly speech: readonly number[];
	/** The chunk ends in a pause or with the recording, not in the middle of speech. */
	readonly endsInPause: boolean;
}

const rateHz = 16_000;
/** A frame counts as speech from here. */
const speechProbability = 0.5;
const isSpeech = (probability: number | undefined) => (probability ?? 0) >= speechProbability;
/** Kept before the first and after the last speech of a chunk. */
const paddingFrames = Math.round(0.2 / activityFrameS);
/** A cut is made only in a pause at least this long; the longest one is taken. */
const minPauseFrames = Math.round(0.1 / activityFrameS);
/** Silence this long ends a chunk that has some length already. */
const longPauseFrames = Math.round(2 / activityFrameS);
/** Silence this long ends a chunk however short it is. */
const endlessPauseFrames = Math.round(5 / activityFrameS);
/** Chunks are not made shorter than this for the sake of a longer pause. */
const minChunkFrames = Math.round(8 / activityFrameS);

/** Words of one sentence stand closer together than this. */
const clearPauseFrames = Math.round(0.25 / activityFrameS);
/** Less speech than this is a noise. */
const minSpeechFrames = Math.round(0.4 / activityFrameS);

export interface VadChunkerOptions {
	/** Longest chunk in seconds. */
	readonly windowS?: number;
	/** A pause of this many seconds ends a chunk as soon as it is heard; for live sound. */
	readonly pauseS?: number;
}

/** The frames of a chunk from a moment on (in seconds), empty when nobody speaks in them. */
export function speechIn(chunk: SpeechChunk, fromS: number): readonly number[] {
	const rest = chunk.speech.slice(Math.round(fromS / activityFrameS));
	return rest.some(isSpeech) ? rest : [];
}

/**
 * The moment in a pause after `endS` (in seconds) from which somebody speaks on; `undefined` when nobody does.
 * A sound too short to be a word is none.
 */
export function speechAfter({ speech }: SpeechChunk, endS: number): number | undefined {
	let pause = 0;
	for (let frame = Math.round(endS / activityFrameS); frame < speech.length; frame++) {
		if (!isSpeech(speech[frame])) pause++;
		else if (pause < clearPauseFrames) pause = 0;
		else if (speech.slice(frame).filter(isSpeech).length < minSpeechFrames) return undefined;
		else return (frame - Math.min(pause, paddingFrames)) * activityFrameS;
	}
	return undefined;
}

/** Holds what was decoded and not yet transcribed. */
export class VadChunker {
	readonly #input: AsyncIterator<Float32Array>;
	readonly #activity: VoiceActivity;
	readonly #livePauseFrames: number | undefined;
	#windowFrames: number;
	#samples: Float32Array;
	#length = 0;
	/** Probability of speech of every whole frame in the buffer. */
	#speech: number[] = [];
	/** Samples from the start of the recording to the start of the buffer. */
	#offset = 0;
	#received = 0;
	#ended = false;

	constructor(
		input: AsyncIterable<Float32Array>,
		activity: VoiceActivity,
		{ windowS = 30, pauseS }: VadChunkerOptions = {},
	) {
		this.#input = input[Symbol.asyncIterator]();
		this.#activity = activity;
		this.#livePauseFrames = pauseS === undefined ? undefined : Math.round(pauseS / activityFrameS);
		this.#windowFrames = Math.floor(windowS / activityFrameS);
		// A window, the pause after it, and a piece of the decoder.
		this.#samples = new Float32Array(rateHz * (windowS + 4));
	}

	/** Seconds decoded so far; the whole length once {@link next} gave `undefined`. */
	get receivedS(): number {
		return this.#received / rateHz;
	}

	/**
	 * The next chunk, which stays in the buffer until {@link consume}; `undefined` at the end.
	 * Errors of the decoder come through.
	 */
	async next(signal?: AbortSignal): Promise<SpeechChunk | undefined> {
		for (;;) {
			await this.#fill(signal);
			if (this.#length === 0) return undefined;
			const first = this.#speech.findIndex(isSpeech);
			if (first === -1) {
				// A rest shorter than a frame is never judged; it is no word either.
				const kept = this.#ended ? 0 : paddingFrames * activityFrame;
				this.#drop(Math.max(0, this.#length - kept));
				if (this.#ended) return undefined;
				continue;
			}
			const lead = Math.max(0, first - paddingFrames);
			if (lead > 0) {
				this.#drop(lead * activityFrame);
				continue;
			}
			return this.#cut();
		}
	}

	/** Takes the first `seconds` of the last chunk out; the rest is heard again. */
	consume(seconds: number): void {
		this.#drop(Math.round(seconds * rateHz));
	}

	/** Chunks from now on are at most this many seconds long. */
	narrow(windowS: number): void {
		this.#windowFrames = Math.floor(windowS / activityFrameS);
	}

	/** Stops the decoder early. */
	async close(): Promise<void> {
		await this.#input.return?.(undefined);
	}

	#cut(): SpeechChunk {
		const frames = Math.min(this.#windowFrames, this.#speech.length);
		const wholeFits = this.#ended && this.#length <= this.#windowFrames * activityFrame;
		const pause = this.#pause(frames, wholeFits);
		const end = pause ?? (wholeFits ? this.#length : this.#quietest(frames) * activityFrame);
		return {
			startS: this.#offset / rateHz,
			samples: this.#samples.slice(0, end),
			speech: this.#speech.slice(0, Math.ceil(end / activityFrame)),
			endsInPause: pause !== undefined || wholeFits,
		};
	}

	/** Sample in the best pause to end at: the first long one, else the longest in the later half. */
	#pause(frames: number, wholeFits: boolean): number | undefined {
		let best: { readonly end: number; readonly length: number } | undefined;
		for (let frame = 1; frame < frames; frame++) {
			if (isSpeech(this.#speech[frame])) continue;
			let stop = frame;
			while (stop < this.#speech.length && !isSpeech(this.#speech[stop])) stop++;
			const length = stop - frame;
			const tail = stop === this.#speech.length && this.#ended;
			// A pause that begins at the very end of the window must not lead beyond it.
			const end = Math.min(frames, frame + Math.min(paddingFrames, length >> 1)) * activityFrame;
			const enough = frame >= minChunkFrames || length >= endlessPauseFrames || tail;
			if (length >= longPauseFrames && enough) return end;
			if (length >= (this.#livePauseFrames ?? Number.POSITIVE_INFINITY)) return end;
			if (
				!wholeFits &&
				length >= minPauseFrames &&
				frame >= frames / 3 &&
				length >= (best?.length ?? 0)
			)
				best = { end, length };
			frame = stop;
		}
		return best?.end;
	}

	/** Without a pause: the least speech-like moment in the last third of the window. */
	#quietest(frames: number): number {
		let best = frames;
		let minSpeech = Number.POSITIVE_INFINITY;
		for (let frame = Math.floor((2 * frames) / 3); frame < frames; frame++) {
			const around = Math.max(...this.#speech.slice(frame - 1, frame + 2));
			if (around <= minSpeech) {
				minSpeech = around;
				best = frame;
			}
		}
		return best;
	}

	async #fill(signal: AbortSignal | undefined): Promise<void> {
		const wanted = (this.#windowFrames + longPauseFrames) * activityFrame;
		const live = this.#livePauseFrames;
		while (!this.#ended && this.#length < wanted) {
			if (live !== undefined && this.#hasPause(live)) return;
			signal?.throwIfAborted();
			const { value, done } = await this.#input.next();
			if (done) this.#ended = true;
			else this.#append(value);
			if (live !== undefined) await this.#judge(signal);
		}
		await this.#judge(signal);
	}

	/** Whether somebody spoke and was then silent for this long, at the end or before they went on. */
	#hasPause(frames: number): boolean {
		let silent = Number.NEGATIVE_INFINITY;
		return this.#speech.some((probability) => {
			silent = isSpeech(probability) ? 0 : silent + 1;
			return silent >= frames;
		});
	}

	async #judge(signal: AbortSignal | undefined): Promise<void> {
		const judged = this.#speech.length * activityFrame;
		if (this.#length - judged < activityFrame) return;
		const fresh = this.#samples.slice(judged, this.#length);
		const found = await this.#activity.probabilities(fresh, signal);
		for (const value of found) this.#speech.push(value);
	}

	#append(samples: Float32Array): void {
		if (this.#length + samples.length > this.#samples.length) {
			const grown = new Float32Array(
				Math.max(this.#samples.length * 2, this.#length + samples.length),
			);
			grown.set(this.#samples.subarray(0, this.#length));
			this.#samples = grown;
		}
		this.#samples.set(samples, this.#length);
		this.#length += samples.length;
		this.#received += samples.length;
	}

	/** Frames stay in step with the buffer: a drop inside a frame rounds the frame list down. */
	#drop(samples: number): void {
		const count = Math.min(samples, this.#length);
		this.#samples.copyWithin(0, count, this.#length);
		this.#length -= count;
		this.#offset += count;
		this.#speech.splice(0, Math.round(count / activityFrame));
		this.#speech.length = Math.min(this.#speech.length, Math.floor(this.#length / activityFrame));
	}
}
