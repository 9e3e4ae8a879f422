/**
 * Waiting for the daemon. If it shows no sign of life for five seconds, the user is told for
 * what; one that shows none for a minute is given up. A daemon that works on a long answer still says how it is.
 */

import { AppError, type EndpointFile } from '../protocol/index.ts';
import { health, notices } from '../protocol/routeAddresses.ts';
import { Client, sender } from '../protocol/routeClient.ts';
import type { AnswerOf } from '../protocol/routes/route.ts';
import { notify } from '../store/notices.ts';
import type { NoticeReader } from './noticeBacklog.ts';
import { provenFetch } from './provenFetch.ts';

export type DaemonHealth = Required<AnswerOf<typeof health>>;

export interface DaemonTimeouts {
	/** After this people are told for what they wait. */
	readonly noticeAfterMs: number;
	/** How much of that is left to a daemon for saying how it is. */
	readonly healthMs: number;
	/** Without a sign of life for so long it is given up. */
	readonly giveUpMs: number;
}

export const defaultDaemonTimeouts: DaemonTimeouts = {
	noticeAfterMs: 5000,
	healthMs: 2000,
	giveUpMs: 60_000,
};

export interface DaemonFetchOptions extends Partial<DaemonTimeouts> {
	/** Who hears what the daemon has to tell while it is waited for; default: a terminal. */
	readonly reader?: NoticeReader | undefined;
}

/**
 * `fetch` from a daemon that has proved itself; reading the answer's body is waiting, too.
 * @throws AppError `daemon_unavailable` when the daemon is given up; the errors of `fetch` otherwise
 */
export async function daemonFetch(
	endpoint: EndpointFile,
	url: URL,
	init: RequestInit,
	{ reader: listener, ...own }: DaemonFetchOptions = {},
): Promise<Response> {
	const timeouts = { ...defaultDaemonTimeouts, ...own };
	const stop = new AbortController();
	const signal = init.signal ? AbortSignal.any([init.signal, stop.signal]) : stop.signal;
	const waitFor = <T>(work: () => Promise<T>): Promise<T> => {
		const wait = watchDaemon(endpoint, timeouts, listener, (error) => stop.abort(error));
		return work().finally(() => wait[Symbol.dispose]());
	};
	const response = await waitFor(() => provenFetch(endpoint, url, { ...init, signal }));
	if (response.body === null) return response;
	const reader = response.body.getReader();
	const body = new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				const { done, value } = await waitFor(() => reader.read());
				if (done) controller.close();
				else controller.enqueue(value);
			},
			cancel: (reason) => reader.cancel(reason),
		},
		// Waits only while the body is read.
		{ highWaterMark: 0 },
	);
	return new Response(body, response);
}

/** Watches a daemon that is waited for, until disposed. */
function watchDaemon(
	endpoint: EndpointFile,
	{ noticeAfterMs, healthMs, giveUpMs }: DaemonTimeouts,
	reader: NoticeReader | undefined,
	giveUp: (error: AppError) => void,
): Disposable {
	let signMs = performance.now();
	let isNotified = false;
	const over = new AbortController();
	const look = async (): Promise<void> => {
		const found = await healthOf(endpoint, healthMs, over.signal);
		if (over.signal.aborted) return;
		const silentMs = performance.now() - signMs;
		if (found !== undefined) {
			signMs = performance.now();
			await notifyBacklog(endpoint, reader);
			if (over.signal.aborted) return;
		} else if (silentMs >= giveUpMs) return giveUp(givenUp(endpoint, giveUpMs));
		else if (!isNotified) {
			isNotified = true;
			notify(waitingFor(endpoint));
		}
		timer = later();
	};
	const later = () => setTimeout(() => void look(), Math.max(0, noticeAfterMs - healthMs)).unref();
	let timer = later();
	return {
		[Symbol.dispose]: () => {
			over.abort();
			clearTimeout(timer);
		},
	};
}

/** Asks without patience. */
const plainClient = (endpoint: EndpointFile): Client =>
	new Client(
		sender({
			fetch: (path, init) => provenFetch(endpoint, new URL(path, endpoint.url), init),
			key: endpoint.key,
		}),
	);

/** What the daemon says of itself, or `undefined` when the endpoint is dead or not that daemon. */
export async function healthOf(
	endpoint: EndpointFile,
	timeoutMs = 4000,
	stop?: AbortSignal,
): Promise<DaemonHealth | undefined> {
	try {
		const late = AbortSignal.timeout(timeoutMs);
		const signal = stop === undefined ? late : AbortSignal.any([late, stop]);
		const {
			pid,
			version = '',
			idle = false,
			persistent = false,
			ending = false,
			replaced = false,
			status,
		} = await plainClient(endpoint).call(health, {}, { signal });
		return pid === endpoint.pid
			? { status, pid, version, idle, persistent, ending, replaced }
			: undefined;
	} catch {
		return undefined;
	}
}

/** Nobody waits longer for words that are in the log as well. */
const noticesMs = 2000;

/** Tells what the daemon had to tell and this reader has not heard. One that is older or frozen says nothing. */
export async function notifyBacklog(
	endpoint: EndpointFile,
	reader: NoticeReader = 'terminal',
): Promise<void> {
	try {
		const signal = AbortSignal.timeout(noticesMs);
		const isNotified = await plainClient(endpoint).call(notices, { query: { reader } }, { signal });
		for (const text of isNotified.notices) notify(text);
	} catch {
		// It answers the request itself, or does not.
	}
}

/** For people who wait. */
export const waitingFor = ({ pid }: EndpointFile): string =>
	`Waiting for the model server, process ${pid}, which is busy, or hangs. This goes on by itself as soon as it answers; it is given up after ${defaultDaemonTimeouts.giveUpMs / 1000} s without a sign of life.`;

function givenUp({ pid }: EndpointFile, silentMs: number): AppError {
	const time = `${Math.round(silentMs / 1000)} s`;
	return new AppError(
		'daemon_unavailable',
		`The model server, process ${pid}, has shown no sign of life for ${time}. Where the computer has too much to do, or was asleep, try again. If that does not help, the server hangs: end it (${endProcess(pid)}), and a new one starts.`,
		// It may have begun to work, so the request is not sent to another one.
		{ cause: new Error('no sign of life') },
	);
}

/** The command that ends a process which does not listen any more. */
export const endProcess = (pid: number | undefined): string =>
	process.platform === 'win32' ? `taskkill /F /PID ${pid ?? 'N'}` : `kill -9 ${pid ?? 'N'}`;
