/**
 * The guard in front of every route, GET included: Host against DNS rebinding, Origin and
 * Sec-Fetch-Site against other web pages, key where one is required, and what the caller may do.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { AppError } from '../protocol/index.ts';
import type { Account } from '../services/limits/account.ts';
import type { PersonKey } from '../services/limits/keyStore.ts';
import { type CallerChecks, identify, shownIdentity } from './caller.ts';
import {
	arePages,
	type CallerIdentity,
	changesByGet,
	checkRole,
	type MatchedRoute,
} from './callerRoles.ts';
import type { AppEnv } from './env.ts';
import { PeerUsers } from './peerUser.ts';

export interface GuardOptions {
	/** This daemon's key. */
	readonly key: string;
	/** Whether every route but `/health` needs the key. */
	readonly requireKey: boolean;
	/** Origins that may call besides none, e.g. `https://studio.example`. `*` is not understood. */
	readonly allowedOrigins: readonly string[];
	/** Host names accepted besides the loopback names, without port. */
	readonly allowedHosts: readonly string[];
	/**
	 * Port the server listens on. Requests for another port of this computer come through a tunnel, as
	 * editors make one to a remote machine: they need the key, or open a page. Read at each request.
	 */
	port(): number | undefined;
	/** Secrets with which a sign-in layer may sign whom it has let in, besides the key. Read at each request. */
	readonly gatewaySecrets?: () => Promise<readonly string[]>;
	/** Whose programs call. */
	readonly peers?: Pick<PeerUsers, 'of'>;
}

/** Whether a token was given to a studio page and still holds. */
export type StudioCheck = (token: string) => boolean;

const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);
/** The studio page asks for the key itself; its files hold nothing. */
const publicPrefix = '/studio/';
/** The recorder page has a ticket instead of the key, and its routes the token of one recording. */
const isRecorderPath = (path: string) => path === '/recorder' || path.startsWith('/recorder/');
/** Pages, and what they call before they have a key: nothing there is given without a ticket. */
const isPagePath = (path: string) =>
	path === '/' || path.startsWith(publicPrefix) || isRecorderPath(path);

/** Splits `host:port`; understands IPv6 in brackets. */
export function splitHost(header: string): { name: string; port: string | undefined } | undefined {
	const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i.exec(header);
	return match ? { name: (match[1] ?? '').toLowerCase(), port: match[2] } : undefined;
}

/**
 * Why a request must be refused, or `undefined` when the guard has nothing against it.
 * @param anyPort whether it may have come to another port of this computer
 * @param opensPage whether all it does is open one of the pages, which links elsewhere may lead to
 * @param isKnown whether it shows the key or a signed person: no page that has turned a name of its own to this
 * computer can, so it may call it by any name, as balancers and probes do by its address
 */
function refusal(
	headers: { get(name: string): string | null | undefined },
	options: Pick<GuardOptions, 'allowedHosts' | 'allowedOrigins' | 'port'>,
	anyPort = false,
	opensPage = false,
	isKnown = false,
): string | undefined {
	const header = headers.get('host') ?? '';
	const host = splitHost(header);
	const port = options.port();
	const named = host !== undefined && options.allowedHosts.includes(host.name);
	const local =
		host !== undefined &&
		loopbackNames.has(host.name) &&
		(anyPort || port === undefined || Number(host.port ?? 80) === port);
	if (!named && !local && !isKnown)
		return `Requests for host '${header.slice(0, 80)}' are not answered here; use 127.0.0.1 or add the name with --allow-host.`;
	const origin = headers.get('origin');
	if (origin != null && !options.allowedOrigins.includes(origin) && !sameOrigin(origin, header))
		return `Web pages of '${origin.slice(0, 80)}' may not call this server; add the origin with --allow-origin.`;
	const site = headers.get('sec-fetch-site');
	if (site != null && site !== 'none' && site !== 'same-origin' && !opensPage) {
		const trusted = origin != null && options.allowedOrigins.includes(origin);
		if (!trusted) return 'Another web page caused this request, so it is refused.';
	}
	return undefined;
}

function sameOrigin(origin: string, host: string): boolean {
	return origin === `http://${host}` || origin === `https://${host}`;
}

/** Compares without telling by its time how much was right. */
export function keysEqual(left: string, right: string): boolean {
	const digest = (text: string) => createHash('sha256').update(text).digest();
	return timingSafeEqual(digest(left), digest(right));
}

/** Accounts and keys of those whom a guard lets in. */
export interface GuardedPeople {
	/** See `CallerChecks`. */
	findKey(text: string): PersonKey | undefined;
	accountOf(identity: CallerIdentity): Account;
}

