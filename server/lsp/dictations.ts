/**
 * `nearglot/dictate`: the microphone as text while somebody speaks, through a recorder session of the
 * daemon. The sound comes from a program of this computer, from the editor, or from the recorder page.
 */

import { microphoneRateHz, openSystemMicrophone } from '../audio/systemMicrophone.ts';
import { defined } from '../protocol/defined.ts';
import {
	AppError,
	type DictateParams,
	type DictationEvent,
	type RecorderCommand,
} from '../protocol/index.ts';
import { openRecorder, sendSamples, setRecorderState } from '../protocol/routeAddresses.ts';
import type { Client } from '../protocol/routeClient.ts';

/** A tenth of a second of a program's sound; less would be a request per breath. */
const pieceSamples = microphoneRateHz / 10;

interface Session {
	readonly token: string;
	/** Ends the recording and lets the rest be heard. */
	stop(): Promise<void>;
	/** Samples sent so far. */
	sent: number;
}

/** The dictations of one editor, by the ids it gave them. */
export class Dictations {
	readonly #client: Client;
	readonly #env: NodeJS.ProcessEnv;
	readonly #sessions = new Map<string, Session>();

	constructor(client: Client, env: NodeJS.ProcessEnv) {
		this.#client = client;
		this.#env = env;
	}

	/** Resolves to the whole text when the recording has ended and everything is heard. */
	async run(
		params: DictateParams,
		onEvent: (event: DictationEvent) => void,
		signal: AbortSignal,
	): Promise<{ text: string }> {
		const { source, model, language, prompt } = params;
		const body = defined({ model, language, prompt });
		const stop = new AbortController();
		const either = AbortSignal.any([signal, stop.signal]);
		let failure: unknown;
		try {
			const options = { of: 'recording', signal: either } as const;
			for await (const event of this.#client.stream(openRecorder, { body }, options)) {
				if (event.type === 'recorder.session') {
					const session: Session = {
						token: event.token,
						sent: 0,
						stop: () => this.#command(session, 'stopped', signal),
					};
					this.#sessions.set(params.id, session);
					if (source === 'page') onEvent({ type: 'page', url: event.url });
					if (source === 'program') {
						this.#capture(session, onEvent, either).catch((error: unknown) => {
							failure = error;
							stop.abort();
						});
					}
				} else if (event.type === 'recorder.state') onEvent({ type: 'state', state: event.state });
				else if (event.type === 'recorder.level') {
					onEvent({ type: 'level', seconds: event.seconds, level: event.level });
				} else if (event.type === 'transcript.text.delta') {
					onEvent({ type: 'text', delta: event.delta });
				} else if (event.type === 'transcript.text.done') return { text: event.text };
			}
			throw this.#client.cut('recording');
		} catch (error) {
			throw failure ?? (signal.aborted ? new AppError('cancelled') : error);
		} finally {
			this.#sessions.delete(params.id);
			stop.abort();
		}
	}

	/** Ends a recording; the text that was said is still heard. */
	async stop(id: string): Promise<Record<string, never>> {
		await this.#sessions.get(id)?.stop();
		return {};
	}

	/** Sound that the editor itself has recorded: base64 of s16le mono samples. */
	async audio(
		{ id, rate, data }: { readonly id: string; readonly rate: number; readonly data: string },
		signal: AbortSignal,
	): Promise<Record<string, never>> {
		const session = this.#sessions.get(id);
		if (!session) throw new AppError('not_found', 'This dictation has ended.');
		if (session.sent === 0) await this.#command(session, 'recording', signal);
		await this.#send(session, Buffer.from(data, 'base64'), rate, signal);
		return {};
	}

	async #capture(
		session: Session,
		onEvent: (event: DictationEvent) => void,
		signal: AbortSignal,
	): Promise<void> {
		const microphone = await openSystemMicrophone(this.#env, process.platform, signal, (text) =>
			onEvent({ type: 'notice', text }),
		);
		signal.addEventListener('abort', () => microphone.stop(), { once: true });
		onEvent({ type: 'microphone', program: microphone.program });
		session.stop = async () => microphone.stop();
		await this.#command(session, 'recording', signal);
		let waiting: Int16Array[] = [];
		let samples = 0;
		const flush = async () => {
			const pieces = waiting.map((piece) => bytesOf(piece));
			waiting = [];
			samples = 0;
			await this.#send(session, Buffer.concat(pieces), microphoneRateHz, signal);
		};
		for await (const piece of microphone.samples) {
			waiting.push(piece);
			samples += piece.length;
			if (samples >= pieceSamples) await flush();
		}
		await flush();
		await this.#command(session, 'stopped', signal);
	}

	async #send(session: Session, pcm: Buffer, rate: number, signal: AbortSignal): Promise<void> {
		if (pcm.length === 0) return;
		const query = { rate: String(rate), from: String(session.sent) };
		const input = { query, headers: headersOf(session), body: new Uint8Array(pcm) };
		await this.#client.call(sendSamples, input, { signal });
		session.sent += pcm.length / 2;
	}

	async #command(session: Session, state: RecorderCommand, signal: AbortSignal): Promise<void> {
		const input = { headers: headersOf(session), body: { state } };
		await this.#client.call(setRecorderState, input, { signal });
	}
}

const headersOf = ({ token }: Session) => ({ 'x-recorder-token': token });

const bytesOf = ({ buffer, byteOffset, byteLength }: Int16Array) =>
	new Uint8Array(buffer, byteOffset, byteLength);
