/** The recorder page's way to the daemon: one recording, opened by a ticket that works once. */

import {
	AppError,
	errorOfBody,
	type RecorderCommand,
	readEvents,
} from '../server/protocol/index.ts';
import { ownStores } from './ownStore.ts';

const storeName = 'recording';
const retryMs = 500;
const mostTries = 20;
/** Samples per request at most: a second at 48 kHz. */
const pieceSamples = 48_000;

interface Session {
	readonly id: string;
	readonly token: string;
}

/** Sends sound in order; what could not be sent is kept and tried again. */
export class RecorderApi {
	readonly #session: Session;
	#queue: Int16Array[] = [];
	#queued = 0;
	#sent: number;
	#sending: Promise<void> | undefined;
	/** Told how many samples lie on each side after every step. */
	onSent: (sent: number, recorded: number) => void = () => {};

	private constructor(session: Session, received: number) {
		this.#session = session;
		this.#sent = received;
	}

	/** Exchanges the ticket in the address; a reloaded page goes on with the recording it had. */
	static async open(): Promise<RecorderApi> {
		const ticket = location.hash.slice(1);
		history.replaceState(null, '', location.pathname);
		if (ticket !== '') {
			const claimed = await call('recorder/claim', { json: { ticket } });
			ownStores().tab.set(storeName, await claimed.text());
		}
		const stored = ownStores().tab.get(storeName);
		if (stored === undefined) throw new AppError('forbidden', '');
		const session = JSON.parse(stored) as Session;
		const answer = await call('recorder/state', { session, json: { state: 'ready' } });
		const { received } = (await answer.json()) as { received: number };
		return new RecorderApi(session, received);
	}

	get recorded(): number {
		return this.#sent + this.#queued;
	}

	/** Events of the recording until it ends; throws its error. */
	async *events(): AsyncGenerator<Record<string, unknown>> {
		const response = await call('recorder/events', { session: this.#session });
		let cause: unknown;
		try {
			for await (const { data } of readEvents(chunksOf(response.body ?? new Blob([]).stream()))) {
				if (data === '[DONE]') return;
				const event = JSON.parse(data) as Record<string, unknown>;
				const error = errorOfBody(event, 200);
				if (error) throw error;
				yield event;
			}
		} catch (error) {
			if (error instanceof AppError) throw error;
			cause = error;
		}
		const message = 'The model server ended in the middle of the recording.';
		throw new AppError('daemon_unavailable', message, { cause });
	}

	send(piece: Int16Array, rateHz: number): void {
		this.#queue.push(piece);
		this.#queued += piece.length;
		this.onSent(this.#sent, this.recorded);
		this.#sending ??= this.#drain(rateHz).finally(() => {
			this.#sending = undefined;
		});
		this.#sending.catch(() => {});
	}

	/** Tells the state once everything recorded before is sent. */
	async tell(state: RecorderCommand, reason?: string): Promise<void> {
		if (state !== 'cancelled') await this.#sending;
		await call('recorder/state', { session: this.#session, json: { state, reason } });
	}

	async #drain(rateHz: number): Promise<void> {
		while (this.#queued > 0) {
			const piece = this.#take();
			const path = `recorder/audio?rate=${rateHz}&from=${this.#sent}`;
			for (let tries = 1; ; tries++) {
				try {
					await call(path, { session: this.#session, bytes: piece });
					break;
				} catch (error) {
					const lost = error instanceof AppError && error.code === 'daemon_unavailable';
					if (!lost || tries === mostTries) throw error;
					await new Promise((resolve) => setTimeout(resolve, retryMs));
				}
			}
			this.#sent += piece.length;
			this.#queued -= piece.length;
			this.onSent(this.#sent, this.recorded);
		}
	}

	/** What waits, joined up to the size of a request. */
	#take(): Int16Array {
		let length = 0;
		let count = 0;
		for (const piece of this.#queue) {
			if (count > 0 && length + piece.length > pieceSamples) break;
			length += piece.length;
			count++;
		}
		const whole = new Int16Array(length);
		let at = 0;
		for (const piece of this.#queue.splice(0, count)) {
			whole.set(piece, at);
			at += piece.length;
		}
		return whole;
	}
}

/** Not every browser can iterate a stream itself. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
	const reader = body.getReader();
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return;
		yield value;
	}
}

interface Call {
	readonly session?: Session;
	readonly json?: unknown;
	readonly bytes?: Int16Array;
}

async function call(path: string, { session, json, bytes }: Call): Promise<Response> {
	const headers = new Headers();
	if (session) headers.set('x-recorder-token', session.token);
	if (json !== undefined) headers.set('content-type', 'application/json');
	if (bytes) headers.set('content-type', 'application/octet-stream');
	const body = bytes ? new Uint8Array(bytes.buffer as ArrayBuffer) : JSON.stringify(json);
	let response: Response;
	try {
		response = await fetch(
			path,
			json === undefined && !bytes ? { headers } : { method: 'POST', headers, body },
		);
	} catch (cause) {
		throw new AppError('daemon_unavailable', 'The model server does not answer.', { cause });
	}
	if (response.ok) return response;
	const found: unknown = await response.json().catch(() => undefined);
	throw errorOfBody(found, response.status) ?? new AppError('internal', String(response.status));
}
