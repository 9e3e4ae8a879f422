/**
 * The answer of a download: `("file", fraction)` lines, `("", 1)`, a pause, one flat JSON object. The
 * clients' parsers decide the details: some read a percentage out of a `Total …%` line, some take the
 * last brace of the last network chunk for the start of the JSON.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { asAppError, type DownloadProgress } from '../protocol/index.ts';
import { abortReasonOf } from './signal.ts';

/** Longest silence between two lines and shortest time between two. */
const lineEveryMs = 100;
/** The result must not share a network chunk with the last line. */
const pauseMs = 80;

export interface DownloadStreamOptions {
	/** Adds the `Total NN% Downloading …` lines that published SDKs parse. */
	readonly totals: boolean;
	/** Leaves the progress lines out: they go to the named pipe. */
	readonly quiet: boolean;
	readonly signal: AbortSignal;
}

/** Streams a download as text; its own failure is the final JSON, never a broken stream. */
export function downloadStream(
	options: DownloadStreamOptions,
	work: (onProgress: (progress: DownloadProgress) => void, signal: AbortSignal) => Promise<void>,
): Response {
	const encoder = new TextEncoder();
	const stop = new AbortController();
	const signal = AbortSignal.any([options.signal, stop.signal]);
	const body = new ReadableStream<Uint8Array>({
		start: async (controller) => {
			const write = (text: string) => {
				if (!signal.aborted || abortReasonOf(signal)) controller.enqueue(encoder.encode(text));
			};
			const line = (progress: DownloadProgress) => {
				const fraction = Math.min(1, progress.fileFraction);
				write(`("${quote(progress.file)}", ${round(fraction)})\n`);
				if (!options.totals) return;
				const total = progress.totalBytes === 0 ? 1 : progress.doneBytes / progress.totalBytes;
				write(`Total ${(100 * Math.min(1, total)).toFixed(2)}% Downloading ${progress.file}\n`);
			};
			let last = 0;
			let file = '';
			let result: string;
			try {
				await work((progress) => {
					if (options.quiet) return;
					const now = performance.now();
					if (progress.file === file && progress.fileFraction < 1 && now - last < lineEveryMs)
						return;
					last = now;
					file = progress.file;
					line(progress);
				}, signal);
				write('("", 1)\n');
				result = resultJson(undefined);
			} catch (error) {
				result = resultJson((abortReasonOf(signal) ?? asAppError(error)).message);
			}
			await sleep(pauseMs);
			write(result);
			if (!signal.aborted || abortReasonOf(signal)) controller.close();
		},
		cancel: () => stop.abort(),
	});
	return new Response(body, {
		headers: {
			'content-type': 'text/plain; charset=utf-8',
			'cache-control': 'no-store',
			'x-accel-buffering': 'no',
		},
	});
}

/** What is said of a download's end, in a stream or in an answer that refuses it. */
export function resultFields(message: string | undefined): Record<string, unknown> {
	return {
		Success: message === undefined,
		ErrorMessage: message ?? null,
		success: message === undefined,
		errorMessage: message ?? null,
	};
}

/** Both casings, and `error` for the client that reads that; flat, because one looks for the last `{`. */
function resultJson(message: string | undefined): string {
	// A brace in the message would be taken for the start of the object.
	const text = message?.replaceAll('{', '(').replaceAll('}', ')') ?? null;
	return JSON.stringify({
		...resultFields(text ?? undefined),
		error: text,
	});
}

const round = (fraction: number) => Math.round(fraction * 10_000) / 10_000;
const quote = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
