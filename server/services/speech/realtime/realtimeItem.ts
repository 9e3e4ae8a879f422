/** One turn of a session: its sound goes on while it is spoken, its text is told once it was committed. */

import { LiveAudio } from '../../../audio/liveAudio.ts';
import { AppError, asAppError, type Transcript } from '../../../protocol/index.ts';
import type { SpeechEvent } from '../speechEvent.ts';
import type { SpeechCall } from '../speechRequest.ts';
import type { SpeechService } from '../speechService.ts';
import { turnRateHz } from './turnDetector.ts';

/** Who is told how a turn goes. */
export interface RealtimeItemListener {
	model(id: string): void;
	delta(added: Extract<SpeechEvent, { type: 'added' }>): void;
	done(transcript: Transcript): void;
	failed(error: AppError): void;
}

export interface RealtimeItemDeps {
	readonly speech: Pick<SpeechService, 'transcribeLive'>;
	/** Folder for the sound. */
	readonly scratch: string;
	/** Longest turn. */
	readonly maximumS: number;
}

export class RealtimeItem {
	readonly id: string;
	/** Settles when everything is over, whatever came of it. */
	readonly ended: Promise<void>;
	readonly #audio: LiveAudio;
	readonly #stop = new AbortController();
	/** What would have been told before the commit. */
	#early: ((listener: RealtimeItemListener) => void)[] = [];
	#listener: RealtimeItemListener | undefined;
	/** Why the turn will have no text, though it is still spoken. */
	#failure: AppError | undefined;
	#isFailureNotified = false;
	/** 16 kHz samples, those that came too late for a text among them. */
	#received = 0;

	private constructor(id: string, audio: LiveAudio, call: SpeechCall, deps: RealtimeItemDeps) {
		this.id = id;
		this.#audio = audio;
		this.ended = this.#run(call, deps);
	}

	static async open(id: string, call: SpeechCall, deps: RealtimeItemDeps): Promise<RealtimeItem> {
		return new RealtimeItem(id, await LiveAudio.open(deps.maximumS, deps.scratch), call, deps);
	}

	get seconds(): number {
		return this.#received / turnRateHz;
	}

	/** Adds 16 kHz samples. @throws AppError `payload_too_large`; what follows a failure is left out */
	async push(samples: Float32Array): Promise<void> {
		this.#received += samples.length;
		if (this.#failure !== undefined) return;
		const rounded = Int16Array.from(samples, (value) =>
			Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768))),
		);
		try {
			await this.#audio.push(rounded, turnRateHz);
		} catch (error) {
			// Its reader has given up: why is known in a moment.
			if (!(error instanceof AppError && error.code === 'not_found')) throw error;
		}
	}

	/** Nothing follows; from now on `listener` is told. */
	async commit(listener: RealtimeItemListener): Promise<void> {
		this.#listener = listener;
		for (const late of this.#early) late(listener);
		this.#early = [];
		await this.#audio.end();
	}

	/** Why the turn has failed before its end; told once. */
	newFailure(): AppError | undefined {
		if (this.#isFailureNotified) return undefined;
		this.#isFailureNotified = this.#failure !== undefined;
		return this.#failure;
	}

	/** Forgets the sound, and what has become of it. */
	async discard(): Promise<void> {
		this.#stop.abort();
		await this.ended;
	}

	async #run(call: SpeechCall, { speech }: RealtimeItemDeps): Promise<void> {
		try {
			const onEvent = (event: SpeechEvent) => {
				if (event.type === 'model') this.#say((listener) => listener.model(event.model.id));
				if (event.type === 'added') this.#say((listener) => listener.delta(event));
			};
			const signal = this.#stop.signal;
			const transcript = await speech.transcribeLive(call, this.#audio, onEvent, signal);
			this.#say((listener) => listener.done(transcript));
		} catch (cause) {
			const error = asAppError(cause, 'transcribing what was said');
			this.#failure = error;
			this.#say((listener) => listener.failed(error));
		} finally {
			await this.#audio.close();
		}
	}

	#say(what: (listener: RealtimeItemListener) => void): void {
		if (this.#stop.signal.aborted) return;
		if (this.#listener === undefined) this.#early.push(what);
		else what(this.#listener);
	}
}