export function guard(
	options: GuardOptions,
	isStudio: StudioCheck = () => false,
	people?: GuardedPeople,
): MiddlewareHandler<AppEnv> {
	const peers = options.peers ?? new PeerUsers();
	const checks: CallerChecks = {
		isKey: (text) => text !== '' && keysEqual(text, options.key),
		isStudio,
		findKey: (text) => people?.findKey(text),
		requireKey: options.requireKey,
		// A caller with the key could as well be the owner, so it may vouch for a member.
		gatewaySecrets: async () => [...((await options.gatewaySecrets?.()) ?? []), options.key],
		now: Date.now,
		peer: (context) => peers.of(context.env?.incoming?.socket),
	};
	return async (context, next) => {
		const { headers } = context.req.raw;
		const shown = context.env?.identity ?? (await shownIdentity(headers, checks));
		const matched = matchedRoutes(context);
		const opensPage = isVisit(context.req.raw) && arePages(matched);
		const anyPort = shown !== undefined || isPagePath(context.req.path);
		const reason = refusal(headers, options, anyPort, opensPage, shown !== undefined);
		if (reason !== undefined) throw new AppError('forbidden', reason);
		answerOrigin(context, options.allowedOrigins);
		if (context.req.method === 'OPTIONS') return preflight(context);
		const identity = shown ?? (await identify(context, checks));
		context.set('caller', identity.caller);
		context.set('person', identity.person);
		if (identity.key !== undefined) context.set('personKey', identity.key);
		const account = people?.accountOf(identity);
		if (account !== undefined) context.set('account', account);
		context.set('keyRequired', options.requireKey || identity.caller === 'stranger');
		context.set('ownKey', checks.isKey);
		admit(context.req.raw, matched, identity, options.allowedOrigins);
		if (context.req.method === 'HEAD' && changesByGet(matched))
			throw new AppError(
				'method_not_allowed',
				'HEAD changes nothing, and this address is for changing something. Send a GET.',
			);
		context.set('admitted', identity.caller !== 'stranger');
		context.set('isProgram', isProgram(context.req.raw.headers, options.allowedOrigins));
		await next();
	};
}

/** Whether a browser opens something in a tab of its own, where only the visitor sees it. */
function isVisit({ method, headers }: Request): boolean {
	return (
		(method === 'GET' || method === 'HEAD') &&
		headers.get('origin') === null &&
		headers.get('sec-fetch-mode') === 'navigate' &&
		headers.get('sec-fetch-dest') === 'document' &&
		(headers.get('accept') ?? '').includes('text/html')
	);
}

/** Lets the request on to what it has matched, or says why not. */
function admit(
	{ method, headers }: Pick<Request, 'method' | 'headers'>,
	matched: readonly MatchedRoute[],
	identity: CallerIdentity,
	allowedOrigins: readonly string[],
): void {
	checkRole(identity, matched);
	const shownOne = identity.caller === 'owner' || identity.caller === 'studio';
	if (shownOne) return;
	const byPage = changesByGet(matched)
		? !isProgram(headers, allowedOrigins)
		: identity.caller === 'local' &&
			!['GET', 'HEAD'].includes(method) &&
			hasForeignReferer(headers, allowedOrigins);
	if (!byPage) return;
	throw new AppError(
		'forbidden',
		'A web page may have caused this request, which changes something. Send it from a program, or with the key of the model server.',
	);
}

/** Whether the only word on where a request comes from names a page elsewhere: some browsers send no Origin. */
function hasForeignReferer(headers: Headers, allowedOrigins: readonly string[]): boolean {
	const referer = headers.get('referer');
	if (referer === null || headers.has('origin') || headers.get('sec-fetch-site') === 'same-origin')
		return false;
	const origin = URL.canParse(referer) ? new URL(referer).origin : '';
	return !allowedOrigins.includes(origin) && !sameOrigin(origin, headers.get('host') ?? '');
}

/**
 * Whether a request that {@link refusal} let through is the sender's own doing: of a program, of an address
 * that was typed, or of a page from here or from an allowed origin. Older browsers do not say where a request
 * comes from, so every sign of a browser counts against it.
 */
function isProgram(headers: Headers, allowedOrigins: readonly string[]): boolean {
	const site = headers.get('sec-fetch-site');
	if (site === 'none' || site === 'same-origin') return true;
	const origin = headers.get('origin');
	if (origin !== null) return allowedOrigins.includes(origin);
	const signs = [...headers].some(
		([name, value]) =>
			name === 'referer' ||
			// Node's own fetch says this one thing; browsers never say it alone.
			(name.startsWith('sec-') && !(name === 'sec-fetch-mode' && value === 'cors')),
	);
	return !signs && !/^\s*Mozilla\//i.test(headers.get('user-agent') ?? '');
}

/** A browser asks first whether a page of an allowed origin may send its request. */
function preflight(context: Context<AppEnv>): Response {
	const allowed = context.res.headers.has('access-control-allow-origin');
	if (!allowed)
		throw new AppError('method_not_allowed', 'OPTIONS is for pages of allowed origins.');
	context.header('access-control-allow-methods', 'GET, POST, PUT, DELETE');
	context.header(
		'access-control-allow-headers',
		context.req.header('access-control-request-headers') ?? 'authorization, content-type',
	);
	context.header('access-control-max-age', '600');
	return context.body(null, 204);
}

function answerOrigin(context: Context<AppEnv>, allowed: readonly string[]): void {
	const origin = context.req.header('origin');
	if (origin === undefined || !allowed.includes(origin)) return;
	context.header('access-control-allow-origin', origin);
	context.header('vary', 'Origin');
}
