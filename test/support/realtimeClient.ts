/** A plain WebSocket to `/v1/realtime`, and its events. */

import assert from 'node:assert/strict';
import { WebSocket } from 'ws';
import { until } from './until.ts';

/** An event, of whichever type. */
export type AnyEvent = Readonly<Record<string, unknown>> & { readonly type: string };

export interface RealtimeClient {
	readonly socket: WebSocket;
	/** Every event so far. */
	readonly seen: AnyEvent[];
	/** Code and reason, once it is closed. */
	readonly closed: { code?: number; reason?: string };
	send(event: object): void;
	/** Appends 16-bit samples in pieces of this many seconds. */
	say(samples: Float32Array, rateHz: number, pieceS?: number): void;
	/** The next event of this type that was not given yet; others are passed over. */
	next(type: string): Promise<AnyEvent>;
	text(): string;
}

export interface RealtimeClientOptions {
	readonly query?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly protocols?: readonly string[];
}

/** Connects; rejects with the status of a refusal, and its body. */
export async function openRealtime(
	url: string,
	{ query = 'intent=transcription', headers = {}, protocols = [] }: RealtimeClientOptions = {},
): Promise<RealtimeClient> {
	const address = `${url.replace(/^http/, 'ws')}/v1/realtime?${query}`;
	const socket = new WebSocket(address, [...protocols], { headers: { ...headers } });
	const seen: AnyEvent[] = [];
	const closed: { code?: number; reason?: string } = {};
	let given = 0;
	socket.on('message', (data) => seen.push(JSON.parse(String(data))));
	socket.on('close', (code, reason) => Object.assign(closed, { code, reason: String(reason) }));
	await new Promise<void>((resolve, reject) => {
		socket.once('open', () => resolve());
		socket.once('error', reject);
		socket.once('unexpected-response', (_, response) => {
			let body = '';
			response.on('data', (part) => {
				body += String(part);
			});
			response.on('end', () => reject(new Error(`${response.statusCode} ${body}`)));
		});
	});
	const send = (event: object) => socket.send(JSON.stringify(event));
	return {
		...{ socket, seen, closed, send },
		say: (samples, rateHz, pieceS = 0.1) => {
			const bytes = pcm16(samples);
			const piece = 2 * Math.round(pieceS * rateHz);
			for (let at = 0; at < bytes.length; at += piece)
				send({
					type: 'input_audio_buffer.append',
					audio: bytes.subarray(at, at + piece).toString('base64'),
				});
		},
		next: async (type) => {
			const find = () => seen.findIndex((event, index) => index >= given && event.type === type);
			await until(
				`there is '${type}' after ${JSON.stringify(seen.slice(given).map((event) => event.type))}`,
				() => find() >= 0 || closed.code !== undefined,
				20_000,
			);
			const at = find();
			assert.notEqual(at, -1, `closed before '${type}': ${JSON.stringify(closed)}`);
			given = at + 1;
			return seen[at] as AnyEvent;
		},
		text: () =>
			seen
				.filter(({ type }) => type.endsWith('transcription.completed'))
				.map(({ transcript }) => transcript)
				.join(' '),
	};
}

export function pcm16(samples: Float32Array): Buffer {
	return Buffer.from(Int16Array.from(samples, (value) => Math.round(value * 32_767)).buffer);
}
