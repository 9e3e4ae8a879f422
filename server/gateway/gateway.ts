/** The sign-in layer as one server: takes settings and dependencies, listens, and ends cleanly. */

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex, Writable } from 'node:stream';
import { AppError } from '../protocol/errors.ts';
import { FailureLimit } from './access/rateLimit.ts';
import type { GatewaySettings } from './config/settings.ts';
import type { GatewayContext } from './context.ts';
import { Assertions } from './identity/assertion.ts';
import type { LoadedKeys } from './keys/keyFile.ts';
import { createAdminServer } from './observe/adminServer.ts';
import { openAuditLog } from './observe/audit.ts';
import { Metrics } from './observe/metrics.ts';
import { createProviders, type ProviderRegistry } from './providers/registry.ts';
import { sendRawProblem } from './proxy/problem.ts';
import { Upstream } from './proxy/upstream.ts';
import { RequestHandler } from './requestHandler.ts';
import { createLoginCookies } from './session/loginState.ts';
import { Refresher } from './session/refresher.ts';
import { Sessions } from './session/sessions.ts';
import type { Store } from './store/store.ts';

export interface GatewayDeps {
	readonly keys: LoadedKeys;
	readonly store: Store;
	readonly fetch: typeof fetch;
	readonly now: () => number;
	/** Where audit lines go when the settings name no file. */
	readonly log: Writable;
	/** Stand in for the providers of the settings. */
	readonly providers?: ProviderRegistry;
}

export interface Gateway {
	/** Address it listens on, `http://127.0.0.1:8080`. */
	readonly url: string;
	readonly port: number;
	readonly adminUrl: string | undefined;
	readonly metrics: Metrics;
	/** Reads the keys again. */
	reloadKeys(): void;
	/** Stops taking requests, lets running ones end within the settings' time, then cuts. */
	close(): Promise<void>;
}

/**
 * Starts the layer.
 *
 * @param upstreamAddress Where the app is.
 * @param listen Host and port; port 0 takes a free one.
 * @throws AppError `port_in_use`, `invalid_request`.
 */
export async function startGateway(
	settings: GatewaySettings,
	upstreamAddress: string,
	listen: { readonly host: string; readonly port: number },
	deps: GatewayDeps,
): Promise<Gateway> {
	const upstream = new Upstream(upstreamAddress);
	const context = createContext(settings, deps);
	const { audit, metrics } = context;
	const handler = new RequestHandler(context, upstream);
	const server = openServer(settings);
	const sockets = new Set<Duplex>();
	server.on('connection', (socket: Socket) => {
		sockets.add(socket);
		socket.once('close', () => sockets.delete(socket));
	});
	server.on(
		'request',
		(request: IncomingMessage, response: ServerResponse) =>
			void handler.request(request, response, false).catch(() => response.destroy()),
	);
	server.on(
		'checkContinue',
		(request: IncomingMessage, response: ServerResponse) =>
			void handler.request(request, response, true).catch(() => response.destroy()),
	);
	server.on(
		'upgrade',
		(request: IncomingMessage, socket: Duplex, head: Buffer) =>
			void handler.upgrade(request, socket, head).catch(() => socket.destroy()),
	);
	server.on('connect', (_request, socket: Duplex) =>
		sendRawProblem(socket, {
			status: 405,
			code: 'method_not_allowed',
			detail: 'CONNECT is not allowed.',
		}),
	);
	server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) =>
		refuseBroken(error, socket),
	);
	await listenOn(server, listen);
	const port = (server.address() as AddressInfo).port;
	const admin =
		settings.adminPort === undefined
			? undefined
			: await createAdminServer(settings.adminPort, context, () => handler.openExchanges);
	audit.write({ event: 'started' });
	const scheme = settings.tls ? 'https' : 'http';
	const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
	let closing: Promise<void> | undefined;

	const close = async (): Promise<void> => {
		handler.closing = true;
		const ended = new Promise<void>((resolve) => {
			server.close(() => resolve());
		});
		// A kept connection turns idle only when its last answer is out.
		const sweep = setInterval(() => server.closeIdleConnections(), 100);
		server.closeIdleConnections();
		const timer = setTimeout(() => {
			server.closeAllConnections();
			for (const socket of sockets) socket.destroy();
		}, settings.limits.shutdownMs);
		// Upgraded connections have no end of their own: they are told first.
		handler.endTunnels();
		await ended;
		clearTimeout(timer);
		clearInterval(sweep);
		await admin?.close();
		upstream[Symbol.dispose]();
		deps.keys[Symbol.dispose]();
		await deps.store[Symbol.asyncDispose]();
		audit.write({ event: 'stopped' });
		audit[Symbol.dispose]();
	};
	return {
		url: `${scheme}://${host}:${port}`,
		port,
		adminUrl: admin?.url,
		metrics,
		reloadKeys() {
			const reason = deps.keys.reload();
			audit.write({ event: 'keys_reloaded', ...(reason === undefined ? {} : { reason }) });
		},
		close: () => {
			closing ??= close();
			return closing;
		},
	};
}

