/** Listener for the operator of the layer: metrics, liveness, public keys of the assertion. Nothing in it is secret. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bind } from '../../net/bind.ts';
import type { GatewayContext } from '../context.ts';

export interface AdminServer extends AsyncDisposable {
	readonly url: string;
}

/** @throws AppError `port_in_use`; `invalid_request` for a host that is not of this machine */
export async function createAdminServer(
	place: { readonly host: string; readonly port: number },
	context: GatewayContext,
	openExchanges: () => number,
): Promise<AdminServer> {
	const limits = { requestTimeout: 10_000, headersTimeout: 10_000 };
	const server = createServer(limits, (request, response) => {
		const path = (request.url ?? '').split('?', 1)[0];
		const send = (status: number, type: string, text: string) =>
			response.writeHead(status, { 'Content-Type': type }).end(text);
		if (request.method !== 'GET') send(405, 'text/plain', 'Only GET.\n');
		else if (path === '/metrics') {
			const open = { name: 'nearglot_gateway_open_streams', value: openExchanges() };
			send(200, 'text/plain; version=0.0.4', context.metrics.render([open]));
		} else if (path === '/healthz') send(200, 'application/json', '{"status":"ok"}');
		else if (path === '/jwks')
			send(
				200,
				'application/jwk-set+json',
				JSON.stringify(context.assertions?.publicKeys() ?? { keys: [] }),
			);
		else send(404, 'text/plain', 'Known: /metrics, /healthz, /jwks.\n');
	});
	// Other machines may ask, too: each question is one short request.
	server.maxConnections = 256;
	await bind(server, place, { port: 'x-gateway.adminPort', host: 'x-gateway.adminHost' });
	const shown = place.host.includes(':') ? `[${place.host}]` : place.host;
	return {
		url: `http://${shown}:${(server.address() as AddressInfo).port}`,
		[Symbol.asyncDispose]: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}
