/**
 * One live transcription session: takes the events of its client, one after the other, and gives its own. Sound
 * becomes turns, by silence or by the client's word, and each turn is transcribed as the recordings of a
 * microphone are.
 */

import { mixFrames, pcmReader } from '../../../audio/pcm.ts';
import { Resampler } from '../../../audio/resampler.ts';
import { isRecord } from '../../../protocol/errorBody.ts';
import { AppError, asAppError } from '../../../protocol/index.ts';
import { unreadFields } from '../../../protocol/routes/fields.ts';
import {
	type RealtimeServerEvent,
	realtimeClientEvents,
} from '../../../protocol/routes/realtime.ts';
import { yieldToOthers } from '../../../work/yieldToOthers.ts';
import { speechUsageOf } from '../speechFormats.ts';
import type { SpeechCall } from '../speechRequest.ts';
import type { SpeechListener, SpeechService } from '../speechService.ts';
import {
	concatenatedSamples,
	EmptyCommit,
	minCommitS,
	plainLogprob,
	type RealtimeClientEvent,
	readEvent,
	realtimeError,
	soundBytes,
	unknownEventType,
} from './realtimeEvents.ts';
import { RealtimeItem, type RealtimeItemListener } from './realtimeItem.ts';
import {
	callOfOptions,
	initialOptions,
	type RealtimeDialect,
	type RealtimeOptions,
	shownSession,
	withBeta,
	withPublished,
} from './realtimeOptions.ts';
import { TurnDetector, type TurnEvent, turnRateHz } from './turnDetector.ts';

/** Is told how the transcription of one turn went. */
export interface RealtimeRecord {
	/** The model, once it is known in full. */
	model: string;
	firstToken(): void;
	done(error?: unknown): void;
}

export interface RealtimeSessionDeps {
	readonly speech: Pick<SpeechService, 'transcribeLive' | 'listener' | 'limits'>;
	/** Folder for the sound. */
	readonly scratch: string;
	readonly randomId: () => string;
	readonly send: (event: RealtimeServerEvent & { readonly event_id: string }) => void;
	/** Whose turn the work takes, and who pays for it. */
	readonly owned: Pick<SpeechCall, 'owner' | 'account'>;
	/** A turn begins to be transcribed. */
	readonly record: (model: string) => RealtimeRecord;
	/** An error as this caller may read it. */
	readonly shownError: (error: AppError) => AppError;
	/** Seconds since 1970 at which the session ends. */
	readonly expiresAt: number;
}

/** Seconds of one turn; a longer one is committed in parts. */
const maxTurnS = 1800;
/** Turns whose text is not complete yet; the client's further sound waits for one of them. */
const maxUnfinished = 4;
/** Seconds of sound that are worked on at once. */
const sliceS = 0.25;

/** Made for a client that may use it; {@link close} ends all its work. */
export class RealtimeSession {
	readonly #deps: RealtimeSessionDeps;
	readonly #id: string;
	readonly #dialect: RealtimeDialect;
	readonly #stop = new AbortController();
	#options: RealtimeOptions;
	#resampler: Resampler | undefined;
	/** Bytes of a sample whose others come later. */
	#rest: Uint8Array = new Uint8Array(0);
	#listener: SpeechListener | undefined;
	#detector: TurnDetector | undefined;
	/** The turn that is spoken. */
	#item: RealtimeItem | undefined;
	readonly #unfinished = new Set<RealtimeItem>();
	#previousId: string | null = null;
	/** 16 kHz samples that a turn may still begin with; their end is `#received`. */
	#recent = new Float32Array(0);
	/** 16 kHz samples since the start. */
	#received = 0;

	/** @param model as the client called it; absent: whichever is there */
	constructor(deps: RealtimeSessionDeps, dialect: RealtimeDialect, model = 'default') {
		this.#deps = deps;
		this.#id = `sess_${deps.randomId()}`;
		this.#dialect = dialect;
		this.#options = initialOptions(model);
	}

	/** The first event. */
	begin(): void {
		const type =
			this.#dialect === 'beta' ? 'transcription_session.created' : ('session.created' as const);
		this.#send({ type, session: this.#shown(this.#dialect) });
	}

	/** Whether turns are still being transcribed. */
	get busy(): boolean {
		return this.#unfinished.size > 0;
	}

