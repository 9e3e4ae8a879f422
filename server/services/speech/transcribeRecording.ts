/**
 * Hears a recording stretch by stretch and puts the text together. Stretches that need nothing of the text
 * before them are heard several at once, so that the model reads its weights once for all of them.
 */

import type { DecodedAudio } from '../../audio/decodeAudio.ts';
import type { VoiceActivity } from '../../audio/voiceActivity.ts';
import type { SpeechResult } from '../../engine/api.ts';
import type { TextService } from '../../engine/text/textJobs.ts';
import { defined } from '../../protocol/defined.ts';
import type { Transcript } from '../../protocol/index.ts';
import { AppError } from '../../protocol/index.ts';
import type { ModelLease } from '../host.ts';
import type { SpeechEvent } from './speech.ts';
import type { SpeechCall } from './speechRequest.ts';
import { TranscriptBuilder } from './transcriptBuilder.ts';
import { type SpeechChunk, speechAfter, speechIn, VadChunker } from './vadChunks.ts';

export interface TranscriptionJob {
	readonly call: SpeechCall;
	readonly audio: DecodedAudio;
	readonly lease: ModelLease;
	readonly activity: VoiceActivity;
	readonly seed: number;
	/** Tokenizer, when log-probabilities are wanted. */
	readonly tokens?: TextService;
	/** Somebody is speaking right now: every pause of this length ends a stretch. */
	readonly pauseS?: number;
}

/** Stretches heard together when none is told the text before it. */
export const stretchesAtOnce = 8;
/** Text of the recording so far that the next stretch is told. */
const contextCharacters = 400;
/** A text from a higher temperature than this is not passed on. */
const trustedTemperature = 0.5;
const rateHz = 16_000;
const windowSlackS = 0.02;
/** A stretch of which less is dealt with would be heard for ever. */
const minProgressS = 0.5;

/** Rejects with the errors of decoder and model, and with `cancelled`. */
export function transcribeRecording(
	job: TranscriptionJob,
	onEvent: (event: SpeechEvent) => void,
	signal?: AbortSignal,
): Promise<Transcript> {
	return new Hearing(job, onEvent).run(signal);
}

interface ChunkResult {
	readonly result: SpeechResult;
	/** What each token writes, where log-probabilities are wanted. */
	readonly bytes: readonly (Uint8Array | undefined)[] | undefined;
	readonly stretch: SpeechChunk;
	/** Seconds of the stretch that are dealt with. */
	readonly takenS: number;
}

class Hearing {
	readonly #job: TranscriptionJob;
	readonly #onEvent: (event: SpeechEvent) => void;
	readonly #builder: TranscriptBuilder;
	readonly #cutter: VadChunker;
	readonly #words: boolean;
	/** Each stretch is told the text before it. */
	readonly #told: boolean;
	#language: string | undefined;
	#trusted = true;
	/** The first stretch goes alone: it tells the language and how much the model hears at once. */
	#atOnce = 1;

	constructor(job: TranscriptionJob, onEvent: (event: SpeechEvent) => void) {
		const { call, audio, activity, pauseS } = job;
		this.#job = job;
		this.#onEvent = onEvent;
		this.#builder = new TranscriptBuilder(job.tokens !== undefined);
		this.#cutter = new VadChunker(audio.samples, activity, defined({ pauseS }));
		this.#words = call.words || call.format === 'srt' || call.format === 'vtt';
		this.#told =
			call.conditionOnPrevious ?? job.lease.engine.description.conditionOnPrevious ?? true;
		this.#language = call.language;
	}

