/** The order of the checks every request goes through, plain or upgraded, before it is answered or passed on. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { onClose } from '../net/onClose.ts';
import { isNavigation } from './access/callerKind.ts';
import { corsHeaders, corsOrigin, isPreflight, preflightHeaders } from './access/cors.ts';
import { type Decision, decide } from './access/decide.ts';
import { type HostKind, hostKinds } from './access/hosts.ts';
import type { GatewayContext } from './context.ts';
import { upstreamSeconds } from './observe/gatewayMetrics.ts';
import { forwardRequest } from './proxy/forward.ts';
import {
	downstreamHeaders,
	type ForwardContext,
	reservedNames,
	upstreamHeaders,
} from './proxy/forwardHeaders.ts';
import { Hops } from './proxy/hops.ts';
import { type Problem, sendProblem, sendRawProblem } from './proxy/problem.ts';
import { valuesOf } from './proxy/rawHeaders.ts';
import { header, type RequestHead, readHead } from './proxy/requestHead.ts';
import { matchesPath } from './proxy/requestTarget.ts';
import { TrustedProxies } from './proxy/trustedProxies.ts';
import { tunnel } from './proxy/tunnel.ts';
import { Tunnels } from './proxy/tunnels.ts';
import type { Upstream } from './proxy/upstream.ts';
import { noteFailure, problemOf } from './routes/failures.ts';
import { probePaths, resourceRoute } from './routes/info.ts';
import { loginPage } from './routes/loginRedirect.ts';
import { logoutRoute } from './routes/logout.ts';
import type { RequestContext } from './routes/requestContext.ts';
import { runRoute, runSafely } from './routes/router.ts';
import { parseCookies } from './session/cookies.ts';

type Forwarding = Extract<Decision, { kind: 'forward' }>;

/** A year, as browsers' lists ask. */
const strictTransportS = 31_536_000;

const resourcePath = '/.well-known/oauth-protected-resource';

export class RequestHandler {
	openExchanges = 0;
	readonly tunnels = new Tunnels();
	readonly #context: GatewayContext;
	readonly #upstream: Upstream;
	readonly #trusted: TrustedProxies;
	readonly #forwarding: ForwardContext;
	readonly #hops = new Hops();
	readonly #hostKind: (host: string) => HostKind;