	/**
	 * Does what one event asks for; what is wrong with it is told to the client and harms nothing else. Takes as
	 * long as sound is ahead of its transcription. The next event has to wait for it.
	 */
	async handle(event: unknown): Promise<void> {
		try {
			await this.#dispatch(event);
		} catch (error) {
			if (this.#stop.signal.aborted) return;
			const sent = isRecord(event) ? event['event_id'] : undefined;
			this.fail(
				asAppError(error, 'reading an event of a live session'),
				typeof sent === 'string' ? sent : null,
			);
		}
	}

	/** Tells the client of an error. */
	fail(error: AppError, eventId: string | null = null): void {
		const shown = realtimeError(this.#deps.shownError(error));
		this.#send({ type: 'error', error: { ...shown, event_id: eventId } });
	}

	/** Ends all work; what is unfinished is lost. */
	async close(): Promise<void> {
		this.#stop.abort();
		const items = [...this.#unfinished, ...(this.#item === undefined ? [] : [this.#item])];
		await Promise.all(items.map((item) => item.discard()));
		await this.#listener?.[Symbol.asyncDispose]();
		this.#listener = undefined;
	}

	async #dispatch(event: unknown): Promise<void> {
		if (!isRecord(event)) throw new AppError('invalid_request', 'An event is a JSON object.');
		const type = event['type'];
		switch (type) {
			case 'session.update':
				return this.#update('ga', readEvent(type, event), event);
			case 'transcription_session.update':
				return this.#update('beta', readEvent(type, event), event);
			case 'input_audio_buffer.append':
				return this.#append(readEvent(type, event).audio);
			case 'input_audio_buffer.commit':
				readEvent(type, event);
				return this.#commit();
			case 'input_audio_buffer.clear':
				readEvent(type, event);
				return this.#clear();
			default:
				throw new AppError('invalid_request', unknownEventType(type), { param: 'type' });
		}
	}

	async #update(
		dialect: RealtimeDialect,
		{
			session,
		}: RealtimeClientEvent<'session.update'> | RealtimeClientEvent<'transcription_session.update'>,
		sent: object,
	): Promise<void> {
		const before = this.#options;
		const schema =
			realtimeClientEvents[dialect === 'ga' ? 'session.update' : 'transcription_session.update'];
		this.#options =
			dialect === 'ga'
				? withPublished(before, session as RealtimeClientEvent<'session.update'>['session'])
				: withBeta(before, session);
		if (this.#options.format !== before.format) {
			this.#resampler = undefined;
			this.#rest = new Uint8Array(0);
		}
		if (this.#options.model !== before.model) {
			await this.#listener?.[Symbol.asyncDispose]();
			this.#listener = undefined;
		}
		this.#detector = undefined;
		const ignored = unreadFields(schema, sent).filter((path) => path !== 'type');
		this.#send({
			type: dialect === 'beta' ? 'transcription_session.updated' : 'session.updated',
			session: this.#shown(dialect),
			...(ignored.length === 0 ? {} : { ignored_parameters: ignored.slice(0, 50) }),
		});
	}

	async #append(audio: string): Promise<void> {
		const bytes = soundBytes(audio);
		const { encoding, sampleBytes, rateHz } = this.#options.format;
		const read = pcmReader(encoding, sampleBytes);
		const shape = { channels: 1, sampleBytes, frameBytes: sampleBytes };
		const sliceBytes = Math.round(sliceS * rateHz) * sampleBytes;
		const whole = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
		const usable = whole.length - (whole.length % sampleBytes);
		// A copy: a view would keep all of it.
		this.#rest = new Uint8Array(whole.subarray(usable));
		for (let at = 0; at < usable; at += sliceBytes) {
			await yieldToOthers(true);
			this.#stop.signal.throwIfAborted();
			const slice = whole.subarray(at, Math.min(usable, at + sliceBytes));
			await this.#take(this.#resampled(mixFrames(slice, read, shape), rateHz));
		}
	}

	#resampled(samples: Float32Array, rateHz: number): Float32Array {
		if (rateHz === turnRateHz) return samples;
		this.#resampler ??= new Resampler(rateHz, turnRateHz);
		return this.#resampler.push(samples);
	}

	/** 16 kHz samples that follow those before. */
	async #take(samples: Float32Array): Promise<void> {
		const { turns } = this.#options;
		if (turns === undefined) {
			this.#received += samples.length;
			this.#item ??= await this.#open();
			await this.#record(samples);
			return;
		}
		const detector = await this.#detecting();
		this.#received += samples.length;
		this.#recent = concatenatedSamples(this.#recent, samples);
		for (const event of await detector.push(samples, this.#stop.signal)) await this.#turn(event);
		if (this.#item !== undefined) await this.#record(this.#until(this.#received));
		else this.#until(this.#received - detector.reach);
	}

	async #turn({ type, at }: TurnEvent): Promise<void> {
		const ms = Math.round((at / turnRateHz) * 1000);
		if (type === 'started') {
			this.#until(at);
			// What the client had put into the buffer before belongs to what is said now.
			this.#item ??= await this.#open();
			const { id } = this.#item;
			this.#send({ type: 'input_audio_buffer.speech_started', item_id: id, audio_start_ms: ms });
			return;
		}
		if (this.#item === undefined) return;
		const { id } = this.#item;
		await this.#record(this.#until(at));
		this.#send({ type: 'input_audio_buffer.speech_stopped', item_id: id, audio_end_ms: ms });
		await this.#finish(this.#item);
	}

	/** Takes the samples before a position out of what is kept. */
	#until(position: number): Float32Array {
		const count = Math.max(0, this.#recent.length - Math.max(0, this.#received - position));
		const taken = this.#recent.slice(0, count);
		this.#recent = this.#recent.slice(count);
		return taken;
	}

	/** Adds to the turn that is spoken; one that becomes too long goes on as another. */
	async #record(samples: Float32Array): Promise<void> {
		if (this.#item === undefined) return;
		if (this.#item.seconds + samples.length / turnRateHz > this.#maximumS) {
			await this.#finish(this.#item);
			this.#item = await this.#open();
		}
		await this.#item.push(samples);
		const failure = this.#item.newFailure();
		if (failure !== undefined) this.fail(failure);
	}

	get #maximumS(): number {
		return Math.min(maxTurnS, this.#deps.speech.limits.maximumS);
	}

	async #open(): Promise<RealtimeItem> {
		const call: SpeechCall = { ...callOfOptions(this.#options), ...this.#deps.owned };
		return RealtimeItem.open(`item_${this.#deps.randomId()}`, call, {
			...this.#deps,
			maximumS: maxTurnS,
		});
	}

	async #detecting(): Promise<TurnDetector> {
		const { model, turns } = this.#options;
		if (this.#detector !== undefined || turns === undefined) return this.#detector as TurnDetector;
		this.#listener ??= await this.#deps.speech.listener(model, this.#stop.signal);
		this.#detector = new TurnDetector(this.#listener, turns, {
			from: this.#received,
			speaking: this.#item !== undefined,
		});
		this.#recent = new Float32Array(0);
		return this.#detector;
	}

	async #commit(): Promise<void> {
		const seconds = this.#item?.seconds ?? 0;
		if (this.#item === undefined || seconds < minCommitS) throw new EmptyCommit(seconds);
		this.#detector?.reset();
		await this.#finish(this.#item);
	}

	async #clear(): Promise<void> {
		const item = this.#item;
		this.#item = undefined;
		this.#recent = new Float32Array(0);
		this.#rest = new Uint8Array(0);
		this.#detector?.reset();
		await item?.discard();
		this.#send({ type: 'input_audio_buffer.cleared' });
	}

	/** The turn is complete: it is announced, and its text follows when it is there. */
	async #finish(item: RealtimeItem): Promise<void> {
		this.#item = undefined;
		const place = { previous_item_id: this.#previousId };
		this.#previousId = item.id;
		const shown = {
			id: item.id,
			object: 'realtime.item' as const,
			type: 'message' as const,
			status: 'completed' as const,
			role: 'user' as const,
			content: [{ type: 'input_audio' as const, transcript: null }],
		};
		this.#send({ type: 'input_audio_buffer.committed', item_id: item.id, ...place });
		if (this.#dialect === 'beta')
			this.#send({ type: 'conversation.item.created', item: shown, ...place });
		else {
			this.#send({ type: 'conversation.item.added', item: shown, ...place });
			this.#send({ type: 'conversation.item.done', item: shown, ...place });
		}
		this.#unfinished.add(item);
		void item.ended.then(() => this.#unfinished.delete(item));
		await item.commit(this.#listenerOf(item.id));
		while (this.#unfinished.size >= maxUnfinished && !this.#stop.signal.aborted)
			await Promise.race([...this.#unfinished].map(({ ended }) => ended));
	}

	#listenerOf(id: string): RealtimeItemListener {
		const record = this.#deps.record(this.#options.model);
		const place = { item_id: id, content_index: 0 as const };
		const begin = 'conversation.item.input_audio_transcription' as const;
		const { logprobs: hasLogprobs } = this.#options;
		return {
			model: (id) => {
				record.model = id;
			},
			delta: ({ delta, logprobs }) => {
				record.firstToken();
				this.#send({
					type: `${begin}.delta`,
					...place,
					delta,
					...(hasLogprobs ? { logprobs: logprobs.map(plainLogprob) } : {}),
				});
			},
			done: (transcript) => {
				record.done();
				const { logprobs } = transcript;
				this.#send({
					type: `${begin}.completed`,
					...place,
					transcript: transcript.text,
					...(logprobs === undefined ? {} : { logprobs: logprobs.map(plainLogprob) }),
					usage: speechUsageOf(transcript),
				});
			},
			failed: (error) => {
				record.done(error);
				const shown = realtimeError(this.#deps.shownError(error));
				this.#send({ type: `${begin}.failed`, ...place, error: shown });
			},
		};
	}

	#shown(dialect: RealtimeDialect) {
		return shownSession(dialect, this.#options, this.#id, this.#deps.expiresAt);
	}

	#send(event: RealtimeServerEvent): void {
		if (this.#stop.signal.aborted) return;
		this.#deps.send({ ...event, event_id: `event_${this.#deps.randomId()}` });
	}
}
