/** Puts the app on a socket: port, host, time limits, and messages for what can go wrong. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Backend } from '../daemon/backend.ts';
import type { Listener } from '../daemon/daemon.ts';
import { bind } from '../net/bind.ts';
import { softEnd } from '../net/endSoftly.ts';
import { asAppError } from '../protocol/index.ts';
import { health, proof } from '../protocol/routes/status.ts';
import { yieldToOthers } from '../work/yieldToOthers.ts';
import { createApp } from './app.ts';
import type { GuardOptions } from './guard.ts';
import { isOpsPath } from './opsServer.ts';
import { refuseTarget, settleTarget } from './settleTarget.ts';
import { takeUpgrades } from './upgrade.ts';

export interface ListenOptions extends Omit<GuardOptions, 'port'> {
	/** 0 = any free one. */
	readonly port: number;
	/** Default 127.0.0.1. */
	readonly host: string;
	/** Answers probes and scrapers at this port, before anything else is asked of them. */
	readonly ops?: (request: IncomingMessage, response: ServerResponse) => void;
	/** Time over which the pace of a body is judged. */
	readonly bodyWindowMs?: number;
}

export async function listen(backend: Backend, options: ListenOptions): Promise<Listener> {
	let port: number | undefined;
	const app = createApp(backend, { ...options, port: () => port });
	// Bodies may be long; those that come too slowly end where they are read.
	const handle = getRequestListener(app.fetch, { overrideGlobalObjects: false });
	const server = createServer(
		{ headersTimeout: 20_000, requestTimeout: 0, keepAliveTimeout: 15_000, noDelay: true },
		(request, response) => {
			try {
				settleTarget(request);
			} catch (error) {
				void refuseTarget(response, asAppError(error));
				return;
			}
			if (options.ops && isOpsPath(request.url ?? '')) return options.ops(request, response);
			const turn = isProbe(request) ? undefined : yieldToOthers();
			if (turn === undefined) void handle(request, response);
			else
				void turn.then(() => {
					if (!response.destroyed) void handle(request, response);
				});
		},
	);
	takeUpgrades(server, app.fetch, backend.ending);
	const end = softEnd(server, backend.ending);
	await bind(server, options);
	({ port } = server.address() as AddressInfo);
	const shown = options.host.includes(':') ? `[${options.host}]` : options.host;
	const reachable = /^(0\.0\.0\.0|\[::\])$/.test(shown) ? '127.0.0.1' : shown;
	return {
		url: `http://${reachable}:${port}`,
		close: (drainMs = 0) => end(drainMs),
	};
}

/** Who looks whether the server is well does not wait behind hundreds that come at once. */
const isProbe = ({ url = '' }: IncomingMessage): boolean =>
	url === health.path || url.startsWith(`${proof.path}?`);
