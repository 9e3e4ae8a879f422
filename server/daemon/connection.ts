/** A running daemon as other processes see it: requests with its key, errors as AppError. */

import { AppError, type EndpointFile, errorOfBody, retryAfterOf } from '../protocol/index.ts';
import { tell } from '../store/notices.ts';

export interface DaemonHealth {
	readonly pid: number;
	readonly version: string;
	readonly idle: boolean;
	readonly onPurpose: boolean;
}

export interface DaemonConnection {
	readonly endpoint: EndpointFile;
	/** A request to a path of the daemon. Rejects with the daemon's own error when it is not 2xx. */
	request(path: string, init?: RequestInit): Promise<Response>;
	/** GET of JSON. */
	get(path: string, signal?: AbortSignal): Promise<unknown>;
	/** POST of JSON, answered with the open response (for streams). */
	post(path: string, body: unknown, signal?: AbortSignal): Promise<Response>;
}

/** After this people are told for what they wait. */
export const wordMs = 5000;

/** @param successor finds the daemon that has come in the place of one that has ended; nothing was done there */
export function connectTo(
	found: EndpointFile,
	successor?: () => Promise<EndpointFile>,
): DaemonConnection {
	let endpoint = found;
	const request = async (path: string, init: RequestInit = {}) => {
		try {
			return await requestOnce(endpoint, path, init);
		} catch (error) {
			if (successor === undefined || !hasEnded(error)) throw error;
			endpoint = await successor();
			return requestOnce(endpoint, path, init);
		}
	};
	return {
		get endpoint() {
			return endpoint;
		},
		request,
		get: async (path, signal) => (await request(path, signal ? { signal } : {})).json(),
		post: (path, body, signal) =>
			request(path, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(body),
				...(signal ? { signal } : {}),
			}),
	};
}

async function requestOnce(
	endpoint: EndpointFile,
	path: string,
	init: RequestInit,
): Promise<Response> {
	const headers = new Headers(init.headers);
	headers.set('authorization', `Bearer ${endpoint.key}`);
	const word = setTimeout(() => void tellSilence(endpoint), wordMs).unref();
	let response: Response;
	try {
		response = await fetch(new URL(path, endpoint.url), { ...init, headers });
	} catch (error) {
		if (init.signal?.aborted) throw new AppError('cancelled');
		throw new AppError(
			'daemon_unavailable',
			`The Nearglot daemon at ${endpoint.url} does not answer.`,
			{ cause: error },
		);
	} finally {
		clearTimeout(word);
	}
	if (!response.ok) throw await responseError(response);
	return response;
}

/** A daemon that works on an answer still says how it is; one that is frozen does not. */
async function tellSilence(endpoint: EndpointFile): Promise<void> {
	if ((await healthOf(endpoint)) === undefined) tell(waitingFor(endpoint));
}

/** For people who wait. */
export const waitingFor = ({ pid }: EndpointFile): string =>
	`Waiting for the local server, process ${pid}, which does not answer. If it hangs, end it: ${endProcess(pid)}`;

/** The command that ends a process which does not listen any more. */
export const endProcess = (pid: number | undefined): string =>
	process.platform === 'win32' ? `taskkill /F /PID ${pid ?? 'N'}` : `kill -9 ${pid ?? 'N'}`;

/** Whether a daemon has refused a request because it has ended, or is about to. */
function hasEnded(error: unknown): boolean {
	if (!(error instanceof AppError) || error.code !== 'daemon_unavailable') return false;
	const { cause } = error as { cause?: { cause?: { code?: unknown } } };
	return cause === undefined || cause.cause?.code === 'ECONNREFUSED';
}

/** The error in an answer's body, of whichever family of routes. */
export async function responseError(response: Response): Promise<AppError> {
	const text = await response.text().catch(() => '');
	let body: unknown;
	try {
		body = JSON.parse(text);
	} catch {
		// A page of a proxy in between is quoted below.
	}
	return (
		errorOfBody(body, response.status, retryAfterOf(response.headers)) ??
		new AppError('internal', `The daemon answered ${response.status}: ${text.slice(0, 300)}`)
	);
}

/** Restores what `errorBody` wrote into a stream. */
export function errorFromBody(value: unknown): AppError {
	return (
		errorOfBody(value, 500) ??
		new AppError('internal', 'The daemon reported a failure in a form that is not understood.')
	);
}

/** What the daemon says of itself, or `undefined` when the endpoint is dead or not that daemon. */
export async function healthOf(
	endpoint: EndpointFile,
	timeoutMs = 4000,
): Promise<DaemonHealth | undefined> {
	try {
		const value = await connectTo(endpoint).get('/health', AbortSignal.timeout(timeoutMs));
		const health = value as DaemonHealth;
		return health.pid === endpoint.pid ? health : undefined;
	} catch {
		return undefined;
	}
}

/** Asks a daemon to end. Resolves to whether it does. */
export async function askToEnd(endpoint: EndpointFile, onlyIdle: boolean): Promise<boolean> {
	try {
		const path = `/nearglot/shutdown${onlyIdle ? '?if=idle' : ''}`;
		const answer = await (await connectTo(endpoint).request(path, { method: 'POST' })).json();
		return (answer as { stopping?: boolean }).stopping === true;
	} catch {
		return false;
	}
}
