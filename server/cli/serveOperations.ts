/** What `serve` does for those who run many: a port for probes, and models that are there before people are. */

import type { Backend } from '../daemon/backend.ts';
import type { Listener } from '../daemon/daemon.ts';
import { type ListenOptions, listen } from '../http/listen.ts';
import { answerOps, listenOps, metricNames, type OpsOptions } from '../http/opsServer.ts';
import { type AppError, asAppError } from '../protocol/index.ts';
import type { ParsedArgs } from './args.ts';
import { UsageError } from './command.ts';

export interface Operations {
	/** Models that are loaded before it is ready, and stay. */
	readonly preload: readonly string[];
	/** Absent: no second port. */
	readonly ops?: OpsOptions;
	/** Address of the second port, once it is open. */
	url?: string;
	/** Why a model could not be loaded: the server ends with it. */
	failure?: AppError;
}

export function operationsOf(options: ParsedArgs): Operations {
	const preload = [...new Set(options.texts('preload'))];
	const port = options.integer('ops-port', 0, 65_535);
	const word = options.text('metrics-names');
	const names = metricNames.find((known) => known === (word ?? 'nearglot'));
	if (names === undefined)
		throw new UsageError(`--metrics-names is one of ${metricNames.join(', ')}, not '${word}'.`);
	const host = options.text('ops-host');
	if (port === undefined) {
		if (host !== undefined || word !== undefined)
			throw new UsageError('--ops-host and --metrics-names are about a port: add --ops-port N.');
		return { preload };
	}
	return { preload, ops: { port, host: host ?? '127.0.0.1', names } };
}

/** Opens the ports of a server and loads what it has to have; both ports close with the listener. */
export async function openPorts(
	backend: Backend,
	operations: Operations,
	options: ListenOptions,
): Promise<Listener> {
	void backend.ending.prepare(
		preloadModels(backend, operations),
		'models of --preload are being loaded',
	);
	const { ops: asked } = operations;
	const isShared = asked !== undefined && asked.port !== 0 && asked.port === options.port;
	const ops = asked && !isShared ? await listenOps(backend, asked) : undefined;
	if (ops) operations.url = ops.url;
	try {
		const own = isShared ? { ops: answerOps(backend, asked.names) } : {};
		const listener = await listen(backend, { ...options, ...own });
		if (isShared) operations.url = listener.url;
		return {
			url: listener.url,
			// Probes are answered until the last request is.
			close: async (drainMs) => {
				await listener.close(drainMs);
				await ops?.close();
			},
		};
	} catch (error) {
		await ops?.close();
		throw error;
	}
}

/** One after the other: what two loads at once would need is not there on every machine. */
async function preloadModels(backend: Backend, operations: Operations): Promise<void> {
	try {
		for (const name of operations.preload) await backend.host.load(name, { ttlS: 0 });
	} catch (error) {
		if (backend.ending.begun) return;
		backend.ending.begin();
		operations.failure = asAppError(error);
		backend.log.error('a model of --preload could not be loaded', {
			reason: operations.failure.message,
		});
		backend.stop('a model of --preload could not be loaded');
	}
}
