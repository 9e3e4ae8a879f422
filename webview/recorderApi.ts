/** The recorder page's way to the daemon: one recording, opened by a ticket that works once. */

import { AppError, type RecorderCommand, type RecorderEvent } from '../server/protocol/index.ts';
import {
	claimRecorder,
	recorderEvents,
	sendSamples,
	setRecorderState,
} from '../server/protocol/routeAddresses.ts';
import { Client, sender } from '../server/protocol/routeClient.ts';
import { fetchBeside } from './fetchBeside.ts';
import { ownStores } from './ownStore.ts';

const storeName = 'recording';
const retryMs = 500;
const maxTries = 20;
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
			const claimed = await client.call(claimRecorder, { body: { ticket } });
			ownStores().tab.set(storeName, JSON.stringify(claimed));
		}
		const stored = ownStores().tab.get(storeName);
		if (stored === undefined) throw new AppError('forbidden', '');
		const session = JSON.parse(stored) as Session;
		const input = { headers: headersOf(session), body: { state: 'ready' } } as const;
		const { received } = await client.call(setRecorderState, input);
		return new RecorderApi(session, received);
	}

	get recorded(): number {
		return this.#sent + this.#queued;
	}

	/** Events of the recording until it ends; throws its error. */
	events(): AsyncIterable<RecorderEvent> {
		return client.stream(
			recorderEvents,
			{ headers: headersOf(this.#session) },
			{ of: 'recording' },
		);
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
	async sendState(state: RecorderCommand, reason?: string): Promise<void> {
		if (state !== 'cancelled') await this.#sending;
		const body = { state, ...(reason === undefined ? {} : { reason }) };
		await client.call(setRecorderState, { headers: headersOf(this.#session), body });
	}

	async #drain(rateHz: number): Promise<void> {
		while (this.#queued > 0) {
			const piece = this.#take();
			const query = { rate: String(rateHz), from: String(this.#sent) };
			const body = new Uint8Array(piece.buffer);
			const input = { query, headers: headersOf(this.#session), body };
			for (let tries = 1; ; tries++) {
				try {
					await client.call(sendSamples, input);
					break;
				} catch (error) {
					const lost = error instanceof AppError && error.code === 'daemon_unavailable';
					if (!lost || tries === maxTries) throw error;
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

const client = new Client(sender({ fetch: fetchBeside }));

const headersOf = ({ token }: Session) => ({ 'x-recorder-token': token });
