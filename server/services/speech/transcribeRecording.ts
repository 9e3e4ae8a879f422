/**
 * Transcribes a recording chunk by chunk and joins the text. Chunks that need nothing of the text before them
 * are transcribed several at once, so that the model reads its weights once for all of them.
 */

import type { DecodedAudio } from '../../audio/decodeAudio.ts';
import type { VoiceActivity } from '../../audio/voiceActivity.ts';
import type { SpeechResult } from '../../engine/api.ts';
import type { TextService } from '../../engine/text/textJobs.ts';
import { defined } from '../../protocol/defined.ts';
import type { Transcript } from '../../protocol/index.ts';
import { AppError } from '../../protocol/index.ts';
import type { ModelLease } from '../host.ts';
import type { SpeakerTurn } from './speakers/speakerTurns.ts';
import type { SpeechEvent } from './speechEvent.ts';
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
	/** Somebody is speaking right now: every pause of this length ends a chunk. */
	readonly pauseS?: number;
	/** Who speaks when; each segment is one speaker's then. */
	readonly turns?: readonly SpeakerTurn[];
}

/** Chunks transcribed together when none is conditioned on the text before it. */
const maxParallelChunks = 8;
/** Text of the recording so far that the next chunk is told. */
const contextCharacters = 400;
/** A text from a higher temperature than this is not passed on. */
const trustedTemperature = 0.5;
const rateHz = 16_000;
const windowSlackS = 0.02;
/** A chunk of which less is consumed would be repeated for ever. */
const minProgressS = 0.5;

/** Rejects with the errors of decoder and model, and with `cancelled`. */
export function transcribeRecording(
	job: TranscriptionJob,
	onEvent: (event: SpeechEvent) => void,
	signal?: AbortSignal,
): Promise<Transcript> {
	return new TranscriptionRun(job, onEvent).run(signal);
}

interface ChunkResult {
	readonly result: SpeechResult;
	/** What each token writes, where log-probabilities are wanted. */
	readonly bytes: readonly (Uint8Array | undefined)[] | undefined;
	readonly chunk: SpeechChunk;
	/** Seconds of the chunk that are dealt with. */
	readonly takenS: number;
}

class TranscriptionRun {
	readonly #job: TranscriptionJob;
	readonly #onEvent: (event: SpeechEvent) => void;
	readonly #builder: TranscriptBuilder;
	readonly #cutter: VadChunker;
	readonly #words: boolean;
	/** Each chunk is conditioned on the text before it. */
	readonly #conditionOnPrevious: boolean;
	#language: string | undefined;
	#trusted = true;
	/** The first chunk goes alone: it gives the language and the model's window. */
	#parallelChunks = 1;

	constructor(job: TranscriptionJob, onEvent: (event: SpeechEvent) => void) {
		const { call, audio, activity, pauseS } = job;
		this.#job = job;
		this.#onEvent = onEvent;
		this.#builder = new TranscriptBuilder(job.tokens !== undefined, job.turns);
		this.#cutter = new VadChunker(audio.samples, activity, defined({ pauseS }));
		this.#words =
			call.words ||
			call.format === 'srt' ||
			call.format === 'vtt' ||
			// Where the speaker changes, segments are divided between two words.
			job.turns !== undefined;
		this.#conditionOnPrevious =
			call.conditionOnPrevious ?? job.lease.engine.description.conditionOnPrevious ?? true;
		this.#language = call.language;
	}

