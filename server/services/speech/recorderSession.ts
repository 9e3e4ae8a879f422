/** One microphone recording: takes sound, tells its listeners how it goes, and becomes text meanwhile. */

import { LiveAudio } from '../../audio/liveAudio.ts';
import {
	AppError,
	type RecorderCommand,
	type RecorderEvent,
	type RecorderState,
} from '../../protocol/index.ts';
import type { SpeechEvent } from './speechEvent.ts';
import type { SpeechCall } from './speechRequest.ts';
import type { SpeechService } from './speechService.ts';

export interface RecorderSessionDeps {
	/** Folder for the sound. */
	readonly scratch: string;
	readonly speech: Pick<SpeechService, 'transcribeLive' | 'model' | 'limits'>;
	readonly call: SpeechCall;
	readonly randomId: () => string;
	/** Milliseconds a page may be away before its recording counts as finished. */
	readonly graceMs?: number;
}

/** Events of a recording but the first, which holds its secrets. */
export type RecordingEvent = Exclude<RecorderEvent, { type: 'recorder.session' }>;
type Listener = (event: RecordingEvent) => void;

/** A level is told this often at most. */
const levelEveryS = 0.2;
/** Silence after which what was said counts as finished, when the speaker pauses the recording. */
const restS = 1;

/** Made by the registry; {@link run} goes on until the text is complete. */
export class RecorderSession {
	readonly id: string;
	readonly call: SpeechCall;
	readonly #deps: RecorderSessionDeps;
	readonly #audio: LiveAudio;
	readonly #history: RecordingEvent[] = [];
	readonly #listeners = new Set<Listener>();
	readonly #stop = new AbortController();
	#state: RecorderState = 'waiting';
	#failure: AppError | undefined;
	readonly #begun = Promise.withResolvers<void>();
	readonly #ended = Promise.withResolvers<void>();
	#loudest = 0;
	#levelAtS = 0;
	#pages = 0;
	#away: NodeJS.Timeout | undefined;

	private constructor(deps: RecorderSessionDeps, audio: LiveAudio) {
		this.#deps = deps;
		this.#audio = audio;
		this.call = deps.call;
		this.id = deps.randomId();
		this.#ended.promise.catch(() => {});
	}

	static async open(deps: RecorderSessionDeps): Promise<RecorderSession> {
		return new RecorderSession(
			deps,
			await LiveAudio.open(deps.speech.limits.maximumS, deps.scratch),
		);
	}

	get received(): number {
		return this.#audio.received;
	}

	/** Settles as {@link run} does. */
	get ended(): Promise<void> {
		return this.#ended.promise;
	}

	/**
	 * Waits for sound and hears it until it ends; the events are told to the listeners. Rejects with
	 * `cancelled`, with what {@link fail} was given, and with the errors of the model.
	 */
	async run(signal: AbortSignal): Promise<void> {
		const either = AbortSignal.any([signal, this.#stop.signal]);
		const aborted = new Promise<void>((resolve) => {
			if (either.aborted) resolve();
			either.addEventListener('abort', () => resolve(), { once: true });
		});
		this.#emit({ type: 'recorder.state', state: this.#state });
		try {
			await Promise.race([this.#begun.promise, aborted]);
			either.throwIfAborted();
			const { speech, call } = this.#deps;
			const transcript = await speech.transcribeLive(
				call,
				this.#audio,
				(event) => this.#onSpeech(event),
				either,
			);
			const { task: _task, logprobs: _logprobs, ...rest } = transcript;
			this.#emit({ type: 'transcript.text.done', ...rest });
			this.#ended.resolve();
		} catch (cause) {
			const ended = new AppError('cancelled', 'The recording was ended by the editor.');
			const error = this.#failure ?? (either.aborted ? ended : cause);
			this.#ended.reject(error);
			throw error;
		} finally {
			clearTimeout(this.#away);
			await this.#audio.close();
		}
	}

	/** Hears everything from the start of the recording on; the answer ends that. */
	listen(listener: Listener): () => void {
		for (const event of this.#history) listener(event);
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** A page listens now, until the returned function is called. */
	attend(): () => void {
		this.#pages++;
		clearTimeout(this.#away);
		return () => {
			if (--this.#pages > 0) return;
			this.#away = setTimeout(() => this.#leave(), this.#deps.graceMs ?? 5000);
		};
	}

	/** Adds samples; errors as in {@link LiveAudio.push}. */
	async write(samples: Int16Array, rateHz: number, from: number): Promise<void> {
		if (this.#state === 'stopped') throw new AppError('not_found', 'This recording has ended.');
		await this.#audio.push(samples, rateHz, from);
		if (this.#state === 'waiting' || this.#state === 'ready') this.#enter('recording');
		this.#begun.resolve();
		for (const value of samples) this.#loudest = Math.max(this.#loudest, Math.abs(value) / 32_768);
		const { seconds } = this.#audio;
		if (seconds - this.#levelAtS < levelEveryS) return;
		// Levels of the past tell nobody anything, so they are not kept.
		const event = { type: 'recorder.level', seconds, level: this.#loudest } as const;
		for (const listener of this.#listeners) listener(event);
		this.#levelAtS = seconds;
		this.#loudest = 0;
	}

	async command(command: RecorderCommand, reason: string | undefined): Promise<void> {
		if (this.#state === 'stopped') return;
		switch (command) {
			case 'ready':
				if (this.#state === 'waiting') this.#enter('ready');
				return;
			case 'recording':
				this.#enter('recording');
				this.#begun.resolve();
				return;
			case 'paused':
				if (this.#state !== 'recording') return;
				this.#enter('paused');
				await this.#audio.rest(restS);
				return;
			case 'stopped':
				if (this.#audio.received === 0) {
					this.fail(new AppError('invalid_audio', 'Nothing was recorded.'));
					return;
				}
				this.#enter('stopped');
				await this.#audio.end();
				return;
			case 'cancelled':
				this.fail(new AppError('cancelled', reason ?? 'The recording was discarded.'));
		}
	}

	/** Ends the recording with an error. */
	fail(error: AppError): void {
		this.#failure ??= error;
		this.#stop.abort();
	}

	async close(): Promise<void> {
		this.#stop.abort();
		clearTimeout(this.#away);
		await this.#audio.close();
	}

	#leave(): void {
		// What was said is worth more than the knowledge of why the page went.
		if (this.#audio.received > 0) void this.command('stopped', undefined);
		else this.fail(new AppError('cancelled', 'The recorder page was closed before recording.'));
	}

	#enter(state: RecorderState): void {
		if (this.#state === state) return;
		this.#state = state;
		this.#emit({ type: 'recorder.state', state });
	}

	#emit(event: RecordingEvent): void {
		this.#history.push(event);
		for (const listener of this.#listeners) listener(event);
	}

	#onSpeech(event: SpeechEvent): void {
		if (event.type !== 'added') return;
		this.#emit({ type: 'transcript.text.delta', delta: event.delta });
		for (const segment of event.segments)
			this.#emit({ type: 'transcript.text.segment', ...segment });
	}
}
