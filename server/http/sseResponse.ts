/** Server-sent events: one writer for every stream, with proof of life and errors in mid-stream. */

import type { Context } from 'hono';
import { type AppError, errorBody } from '../protocol/index.ts';
import type { CallerRole } from './callerRoles.ts';
import type { AppEnv } from './env.ts';
import { httpError } from './httpErrors.ts';
import { abortReasonOf } from './signal.ts';
import { errorFor } from './withoutPaths.ts';

/** Time without an event after which a comment line is sent. */
const heartbeatMs = 15_000;

export interface SseWriter {
	/** `data:` line, with an `event:` line when a name is given. */
	data(value: unknown, event?: string): void;
	/** `: text`, which clients ignore. */
	comment(text: string): void;
}

export interface SseOptions {
	readonly signal: AbortSignal;
	/** Who reads the stream: an error in it may name folders to the owner only. */
	readonly caller: CallerRole;
	/** Sent as the last `data:` line of a good stream. */
	readonly last?: string;
	readonly heartbeatMs?: number;
	/** The event of an error, where it is not the plain `{error:{…}}`. */
	readonly error?: (error: AppError) => { readonly value: unknown; readonly event?: string };
	/** Told of an error in mid-stream. */
	readonly onError?: (error: AppError) => void;
}

/**
 * Runs a producer and answers with its stream. What fails before the first event becomes an ordinary
 * error answer with its status; afterwards it is one last `data: {"error":…}`.
 */
export async function sse(
	options: SseOptions,
	produce: (writer: SseWriter, signal: AbortSignal) => Promise<void>,
): Promise<Response> {
	const encoder = new TextEncoder();
	const stop = new AbortController();
	const signal = AbortSignal.any([options.signal, stop.signal]);
	const stream = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, {
		highWaterMark: Number.POSITIVE_INFINITY,
	});
	const writer = stream.writable.getWriter();
	writer.closed.catch(() => stop.abort());
	let quietSince = performance.now();
	let begun: () => void = () => {};
	const first = new Promise<void>((resolve) => {
		begun = resolve;
	});
	let streaming = false;
	const write = (text: string) => {
		quietSince = performance.now();
		streaming = true;
		begun();
		if (!signal.aborted || abortReasonOf(signal))
			writer.write(encoder.encode(text)).catch(() => stop.abort());
	};
	const send: SseWriter = {
		data: (value, event) => {
			const text = typeof value === 'string' ? value : JSON.stringify(value);
			write(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`);
		},
		comment: (text) => write(`: ${text.replaceAll('\n', ' ')}\n\n`),
	};
	const everyMs = options.heartbeatMs ?? heartbeatMs;
	const timer = setInterval(
		() => {
			if (performance.now() - quietSince >= everyMs) send.comment('still working');
		},
		Math.max(10, everyMs / 4),
	);
	const work = produce(send, signal)
		.then(() => {
			if (options.last !== undefined) send.data(options.last);
		})
		.catch((error) => {
			if (!streaming) throw abortReasonOf(signal) ?? error;
			// Nobody reads on, unless it is we who end it.
			if (signal.aborted && !abortReasonOf(signal)) return;
			const known = abortReasonOf(signal) ?? httpError(error);
			options.onError?.(known);
			const shown = errorFor(options.caller, known);
			const { value, event } = options.error?.(shown) ?? { value: errorBody(shown) };
			send.data(value, event);
		})
		.finally(() => {
			clearInterval(timer);
			writer.close().catch(() => {});
		});
	await Promise.race([first, work]);
	work.catch(() => {});
	return new Response(stream.readable, {
		headers: {
			'content-type': 'text/event-stream; charset=utf-8',
			// Proxies that compress would keep what came until there is enough of it.
			'cache-control': 'no-cache, no-transform',
			'x-accel-buffering': 'no',
		},
	});
}

/** The stream as this request's answer, with the headers noted on the context so far. */
export function withHeaders(context: Context<AppEnv>, response: Response): Response {
	const { body } = response;
	return context.newResponse(body, 200, Object.fromEntries(response.headers));
}