	async run(signal?: AbortSignal): Promise<Transcript> {
		const { call } = this.#job;
		try {
			while (await this.#transcribeGroup(signal));
		} finally {
			await this.#cutter.close();
		}
		const words = call.words || call.format === 'srt' || call.format === 'vtt';
		return this.#builder.build(call.task, this.#cutter.receivedS, { words });
	}

	/** Transcribes the next chunks together; false at the end of the recording. */
	async #transcribeGroup(signal?: AbortSignal): Promise<boolean> {
		const stop = new AbortController();
		const either = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
		const work: Promise<ChunkResult[]>[] = [];
		let last: SpeechChunk | undefined;
		let failure: unknown;
		try {
			while (work.length < this.#parallelChunks) {
				const chunk = await this.#cutter.next(either);
				if (chunk === undefined) break;
				last = chunk;
				const results =
					this.#parallelChunks > 1 && chunk.endsInPause
						? this.#transcribeWhole(chunk, either)
						: this.#transcribe(chunk, either).then((one) => [one]);
				// The first error ends the others, even if another one is awaited at that moment.
				results.catch((error: unknown) => {
					failure ??= error;
					stop.abort();
				});
				work.push(results);
				// What a cut in mid-speech leaves over belongs to the chunk after it.
				if (this.#parallelChunks === 1 || !chunk.endsInPause) break;
				this.#cutter.consume(chunk.samples.length / rateHz);
				last = undefined;
			}
			for (const results of work)
				for (const one of await results) if (!this.#add(one, one.chunk === last)) return true;
		} catch (error) {
			const cause = failure ?? error;
			stop.abort();
			await Promise.allSettled(work);
			throw cause;
		}
		if (!this.#conditionOnPrevious && this.#job.pauseS === undefined)
			this.#parallelChunks = maxParallelChunks;
		return work.length > 0;
	}

	/** A chunk that ends in a pause, and again whatever of it the model left over. */
	async #transcribeWhole(chunk: SpeechChunk, signal: AbortSignal): Promise<ChunkResult[]> {
		const all: ChunkResult[] = [];
		let rest = chunk;
		for (;;) {
			const results = await this.#transcribe(rest, signal);
			all.push(results);
			const left = rest.samples.subarray(Math.round(results.takenS * rateHz));
			const speech = speechIn(rest, results.takenS);
			if (left.length < minProgressS * rateHz || speech.length === 0) return all;
			rest = { ...rest, startS: rest.startS + results.takenS, samples: left, speech };
		}
	}

	async #transcribe(chunk: SpeechChunk, signal: AbortSignal): Promise<ChunkResult> {
		const context = this.#context();
		let result = await this.#request(chunk, context, signal);
		// Somebody speaks here; a text before it that leads the model astray is not worth their words.
		if (context !== '' && result.text.trim() === '')
			result = await this.#request(chunk, '', signal);
		const tokens = result.tokens.map(({ id }) => id);
		const bytes = await this.#job.tokens?.request('bytes', { tokens, skipSpecial: true }, signal);
		return { result, bytes, chunk, takenS: progressOf(result, chunk) };
	}

	#request(chunk: SpeechChunk, context: string, signal: AbortSignal): Promise<SpeechResult> {
		const { call, lease, seed, pauseS } = this.#job;
		const prompt = [call.prompt ?? '', context].filter((part) => part !== '').join(' ');
		return lease.engine.transcribe(
			{
				samples: chunk.samples,
				task: call.task,
				temperature: call.temperature,
				seed,
				timestamps: this.#words ? 'word' : 'segment',
				priority:
					call.priority !== 'batch' && (chunk.startS === 0 || pauseS !== undefined)
						? 'interactive'
						: 'batch',
				// A recording that has begun is not refused in its middle.
				isPart: chunk.startS > 0,
				...defined({ language: this.#language, owner: call.owner }),
				...(prompt === '' ? {} : { prompt }),
			},
			() => {},
			signal,
		);
	}

	/** False when the model's window is shorter than the chunk, which is then cut again. */
	#add({ result, bytes, chunk, takenS }: ChunkResult, waiting: boolean): boolean {
		if (chunk.samples.length > (result.windowS + windowSlackS) * rateHz) {
			if (!waiting)
				throw new AppError('internal', 'The speech model changed its window in mid-recording.');
			this.#cutter.narrow(result.windowS);
			return false;
		}
		// A first chunk that was short enough tells it too, before several are cut at once.
		if (this.#parallelChunks === 1) this.#cutter.narrow(result.windowS);
		if (waiting) this.#cutter.consume(takenS);
		// One language per recording: short chunks guess badly.
		if (result.text.trim() !== '' && result.languageProbability > 0.5)
			this.#language ??= result.language;
		const added = this.#builder.add(result, chunk.startS, bytes);
		this.#trusted = result.temperature <= trustedTemperature;
		if (added.delta !== '') this.#onEvent({ type: 'added', ...added });
		const total = this.#job.audio.info.durationS;
		this.#onEvent({
			type: 'progress',
			done: chunk.startS + takenS,
			...defined({ total }),
		});
		return true;
	}

	/** The end of the text so far, where it may be told to the next chunk. */
	#context(): string {
		const context =
			this.#conditionOnPrevious && this.#trusted
				? this.#builder.text.slice(-contextCharacters)
				: '';
		// A word cut in half would teach the model to write halves.
		return context.length === contextCharacters ? context.slice(context.indexOf(' ') + 1) : context;
	}
}

/** Seconds to move on by. */
function progressOf({ consumedS, segments }: SpeechResult, chunk: SpeechChunk): number {
	const lengthS = chunk.samples.length / rateHz;
	const takenS = consumedS >= Math.min(minProgressS, lengthS) ? consumedS : lengthS;
	if (takenS < lengthS) return takenS;
	// A model may say that all is heard and leave out what comes after a pause.
	const restS = speechAfter(chunk, segments.at(-1)?.end ?? lengthS) ?? lengthS;
	return restS < minProgressS ? lengthS : restS;
}