	constructor(context: GatewayContext, upstream: Upstream) {
		this.#context = context;
		this.#upstream = upstream;
		this.#hostKind = hostKinds(context.settings);
		this.#trusted = new TrustedProxies(
			context.settings.forwardProxy.trustedHops,
			context.settings.forwardProxy.trustedPeers,
		);
		this.#forwarding = {
			settings: context.settings,
			reserved: reservedNames(context.settings),
			hops: this.#hops,
			upstreamHost: upstream.host,
			upstreamOrigin: upstream.origin,
			now: context.now,
		};
	}

	async request(
		request: IncomingMessage,
		response: ServerResponse,
		expectsContinue: boolean,
	): Promise<void> {
		response.on('error', () => {});
		request.on('error', () => {});
		const head = readHead(request, this.#context.settings, this.#trusted, false);
		if ('reason' in head) {
			response.shouldKeepAlive = false;
			this.#count('refused', head.status);
			sendProblem(response, {
				status: head.status,
				code: 'malformed_request',
				detail: head.reason,
			});
			return;
		}
		// An app that has a rule of its own replaces this one.
		if (this.#context.settings.publicUrl.protocol === 'https:')
			response.setHeader('Strict-Transport-Security', `max-age=${strictTransportS}`);
		const early = this.#early(head);
		if (early) {
			this.#refuse(request, response, head, early);
			return;
		}
		const abort = new AbortController();
		onClose(response, () => {
			if (!response.writableFinished) abort.abort();
		});
		const exchange: RequestContext = {
			head,
			request,
			response,
			query: new URLSearchParams(head.query),
			cookies: parseCookies(valuesOf(head.headers, 'cookie')),
			context: this.#context,
			signal: abort.signal,
			corsOrigin: corsOrigin(head, this.#context.settings.access.editorOrigins),
		};
		if (exchange.corsOrigin !== undefined && isPreflight(head)) {
			response.writeHead(204, preflightHeaders(head, exchange.corsOrigin)).end();
			this.#count('preflight', 204);
			return;
		}
		if (this.#isOwn(head)) {
			if (expectsContinue) response.writeContinue();
			await this.#own(exchange);
			this.#count('own', response.statusCode);
			return;
		}
		await this.#pass(exchange, expectsContinue);
	}

	async upgrade(request: IncomingMessage, socket: Duplex, first: Buffer): Promise<void> {
		socket.on('error', () => socket.destroy());
		const refuse = (problem: Problem) => {
			this.#count('refused', problem.status);
			sendRawProblem(socket, problem);
		};
		const head = readHead(request, this.#context.settings, this.#trusted, true);
		if ('reason' in head) {
			refuse({ status: head.status, code: 'malformed_request', detail: head.reason });
			return;
		}
		const problem = this.#early(head) ?? this.#upgradeProblem(head);
		if (problem) {
			refuse(problem);
			return;
		}
		const abort = new AbortController();
		onClose(socket, () => abort.abort());
		try {
			const decision = await this.#decide(head, abort.signal);
			if (socket.destroyed) return;
			if (decision.kind === 'refuse') refuse(decision.problem);
			else if (decision.kind === 'login')
				refuse({ status: 401, code: 'sign_in_required', detail: 'Sign in first.' });
			else this.#tunnel(request, socket, first, head, decision);
		} catch (error) {
			noteFailure(error, this.#context, head);
			refuse(problemOf(error));
		}
	}

	/** Checks that need no session. */
	#early(head: RequestHead): Problem | undefined {
		const { settings } = this.#context;
		const loop = this.#hops.problem(head.headers);
		if (loop) return loop;
		if (this.#isProbe(head) && !head.upgrade) return undefined;
		const host = this.#hostKind(head.host);
		if (host === 'foreign') {
			return {
				status: 421,
				code: 'wrong_host',
				detail: `This address serves ${settings.publicUrl.host} only.`,
			};
		}
		// Programs may call this computer as they like; a browser's cookies belong to one name.
		if (host === 'alias' && isNavigation(head)) {
			return {
				status: 307,
				code: 'other_name',
				detail: `This is ${settings.publicUrl.origin}.`,
				headers: { Location: settings.publicUrl.origin + head.target },
			};
		}
		if (settings.requireHttps && !head.secure) {
			const movable = (head.method === 'GET' || head.method === 'HEAD') && !head.upgrade;
			if (!movable)
				return {
					status: 403,
					code: 'https_required',
					detail: 'Use HTTPS: this request was sent unencrypted, so nothing was done.',
				};
			return {
				status: 301,
				code: 'https_required',
				detail: 'Use HTTPS.',
				headers: { Location: settings.publicUrl.origin + head.target },
			};
		}
		if (matchesPath(head.canonical, settings.access.closedPaths)) {
			return {
				status: 403,
				code: 'closed_path',
				detail: 'This is done on the server itself, not through its sign-in layer.',
			};
		}
		if (head.reserved && !head.plain)
			return { status: 404, code: 'not_found', detail: 'There is nothing here.' };
		return undefined;
	}

	#upgradeProblem(head: RequestHead): Problem | undefined {
		// Another protocol (h2c) could carry requests that nobody has checked.
		if (head.method !== 'GET' || header(head, 'upgrade')?.toLowerCase() !== 'websocket') {
			return {
				status: 400,
				code: 'malformed_request',
				detail: 'Only a GET with Upgrade: websocket can be upgraded.',
			};
		}
		if (head.reserved)
			return { status: 404, code: 'not_found', detail: 'There is nothing to upgrade here.' };
		if (
			valuesOf(head.headers, 'transfer-encoding').length > 0 ||
			Number(valuesOf(head.headers, 'content-length')[0] ?? 0) > 0
		) {
			return {
				status: 400,
				code: 'malformed_request',
				detail: 'An upgrade request must not have a body.',
			};
		}
		if (this.#context.ending.begun)
			return {
				status: 503,
				code: 'overloaded',
				detail: 'The server is stopping.',
				headers: { 'Retry-After': '5' },
			};
		return undefined;
	}

	#isProbe(head: RequestHead): boolean {
		const { apiPrefix } = this.#context.settings;
		return probePaths.some((path) => head.path === apiPrefix + path);
	}

	#isOwn(head: RequestHead): boolean {
		const { settings } = this.#context;
		if (!settings.enabled) return this.#isProbe(head);
		return (
			head.reserved ||
			head.path === settings.login.logoutPath ||
			(settings.resourceScopes !== undefined && head.path === resourcePath)
		);
	}

	#own(exchange: RequestContext): Promise<void> {
		const { path } = exchange.head;
		if (exchange.head.reserved) return runRoute(exchange);
		return runSafely(exchange, () =>
			(path === resourcePath ? resourceRoute : logoutRoute)(exchange, ''),
		);
	}

	#decide(head: RequestHead, signal: AbortSignal): Promise<Decision> {
		if (this.#context.settings.enabled) return decide(head, this.#context, signal);
		return Promise.resolve({
			kind: 'forward',
			injected: [],
			dropAuthorization: false,
			corsOrigin: undefined,
			judged: false,
			userId: undefined,
		});
	}

	async #pass(exchange: RequestContext, expectsContinue: boolean): Promise<void> {
		const { head, request, response } = exchange;
		try {
			const decision = await this.#decide(head, exchange.signal);
			if (response.destroyed) return;
			if (decision.kind === 'refuse')
				this.#refuse(request, response, head, decision.problem, exchange.corsOrigin);
			else if (decision.kind === 'login') {
				loginPage(exchange);
				this.#count('login', 302);
			} else {
				if (expectsContinue) response.writeContinue();
				this.#forward(request, response, head, decision);
			}
		} catch (error) {
			noteFailure(error, this.#context, head);
			this.#refuse(request, response, head, problemOf(error), exchange.corsOrigin);
		}
	}

	#forward(
		request: IncomingMessage,
		response: ServerResponse,
		head: RequestHead,
		decision: Forwarding,
	): void {
		const origin = decision.corsOrigin;
		this.openExchanges++;
		const ended = this.#endsWith(decision, response);
		forwardRequest(request, response, {
			upstream: this.#upstream,
			limits: this.#context.settings.limits,
			target: head.target,
			headers: this.#upstreamHeaders(head, decision),
			downstream: (raw) =>
				downstreamHeaders(raw, this.#forwarding, {
					keepUpgrade: false,
					ownCors: origin !== undefined,
				}),
			extraHeaders: origin === undefined ? [] : corsHeaders(origin),
			over: this.#context.ending.over,
			onEnd: ({ status, upstreamMs }) => {
				this.openExchanges--;
				ended();
				if (upstreamMs !== undefined)
					this.#context.metrics.observe(upstreamSeconds, upstreamMs / 1000);
				this.#count('forwarded', status);
			},
		});
	}

	#tunnel(
		request: IncomingMessage,
		socket: Duplex,
		first: Buffer,
		head: RequestHead,
		decision: Forwarding,
	): void {
		this.openExchanges++;
		this.tunnels.add(socket);
		const ended = this.#endsWith(decision, socket);
		onClose(socket, () => {
			this.openExchanges--;
			ended();
		});
		tunnel(request, socket, first, {
			upstream: this.#upstream,
			limits: this.#context.settings.limits,
			target: head.target,
			headers: this.#upstreamHeaders(head, decision),
			downstream: (raw, upgraded) =>
				downstreamHeaders(raw, this.#forwarding, { keepUpgrade: upgraded, ownCors: false }),
			onEnd: (status) => this.#count('upgraded', status),
		});
	}

	/** Cuts what is open for a session when that ends; returns what to call when it is over before. */
	#endsWith({ sid }: Forwarding, open: { destroy(): unknown }): () => void {
		return sid === undefined ? () => {} : this.#context.open.add(sid, () => void open.destroy());
	}

	#upstreamHeaders(head: RequestHead, decision: Forwarding): string[] {
		return upstreamHeaders(head, decision.injected, this.#forwarding, {
			dropAuthorization: decision.dropAuthorization,
			dropOrigin: decision.corsOrigin !== undefined,
			dropFetchMetadata: decision.judged || decision.corsOrigin !== undefined,
			userId: decision.userId,
		});
	}

	#refuse(
		request: IncomingMessage,
		response: ServerResponse,
		head: RequestHead,
		problem: Problem,
		origin?: string,
	): void {
		this.#count('refused', problem.status);
		if (problem.status === 403 || problem.status === 500) {
			this.#context.audit.write({
				event: 'request_refused',
				clientIp: head.clientIp,
				path: head.path,
				reason: problem.code,
				status: problem.status,
			});
		}
		// A body nobody reads must not be taken for the next request.
		if (!request.complete) response.shouldKeepAlive = false;
		if (origin !== undefined && !response.headersSent) {
			const lines = corsHeaders(origin);
			for (let at = 0; at < lines.length; at += 2) response.setHeader(lines[at]!, lines[at + 1]!);
		}
		sendProblem(response, problem);
	}

	#count(outcome: string, status: number): void {
		this.#context.metrics.count('nearglot_gateway_requests_total', {
			outcome,
			status: `${Math.floor(status / 100)}xx`,
		});
	}
}
