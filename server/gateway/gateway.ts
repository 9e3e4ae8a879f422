/** The sign-in layer as one server: takes settings and dependencies, listens, and ends cleanly. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { bind } from '../net/bind.ts';
import { Ending } from '../net/ending.ts';
import { softEnd } from '../net/endSoftly.ts';
import type { Metrics } from '../net/metrics.ts';
import { defined } from '../protocol/defined.ts';
import { Disposals } from '../protocol/disposals.ts';
import { AppError } from '../protocol/errors.ts';
import { RateLimit } from './access/rateLimit.ts';
import type { GatewaySettings } from './config/gatewaySettings.ts';
import { type ListenAddress, withBoundPort } from './config/publicUrl.ts';
import type { GatewayContext } from './context.ts';
import { Assertions } from './identity/assertion.ts';
import { type AdminServer, createAdminServer } from './observe/adminServer.ts';
import { gatewayMetrics } from './observe/gatewayMetrics.ts';
import type { GatewayParts } from './openParts.ts';
import { createProviders, type ProviderRegistry } from './providers/registry.ts';
import { leadsBack } from './proxy/hops.ts';
import { sendRawProblem } from './proxy/problem.ts';
import { Upstream } from './proxy/upstream.ts';
import { upstreamProof } from './proxy/upstreamProof.ts';
import { RequestHandler } from './requestHandler.ts';
import { createLoginCookies } from './session/loginState.ts';
import { OpenExchanges } from './session/openExchanges.ts';
import { Refresher } from './session/refresher.ts';
import { Sessions } from './session/sessions.ts';
import { verifiedTokens } from './session/sessionToken.ts';
import { storeProof } from './store/storeProof.ts';

export interface GatewayDeps {
	/** Owned from here on: closed with the layer, and when it cannot start. */
	readonly parts: GatewayParts;
	readonly fetch: typeof fetch;
	/** The wall clock: what is stored, signed or compared with others. */
	readonly now: () => number;
	/** Milliseconds of a clock that is never set: what is measured. */
	readonly elapsed?: () => number;
	/** Makes what stands in for the providers of the settings. */
	readonly providers?: (settings: GatewaySettings) => ProviderRegistry;
}

export interface Gateway {
	/** What the settings have come to, with the port that was bound. */
	readonly settings: GatewaySettings;
	/** Address it listens on, `http://127.0.0.1:8080`. */
	readonly url: string;
	readonly port: number;
	readonly adminUrl: string | undefined;
	readonly metrics: Metrics;
	/** Reads the keys again, and goes on in a new audit file when the old one was moved. */
	reload(): void;
	/**
	 * Ends softly: no longer ready, running requests and tunnels get the time, then a last word.
	 * @param drainMs that of the settings without it
	 */
	close(drainMs?: number): Promise<void>;
}

/**
 * Starts the layer.
 *
 * @param upstreamAddress Where the app is.
 * @param listen Host and port; port 0 takes a free one.
 * @throws AppError `port_in_use`, `invalid_request`.
 */
