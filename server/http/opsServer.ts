/**
 * The port of those who run a server: whether it lives, whether it wants requests, and how much it has to do. Numbers
 * only, so it needs no key and answers to any address; nothing can be changed here.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Backend } from '../daemon/backend.ts';
import type { Shared } from '../daemon/sharedBackend.ts';
import { bind } from '../net/bind.ts';
import { createMetrics, type Gauge } from '../net/metrics.ts';
import { sharedGauges, sharedStoreHelp } from '../services/daemonMetrics.ts';
import type { LimitCounts } from '../services/limits/limitCounts.ts';
import type { ServerLoad } from '../services/serverLoad.ts';

/** Names of the gauges: our own ones, or besides those the ones that routers for vLLM read. */
export const metricNames = ['nearglot', 'vllm'] as const;
export type MetricNames = (typeof metricNames)[number];

export interface OpsOptions {
	/** 0 = any free one. */
	readonly port: number;
	readonly host: string;
	readonly names: MetricNames;
}

export interface OpsServer {
	/** `http://HOST:PORT` */
	readonly url: string;
	close(): Promise<void>;
}

const help = {
	nearglot_requests_waiting: 'Requests that wait for a turn, in whatever queue.',
	nearglot_requests_running: 'Sequences, texts and recordings that models work on.',
	nearglot_kv_cache_usage_ratio: 'Share of the key-value caches that is taken, the fullest model.',
	nearglot_models_loaded: 'Models in memory.',
	nearglot_resident_bytes: 'Resident memory of the daemon, without its runners.',
	nearglot_shared_store_up: sharedStoreHelp,
	nearglot_ready: 'Whether requests should be sent here.',
	'vllm:num_requests_waiting': 'nearglot_requests_waiting.',
	'vllm:num_requests_running': 'nearglot_requests_running.',
	'vllm:kv_cache_usage_perc': 'nearglot_kv_cache_usage_ratio.',
};

/** What the second port may name, in either spelling. */
export const opsMetricNames: readonly string[] = Object.keys(help);

const { render } = createMetrics({ help, buckets: [] });

const paths: readonly string[] = ['/livez', '/readyz', '/metrics'];

/** Whether a request is one of those, so that the port of all others may answer it, too. */
export const isOpsPath = (url: string): boolean => paths.includes(url.split('?', 1)[0] ?? '');

type OpsBackend = Pick<Backend, 'ending' | 'load'> & {
	readonly people?: { readonly counts: Pick<LimitCounts, 'isShared'> };
	readonly shared?: Pick<Shared, 'isThere'> | undefined;
};

/** Opens the port. Rejects with `port_in_use` and `invalid_request`, for a host that is not of this machine. */
export async function listenOps(backend: OpsBackend, options: OpsOptions): Promise<OpsServer> {
	const server = createServer(
		{ requestTimeout: 10_000, headersTimeout: 10_000 },
		answerOps(backend, options.names),
	);
	// A probe is one short request.
	server.maxConnections = 256;
	await bind(server, options, { port: '--ops-port', host: '--ops-host' });
	const { port } = server.address() as AddressInfo;
	const shown = options.host.includes(':') ? `[${options.host}]` : options.host;
	return {
		url: `http://${shown}:${port}`,
		close: async () => {
			const closed = new Promise((resolve) => server.close(resolve));
			server.closeAllConnections();
			await closed;
		},
	};
}

/** Answers what comes to the port. */
export const answerOps =
	(backend: OpsBackend, names: MetricNames) =>
	(request: IncomingMessage, response: ServerResponse): void => {
		void answer(backend, names, request, response).catch(() => response.destroy());
	};

async function answer(
	backend: OpsBackend,
	names: MetricNames,
	{ method = '', url = '' }: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const send = (status: number, text: string, type = 'text/plain; charset=utf-8') => {
		response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
		response.end(method === 'HEAD' ? undefined : text);
	};
	const path = url.split('?', 1)[0] ?? '';
	if (!paths.includes(path)) return send(404, `Known: ${paths.join(', ')}.\n`);
	if (method !== 'GET' && method !== 'HEAD') {
		response.setHeader('allow', 'GET, HEAD');
		return send(405, `${path} takes GET.\n`);
	}
	if (path === '/livez') return send(200, 'ok\n');
	if (path === '/readyz')
		return backend.ending.isReady()
			? send(200, `ready\n${sharedLine(backend)}`)
			: send(503, `not ready\n${backend.ending.reasons.map((each) => `${each}\n`).join('')}`);
	const gauges = [
		...gaugesOf(await backend.load(), backend.ending.takesRequests, names),
		...sharedGauges(backend.shared),
	];
	return send(200, render(gauges), 'text/plain; version=0.0.4; charset=utf-8');
}

/** Requests go on being answered when replicas cannot reach what they share. */
function sharedLine({ people, shared }: OpsBackend): string {
	const isAlone = people?.counts.isShared === false || shared?.isThere === false;
	return isAlone
		? 'limits: counted by this replica alone, because the store that replicas share is away; responses are not kept meanwhile, and changes of keys and systems wait\n'
		: '';
}

function gaugesOf(load: ServerLoad, isReady: boolean, names: MetricNames): Gauge[] {
	const own: Gauge[] = [
		{ name: 'nearglot_requests_waiting', value: load.waiting },
		{ name: 'nearglot_requests_running', value: load.running },
		{ name: 'nearglot_kv_cache_usage_ratio', value: load.kvShare },
		{ name: 'nearglot_models_loaded', value: load.modelsLoaded },
		{ name: 'nearglot_resident_bytes', value: process.memoryUsage.rss() },
		{ name: 'nearglot_ready', value: Number(isReady) },
	];
	if (names === 'nearglot') return own;
	return [
		...own,
		{ name: 'vllm:num_requests_waiting', value: load.waiting },
		{ name: 'vllm:num_requests_running', value: load.running },
		{ name: 'vllm:kv_cache_usage_perc', value: load.kvShare },
	];
}