function createContext(settings: GatewaySettings, deps: GatewayDeps): GatewayContext {
	const { now, store, keys } = deps;
	const metrics = new Metrics();
	const sessions = new Sessions(store, keys.ring, settings.login, now);
	const issuer = `${settings.publicUrl.origin}/`;
	const audience = settings.headers.assertionAudience;
	return {
		settings,
		store,
		sessions,
		metrics,
		now,
		ring: keys.ring,
		providers:
			deps.providers ??
			createProviders(settings.providers, {
				fetch: deps.fetch,
				now,
				timeoutMs: settings.limits.providerMs,
			}),
		refresher: new Refresher(sessions, store, metrics, now, settings.limits.refreshLeaseMs),
		loginCookies: createLoginCookies(keys.ring, settings, now),
		tokens: { ring: keys.ring, issuer, now, verified: new Map() },
		assertions:
			audience === undefined ? undefined : new Assertions(keys.ring, issuer, audience, now),
		audit: openAuditLog(settings.auditFile, deps.log, now),
		failures: new FailureLimit(settings.limits.failuresPerMinute, now),
	};
}

function openServer(settings: GatewaySettings): Server {
	const options = {
		insecureHTTPParser: false,
		maxHeaderSize: 32 * 1024,
		headersTimeout: 30_000,
		// Uploads may be long; pauses inside them are watched where they are forwarded.
		requestTimeout: 0,
		keepAliveTimeout: 65_000,
		noDelay: true,
	};
	if (!settings.tls) return createServer(options);
	return createSecureServer({
		...options,
		cert: readFileSync(settings.tls.certFile),
		key: readFileSync(settings.tls.keyFile),
		minVersion: 'TLSv1.2',
	});
}

function refuseBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
	if (error.code === 'ECONNRESET' || !socket.writable) {
		socket.destroy();
		return;
	}
	const status =
		error.code === 'HPE_HEADER_OVERFLOW'
			? 431
			: error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
				? 408
				: 400;
	sendRawProblem(socket, {
		status,
		code: 'malformed_request',
		detail: 'The request is not valid HTTP/1.1 or its head is too long.',
	});
}

function listenOn(
	server: Server,
	{ host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
	return new Promise((resolve, reject) => {
		server.once('error', (error: NodeJS.ErrnoException) => {
			const taken = error.code === 'EADDRINUSE';
			const words = taken
				? `Port ${port} is in use. Choose another with --port.`
				: `Cannot listen on ${host}:${port}: ${error.message}`;
			reject(new AppError(taken ? 'port_in_use' : 'internal', words, { cause: error }));
		});
		server.listen(port, host, () => {
			server.removeAllListeners('error');
			resolve();
		});
	});
}