	async run(signal?: AbortSignal): Promise<Transcript> {
		const { call } = this.#job;
		try {
			while (await this.#group(signal));
		} finally {
			await this.#cutter.close();
		}
		return this.#builder.build(call.task, this.#cutter.receivedS, { words: this.#words });
	}

	/** Hears the next stretches together; false at the end of the recording. */
	async #group(signal?: AbortSignal): Promise<boolean> {
		const stop = new AbortController();
		const either = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
		const work: Promise<ChunkResult[]>[] = [];
		let last: SpeechChunk | undefined;
		let failure: unknown;
		try {
			while (work.length < this.#atOnce) {
				const stretch = await this.#cutter.next(either);
				if (stretch === undefined) break;
				last = stretch;
				const heard =
					this.#atOnce > 1 && stretch.endsInPause
						? this.#hearWhole(stretch, either)
						: this.#hear(stretch, either).then((one) => [one]);
				// The first error ends the others, whoever is awaited at that moment.
				heard.catch((error: unknown) => {
					failure ??= error;
					stop.abort();
				});
				work.push(heard);
				// What a cut in mid-speech leaves over belongs to the stretch after it.
				if (this.#atOnce === 1 || !stretch.endsInPause) break;
				this.#cutter.consume(stretch.samples.length / rateHz);
				last = undefined;
			}
			for (const heard of work)
				for (const one of await heard) if (!this.#add(one, one.stretch === last)) return true;
		} catch (error) {
			const cause = failure ?? error;
			stop.abort();
			await Promise.allSettled(work);
			throw cause;
		}
		if (!this.#told && this.#job.pauseS === undefined) this.#atOnce = stretchesAtOnce;
		return work.length > 0;
	}

	/** A stretch that ends in a pause, and again whatever of it the model left over. */
	async #hearWhole(stretch: SpeechChunk, signal: AbortSignal): Promise<ChunkResult[]> {
		const all: ChunkResult[] = [];
		let rest = stretch;
		for (;;) {
			const heard = await this.#hear(rest, signal);
			all.push(heard);
			const left = rest.samples.subarray(Math.round(heard.takenS * rateHz));
			const speech = speechIn(rest, heard.takenS);
			if (left.length < minProgressS * rateHz || speech.length === 0) return all;
			rest = { ...rest, startS: rest.startS + heard.takenS, samples: left, speech };
		}
	}

	async #hear(stretch: SpeechChunk, signal: AbortSignal): Promise<ChunkResult> {
		const context = this.#context();
		let result = await this.#ask(stretch, context, signal);
		// Somebody speaks here; a text before it that leads the model astray is not worth their words.
		if (context !== '' && result.text.trim() === '') result = await this.#ask(stretch, '', signal);
		const tokens = result.tokens.map(({ id }) => id);
		const bytes = await this.#job.tokens?.ask('bytes', { tokens, skipSpecial: true }, signal);
		return { result, bytes, stretch, takenS: progressOf(result, stretch) };
	}

	#ask(stretch: SpeechChunk, context: string, signal: AbortSignal): Promise<SpeechResult> {
		const { call, lease, seed, pauseS } = this.#job;
		const prompt = [call.prompt ?? '', context].filter((part) => part !== '').join(' ');
		return lease.engine.transcribe(
			{
				samples: stretch.samples,
				task: call.task,
				temperature: call.temperature,
				seed,
				timestamps: this.#words ? 'word' : 'segment',
				priority: stretch.startS === 0 || pauseS !== undefined ? 'interactive' : 'batch',
				...defined({ language: this.#language }),
				...(prompt === '' ? {} : { prompt }),
			},
			() => {},
			signal,
		);
	}

	/** False when the model hears less at once than was cut: then it is cut again. */
	#add({ result, bytes, stretch, takenS }: ChunkResult, waiting: boolean): boolean {
		if (stretch.samples.length > (result.windowS + windowSlackS) * rateHz) {
			if (!waiting)
				throw new AppError('internal', 'The speech model changed its window in mid-recording.');
			this.#cutter.narrow(result.windowS);
			return false;
		}
		// A first stretch that was short enough tells it too, before several are cut at once.
		if (this.#atOnce === 1) this.#cutter.narrow(result.windowS);
		if (waiting) this.#cutter.consume(takenS);
		// One language per recording: short stretches guess badly.
		if (result.text.trim() !== '' && result.languageProbability > 0.5)
			this.#language ??= result.language;
		const added = this.#builder.add(result, stretch.startS, bytes);
		this.#trusted = result.temperature <= trustedTemperature;
		if (added.delta !== '') this.#onEvent({ type: 'added', ...added });
		const total = this.#job.audio.info.durationS;
		this.#onEvent({
			type: 'progress',
			done: stretch.startS + takenS,
			...defined({ total }),
		});
		return true;
	}

	/** The end of the text so far, where it may be told to the next stretch. */
	#context(): string {
		const context = this.#told && this.#trusted ? this.#builder.text.slice(-contextCharacters) : '';
		// A word cut in half would teach the model to write halves.
		return context.length === contextCharacters ? context.slice(context.indexOf(' ') + 1) : context;
	}
}

/** Seconds to move on by. */
function progressOf({ consumedS, segments }: SpeechResult, stretch: SpeechChunk): number {
	const lengthS = stretch.samples.length / rateHz;
	const takenS = consumedS >= Math.min(minProgressS, lengthS) ? consumedS : lengthS;
	if (takenS < lengthS) return takenS;
	// A model may say that all is heard and leave out what comes after a pause.
	const restS = speechAfter(stretch, segments.at(-1)?.end ?? lengthS) ?? lengthS;
	return restS < minProgressS ? lengthS : restS;
}