export async function startGateway(
	given: GatewaySettings,
	upstreamAddress: string,
	listen: ListenAddress,
	deps: GatewayDeps,
): Promise<Gateway> {
	// Owns all that was opened: what is thrown below closes everything again, the ports included.
	await using opened = new Disposals();
	const { audit, keys, tls } = opened.use(deps.parts);
	let serving: RequestHandler | undefined;
	let admin: AdminServer | undefined;
	let open: Disposable | undefined;
	opened.defer(() => {
		if (serving) audit.write({ event: 'stopped' });
	});
	const upstream = opened.use(new Upstream(upstreamAddress));
	// What requests need until the last has ended.
	opened.defer(async () => {
		await admin?.[Symbol.asyncDispose]();
		open?.[Symbol.dispose]();
	});
	const server = openServer(tls);
	const ending = new Ending();
	const end = softEnd(server, ending, () => serving?.tunnels.endQuiet());
	let drainMs = given.limits.shutdownMs;
	// Before all else, as addresses may be waiting for the port; nothing is read before the handlers are there.
	await bind(server, listen);
	// A start that fails has promised nobody an answer.
	opened.defer(() => end(serving ? drainMs : 0));
	const port = (server.address() as AddressInfo).port;
	if (leadsBack(upstream, listen, port))
		throw new AppError(
			'invalid_request',
			`--upstream ${upstreamAddress} is this layer's own address, so every request would come back to it. Give the address of the app.`,
			{ param: 'upstream' },
		);
	const settings = withBoundPort(given, port);
	const context = createContext(settings, deps, ending, upstream);
	open = context.open;
	const handler = new RequestHandler(context, upstream);
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
	if (settings.adminPort !== undefined)
		admin = await createAdminServer(
			{ host: settings.adminHost, port: settings.adminPort },
			context,
			() => handler.openExchanges,
		);
	serving = handler;
	const noteKeys = (reason: string | undefined) =>
		audit.write({ event: 'keys_reloaded', ...defined({ reason }) });
	keys.watch(noteKeys);
	audit.write({ event: 'started' });
	const scheme = settings.tls ? 'https' : 'http';
	const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
	const owned = opened.move();
	let closing: Promise<void> | undefined;
	return {
		settings,
		url: `${scheme}://${host}:${port}`,
		port,
		adminUrl: admin?.url,
		metrics: context.metrics,
		reload() {
			audit.reopen();
			noteKeys(keys.reload());
		},
		close: (forMs = settings.limits.shutdownMs) => {
			drainMs = forMs;
			closing ??= owned[Symbol.asyncDispose]();
			return closing;
		},
	};
}

function createContext(
	settings: GatewaySettings,
	deps: GatewayDeps,
	ending: Ending,
	upstream: Upstream,
): GatewayContext {
	const { now, elapsed = () => performance.now() } = deps;
	const { store, keys, audit } = deps.parts;
	const metrics = gatewayMetrics();
	const sessions = new Sessions(store, keys.ring, settings.login, now, elapsed);
	const issuer = `${settings.publicUrl.origin}/`;
	const audience = settings.headers.assertionAudience;
	return {
		settings,
		store,
		storeProof: storeProof(store),
		upstreamProof: upstreamProof(upstream),
		sessions,
		open: new OpenExchanges(sessions),
		metrics,
		now,
		ring: keys.ring,
		keys,
		providers:
			deps.providers?.(settings) ??
			createProviders(settings.providers, {
				fetch: deps.fetch,
				...{ now, elapsed },
				timeoutMs: settings.limits.providerMs,
			}),
		refresher: new Refresher(sessions, store, metrics, now, settings.limits.refreshLeaseMs),
		loginCookies: createLoginCookies(keys.ring, settings, now),
		tokens: { ring: keys.ring, issuer, now, verified: verifiedTokens() },
		assertions:
			audience === undefined ? undefined : new Assertions(keys.ring, issuer, audience, now),
		audit,
		failures: new RateLimit(settings.limits.failuresPerMinute, elapsed),
		deviceStarts: new RateLimit(settings.limits.failuresPerMinute, elapsed),
		ending,
	};
}

function openServer(tls: GatewayParts['tls']): Server {
	const options = {
		insecureHTTPParser: false,
		maxHeaderSize: 32 * 1024,
		headersTimeout: 30_000,
		// Uploads may be long; pauses inside them are watched where they are forwarded.
		requestTimeout: 0,
		keepAliveTimeout: 65_000,
		// Who has gone without a word is noticed.
		keepAlive: true,
		keepAliveInitialDelay: 60_000,
		noDelay: true,
	};
	if (!tls) return createServer(options);
	return createSecureServer({ ...options, ...tls, minVersion: 'TLSv1.2' });
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
