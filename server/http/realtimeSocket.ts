/** The wire of a live session: messages in their order, no more than can be worked on, and a clear end. */

import type { WebSocket } from 'ws';
import { AppError, asAppError } from '../protocol/index.ts';
import { smallBody } from '../protocol/routes/bodyLimits.ts';
import type { RealtimeLimits } from '../services/speech/realtime/realtimeLimits.ts';
import { yieldToOthers } from '../work/yieldToOthers.ts';
import { jsonOf } from './bodyThread.ts';
import { HeldBytes } from './heldBytes.ts';

/** What a socket does for its session. */
export interface RealtimePeer {
	handle(event: unknown): Promise<void>;
	fail(error: AppError): void;
	readonly busy: boolean;
	close(): Promise<void>;
}

/** Bytes that wait for their turn before no more are read. */
const maxWaitingBytes = 256 * 1024;
/** Messages that do. */
const maxWaiting = 64;

/** Status codes of WebSocket connections that end. */
const closeCodes = { normal: 1000, goingAway: 1001, policy: 1008, tryAgain: 1013 } as const;

/** Sends one event; a client that reads too slowly is let go. */
export function eventSender(
	socket: WebSocket,
	{ maxUnreadBytes, closeMs }: RealtimeLimits,
): (event: object) => void {
	return (event) => {
		if (socket.readyState !== socket.OPEN) return;
		if (socket.bufferedAmount > maxUnreadBytes) {
			endSocket(socket, closeCodes.policy, 'The events are read too slowly.', closeMs);
			return;
		}
		socket.send(JSON.stringify(event));
	};
}

/**
 * Serves a session until its connection is closed; then its work has ended.
 * @param signal aborted when the connection is gone, or, with a reason, when the server ends or the key is revoked
 */
export async function serveRealtime(
	socket: WebSocket,
	peer: RealtimePeer,
	limits: RealtimeLimits,
	signal: AbortSignal,
): Promise<void> {
	const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
	const end = (code: number, error: AppError) => {
		peer.fail(error);
		endSocket(socket, code, error.message, limits.closeMs);
	};
	const clock = watch(socket, peer, limits, end);
	const inbox = new Inbox(socket, peer, clock.heard);
	const onAbort = () => {
		const { reason } = signal;
		if (!(reason instanceof AppError)) socket.terminate();
		else if (reason.code === 'invalid_api_key') end(closeCodes.policy, reason);
		else end(closeCodes.goingAway, reason);
	};
	if (signal.aborted) onAbort();
	signal.addEventListener('abort', onAbort, { once: true });
	// Told with the close event, too.
	socket.on('error', () => {});
	socket.on('message', (data: Buffer, isBinary) => inbox.add(data, isBinary));
	try {
		await closed;
	} finally {
		clock.stop();
		inbox.stop();
		signal.removeEventListener('abort', onAbort);
		await peer.close();
	}
}

/** Messages that wait for their turn. */
class Inbox {
	readonly #socket: WebSocket;
	readonly #peer: RealtimePeer;
	readonly #heard: () => void;
	#waiting: { readonly data: Buffer; readonly isBinary: boolean }[] = [];
	#bytes = 0;
	#working = false;
	#stopped = false;

	constructor(socket: WebSocket, peer: RealtimePeer, heard: () => void) {
		this.#socket = socket;
		this.#peer = peer;
		this.#heard = heard;
	}

	add(data: Buffer, isBinary: boolean): void {
		if (this.#stopped) return;
		this.#heard();
		this.#waiting.push({ data, isBinary });
		this.#bytes += data.length;
		if (this.#isFull && !this.#socket.isPaused) this.#socket.pause();
		if (!this.#working) void this.#work();
	}

	stop(): void {
		this.#stopped = true;
		this.#waiting = [];
	}

	get #isFull(): boolean {
		return this.#bytes > maxWaitingBytes || this.#waiting.length > maxWaiting;
	}

	async #work(): Promise<void> {
		this.#working = true;
		for (;;) {
			const next = this.#waiting.shift();
			if (next === undefined || this.#stopped) break;
			const { length } = next.data;
			// Thousands of small messages are worked on by promises alone, which let nobody else have the loop.
			await yieldToOthers(true);
			if (this.#stopped) break;
			await this.#read(next.data, next.isBinary);
			this.#bytes -= length;
			this.#heard();
			if (!this.#isFull && this.#socket.isPaused) this.#socket.resume();
		}
		this.#working = false;
	}

	async #read(data: Buffer, isBinary: boolean): Promise<void> {
		try {
			using held = new HeldBytes();
			held.add(data.length);
			if (isBinary)
				throw new AppError(
					'invalid_request',
					'Messages are texts with JSON; send sound as base64 in input_audio_buffer.append.',
				);
			// In memory of its own, since a large message goes to a thread.
			await this.#peer.handle(await jsonOf(new Uint8Array(data), smallBody));
		} catch (error) {
			const noJson = new AppError('invalid_json', 'A message is no JSON.');
			this.#peer.fail(error instanceof SyntaxError ? noJson : asAppError(error));
		}
	}
}

interface Clock {
	/** Something came, or was worked on. */
	heard(): void;
	stop(): void;
}

/** Ends what is silent, over its time, or has nobody at the other end. */
function watch(
	socket: WebSocket,
	peer: RealtimePeer,
	{ idleMs, maxMs, pingMs }: RealtimeLimits,
	end: (code: number, error: AppError) => void,
): Clock {
	let unanswered = false;
	const minutes = (ms: number) => `${Math.round(ms / 6000) / 10} min`;
	socket.on('pong', () => {
		unanswered = false;
	});
	const pings = setInterval(() => {
		// What is not read tells nothing.
		if (socket.isPaused) return;
		if (unanswered) socket.terminate();
		else {
			unanswered = true;
			socket.ping();
		}
	}, pingMs);
	const idle = setTimeout(() => {
		if (peer.busy) idle.refresh();
		else
			end(
				closeCodes.normal,
				new AppError(
					'timeout',
					`Nothing came for ${minutes(idleMs)}, so the session has ended. Open another one.`,
				),
			);
	}, idleMs);
	const whole = setTimeout(
		() =>
			end(
				closeCodes.normal,
				new AppError(
					'timeout',
					`A session may last ${minutes(maxMs)}; this one has ended. Open another one.`,
				),
			),
		Math.min(maxMs, 2 ** 31 - 1),
	);
	return {
		heard: () => {
			unanswered = false;
			idle.refresh();
		},
		stop: () => {
			clearInterval(pings);
			clearTimeout(idle);
			clearTimeout(whole);
		},
	};
}

/** Says goodbye; whoever does not answer is cut off. */
function endSocket(socket: WebSocket, code: number, reason: string, closeMs: number): void {
	if (socket.readyState !== socket.OPEN) return;
	if (socket.isPaused) socket.resume();
	// A reason has at most 123 bytes.
	const short = new TextDecoder().decode(new TextEncoder().encode(reason).subarray(0, 120));
	const cut = short.indexOf('\uFFFD');
	socket.close(code, cut < 0 ? short : short.slice(0, cut));
	setTimeout(() => socket.terminate(), closeMs).unref();
}
