/** A running daemon as other processes see it: requests with its key, errors as AppError. */

import { health, shutdown } from '../protocol/addresses.ts';
import { Client, sender } from '../protocol/client.ts';
import { AppError, type EndpointFile } from '../protocol/index.ts';
import type { AnswerOf } from '../protocol/routes/route.ts';
import { tell } from '../store/notices.ts';

export type DaemonHealth = Required<AnswerOf<typeof health>>;

export interface DaemonConnection extends Pick<Client, 'call' | 'stream' | 'open'> {
	readonly endpoint: EndpointFile;
	/** A request to a path of the daemon, for what no route object describes. Rejects as a call does. */
	request(path: string, init?: RequestInit): Promise<Response>;
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
	const client = new Client(request);
	return {
		get endpoint() {
			return endpoint;
		},
		request,
		call: (route, input, options) => client.call(route, input, options),
		stream: (route, input, options) => client.stream(route, input, options),
		open: (route, input, options) => client.open(route, input, options),
	};
}

async function requestOnce(
	endpoint: EndpointFile,
	path: string,
	init: RequestInit,
): Promise<Response> {
	const send = sender({
		fetch,
		url: endpoint.url,
		key: endpoint.key,
		unreachable: (cause) =>
			new AppError(
				'daemon_unavailable',
				`The Nearglot daemon at ${endpoint.url} does not answer.`,
				{ cause },
			),
	});
	const word = setTimeout(() => void tellSilence(endpoint), wordMs).unref();
	try {
		return await send(path, init);
	} finally {
		clearTimeout(word);
	}
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

/** What the daemon says of itself, or `undefined` when the endpoint is dead or not that daemon. */
export async function healthOf(
	endpoint: EndpointFile,
	timeoutMs = 4000,
): Promise<DaemonHealth | undefined> {
	try {
		const signal = AbortSignal.timeout(timeoutMs);
		const {
			pid,
			version = '',
			idle = false,
			onPurpose = false,
			status,
		} = await connectTo(endpoint).call(health, {}, { signal });
		return pid === endpoint.pid ? { status, pid, version, idle, onPurpose } : undefined;
	} catch {
		return undefined;
	}
}

/** Asks a daemon to end. Resolves to whether it does. */
export async function askToEnd(endpoint: EndpointFile, onlyIdle: boolean): Promise<boolean> {
	try {
		const query = onlyIdle ? { if: 'idle' } : {};
		const { stopping } = await connectTo(endpoint).call(shutdown, { query });
		return stopping;
	} catch {
		return false;
	}
}
