/** Passes one HTTP exchange through to the app: streamed both ways, nothing buffered. */

import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { closedUnanswered, isIdempotent } from '../../net/closedUnanswered.ts';
import { onClose } from '../../net/onClose.ts';
import { watchBody } from '../../net/slowBody.ts';
import { asAppError } from '../../protocol/errorWire.ts';
import type { SignInCode } from '../../protocol/signInCodes.ts';
import type { GatewaySettings } from '../config/gatewaySettings.ts';
import { endWithEvent } from './lastEvent.ts';
import { type Problem, sendProblem } from './problem.ts';
import { valuesOf } from './rawHeaders.ts';
import type { Upstream } from './upstream.ts';

export interface ForwardOptions {
	readonly upstream: Upstream;
	readonly limits: GatewaySettings['limits'];
	readonly target: string;
	readonly headers: readonly string[];
	/** Turns the app's header list into the client's. */
	readonly downstream: (raw: readonly string[]) => string[];
	/** Lines added to the answer. */
	readonly extraHeaders: readonly string[];
	/** Aborted when a stream of events has to end; its reason is the last event. */
	readonly over: AbortSignal;
	/** Told once how it ended. */
	readonly onEnd: (outcome: { status: number; upstreamMs: number | undefined }) => void;
}

const bodiless = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE']);

const unusable: Problem = {
	status: 502,
	code: 'upstream_failed',
	detail: 'The app behind this address gave an answer that is not valid HTTP.',
};

/** @param isDone whether the app may have done what was asked, and would do it twice */
const unanswered = (reason: string, isDone: boolean): Problem => ({
	status: 502,
	code: 'upstream_failed',
	detail: `The app behind this address did not answer (${reason}). ${isDone ? 'What was sent may have been done: look before you send it again.' : 'Try again, or ask whoever runs it.'}`,
	...(isDone ? {} : { headers: { 'Retry-After': '2' } }),
});

/** Forwards; every way it can end produces an answer or a cut connection, never a hang. */
export function forwardRequest(
	request: IncomingMessage,
	response: ServerResponse,
	options: ForwardOptions,
): void {
	const started = performance.now();
	const hasBody =
		valuesOf(options.headers, 'transfer-encoding').length > 0 ||
		Number(valuesOf(options.headers, 'content-length')[0] ?? 0) > 0;
	const headers = [...options.headers];
	if (
		!hasBody &&
		!bodiless.has(request.method ?? '') &&
		valuesOf(headers, 'content-length').length === 0
	) {
		headers.push('Content-Length', '0');
	}
	let call: ClientRequest | undefined;
	let upstreamMs: number | undefined;
	let ended = false;
	let answered = false;
	const end = (status: number) => {
		if (ended) return;
		ended = true;
		options.onEnd({ status, upstreamMs });
	};
	const fail = (problem: Problem) => {
		if (!response.headersSent && !request.complete) response.shouldKeepAlive = false;
		sendProblem(response, problem);
		end(problem.status);
	};
	const giveUp = () => {
		if (answered) return;
		call?.destroy();
		const detail = asAppError(options.over.reason).message;
		fail({ status: 503, code: 'server_ending', detail, headers: { 'Retry-After': '2' } });
	};
	options.over.addEventListener('abort', giveUp, { once: true });
	onClose(response, () => {
		options.over.removeEventListener('abort', giveUp);
		call?.destroy();
		end(response.writableFinished ? response.statusCode : 499);
	});
	if (response.destroyed) return;

	const attempt = (retry: boolean) => {
		const open = options.upstream.open({
			method: request.method ?? 'GET',
			target: options.target,
			headers,
			single: false,
		});
		call = open;
		let isSent = false;
		open.once('socket', (socket) => {
			if (socket.connecting) socket.once('connect', () => (isSent = true));
			else isSent = true;
		});
		const clear = watch(open, request, options.limits, hasBody, (status, code, detail) => {
			open.destroy();
			fail({ status, code, detail });
		});
		open.once('response', (answer) => {
			clear();
			upstreamMs = performance.now() - started;
			answered = true;
			try {
				deliver(answer, request, response, options);
			} catch {
				// The parser lets bytes through that may not be written again.
				open.destroy();
				response.statusMessage = '';
				fail(unusable);
			}
		});
		open.once('error', (error: NodeJS.ErrnoException) => {
			clear();
			if (response.destroyed || ended) return;
			// A kept connection may have been closed by the app in the same moment; nothing was processed.
			if (
				retry &&
				open.reusedSocket &&
				closedUnanswered(error) &&
				!hasBody &&
				!response.headersSent
			) {
				attempt(false);
				return;
			}
			fail(unanswered(error.code ?? 'connection failed', isSent && !isIdempotent(request.method)));
		});
		// An app that switches protocols unasked closes without an answer or an error.
		open.once('close', () => {
			clear();
			if (!answered && call === open && !response.destroyed && !ended) fail(unusable);
		});
		if (hasBody) pipeline(request, open, () => {});
		else open.end();
	};
	attempt(bodiless.has(request.method ?? ''));
}

function deliver(
	answer: IncomingMessage,
	request: IncomingMessage,
	response: ServerResponse,
	options: ForwardOptions,
): void {
	if (response.destroyed) {
		answer.destroy();
		return;
	}
	if (!request.complete) response.shouldKeepAlive = false;
	response.writeHead(answer.statusCode ?? 502, answer.statusMessage, [
		...options.downstream(answer.rawHeaders),
		...options.extraHeaders,
	]);
	// The first bytes of a stream must not wait for a second chunk.
	response.flushHeaders();
	const clear = endWithEvent(answer, response, options.over);
	pipeline(answer, response, (error) => {
		clear();
		if (error) response.destroy();
	});
}

type OnTimeout = (status: number, code: SignInCode, detail: string) => void;

/** Starts the three clocks of a call: connection, first byte, pace of the upload. */
function watch(
	open: ClientRequest,
	request: IncomingMessage,
	limits: GatewaySettings['limits'],
	hasBody: boolean,
	onTimeout: OnTimeout,
): () => void {
	const timers = new Set<NodeJS.Timeout>();
	let stopWatch = () => {};
	const start = (ms: number, run: () => void) => {
		const timer = setTimeout(run, ms);
		timers.add(timer);
		return timer;
	};
	const connect = start(limits.connectMs, () =>
		onTimeout(
			504,
			'upstream_connect_timeout',
			`The app behind this address could not be reached within ${limits.connectMs / 1000} s.`,
		),
	);
	open.once('socket', (socket) => {
		if (socket.connecting) socket.once('connect', () => clearTimeout(connect));
		else clearTimeout(connect);
	});
	const first = () =>
		start(limits.responseMs, () =>
			onTimeout(
				504,
				'upstream_timeout',
				`The app behind this address did not begin to answer within ${limits.responseMs / 1000} s.`,
			),
		);
	if (hasBody) {
		const slow = () =>
			onTimeout(408, 'upload_timeout', `Nearly nothing came for ${limits.uploadIdleMs / 1000} s.`);
		stopWatch = watchBody(request, slow, limits.uploadIdleMs);
		request.once('end', first);
	} else first();
	return () => {
		for (const timer of timers) clearTimeout(timer);
		timers.clear();
		stopWatch();
	};
}
