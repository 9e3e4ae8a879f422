/** Streams whose pieces come as the work goes on, in whatever format: proof of life, errors in mid-stream, slow and lost readers. */

import type { Context } from 'hono';
import type { AppError } from '../protocol/index.ts';
import type { CallerRole } from './callerRoles.ts';
import type { AppEnv } from './env.ts';
import { httpError } from './httpErrors.ts';
import { abortReasonOf } from './signal.ts';
import { errorFor } from './withoutPaths.ts';

/** Time without a piece after which a sign of life is sent. */
const heartbeatMs = 15_000;

export interface StreamedOptions {
	readonly signal: AbortSignal;
	/** Who reads the stream: an error in it may name folders to the owner only. */
	readonly caller: CallerRole;
	readonly heartbeatMs?: number;
	/** Told of an error in mid-stream. */
	readonly onError?: (error: AppError) => void;
}

/** How a stream is written. */
export interface StreamFormat {
	readonly contentType: string;
	/** What says that work goes on, and nothing else; absent where the format has no such thing. */
	readonly heartbeat?: string;
	/** An error in mid-stream, as the last piece. */
	error(error: AppError): string;
	/** What ends a good stream. */
	readonly last?: string;
}

/**
 * Runs a producer and answers with its stream. What fails before the first piece becomes an ordinary
 * error answer with its status; afterwards it is the last piece.
 */
export async function streamedAnswer(
	format: StreamFormat,
	options: StreamedOptions,
	produce: (write: (text: string) => void, signal: AbortSignal) => Promise<void>,
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
	const { heartbeat } = format;
	const everyMs = options.heartbeatMs ?? heartbeatMs;
	const timer =
		heartbeat === undefined
			? undefined
			: setInterval(
					() => {
						if (performance.now() - quietSince >= everyMs) write(heartbeat);
					},
					Math.max(10, everyMs / 4),
				);
	const work = produce(write, signal)
		.then(() => {
			if (format.last !== undefined) write(format.last);
		})
		.catch((error) => {
			if (!streaming) throw abortReasonOf(signal) ?? error;
			// Nobody reads on, unless it is we who end it.
			if (signal.aborted && !abortReasonOf(signal)) return;
			const known = abortReasonOf(signal) ?? httpError(error);
			options.onError?.(known);
			write(format.error(errorFor(options.caller, known)));
		})
		.finally(() => {
			clearInterval(timer);
			writer.close().catch(() => {});
		});
	await Promise.race([first, work]);
	work.catch(() => {});
	return new Response(stream.readable, {
		headers: {
			'content-type': format.contentType,
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
