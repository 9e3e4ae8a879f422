/**
 * The guard in front of every route, GET included: Host against DNS rebinding, Origin and
 * Sec-Fetch-Site against other web pages, key where one is required, and what the caller may do.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { AppError, memberRole, roleHeader } from '../protocol/index.ts';
import type { AppEnv } from './env.ts';
import { anonymousPerson, localPerson } from './person.ts';
import { arePages, type Caller, checkRole } from './roles.ts';
import { isTranslatorPath } from './translatePaths.ts';

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
}

/** Whether a token was given to a studio page and still holds. */
export type StudioCheck = (token: string) => boolean;

const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);
const publicPaths = new Set(['/health', '/']);
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
 */
export function refusal(
	headers: { get(name: string): string | null | undefined },
	options: Pick<GuardOptions, 'allowedHosts' | 'allowedOrigins' | 'port'>,
	anyPort = false,
	opensPage = false,
): string | undefined {
	const header = headers.get('host') ?? '';
	const host = splitHost(header);
	const port = options.port();
	const named = host !== undefined && options.allowedHosts.includes(host.name);
	const local =
		host !== undefined &&
		loopbackNames.has(host.name) &&
		(anyPort || port === undefined || Number(host.port ?? 80) === port);
	if (!named && !local)
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

/** Key the caller presented: `Authorization: Bearer`, `X-Api-Key` or `api-key`. */
export function presentedKey(headers: { get(name: string): string | null | undefined }): string {
	const bearer = /^Bearer\s+(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
	return bearer ?? headers.get('x-api-key') ?? headers.get('api-key') ?? '';
}

/** Compares without telling by its time how much was right. */
export function keysEqual(left: string, right: string): boolean {
	const digest = (text: string) => createHash('sha256').update(text).digest();
	return timingSafeEqual(digest(left), digest(right));
}

export function guard(
	options: GuardOptions,
	isStudio: StudioCheck = () => false,
): MiddlewareHandler<AppEnv> {
	const isKey = (text: string) => text !== '' && keysEqual(text, options.key);
	return async (context, next) => {
		const headers = context.req.raw.headers;
		const key = presentedKey(headers);
		const keyShown = isKey(key);
		const caller = callerOf(headers, keyShown, !keyShown && key !== '' && isStudio(key));
		const admitted = keyShown || caller === 'studio';
		const matched = matchedRoutes(context);
		const opensPage = isVisit(context.req.raw) && arePages(matched);
		const reason = refusal(headers, options, admitted || isPagePath(context.req.path), opensPage);
		if (reason !== undefined) throw new AppError('forbidden', reason);
		answerOrigin(context, options.allowedOrigins);
		if (context.req.method === 'OPTIONS') return preflight(context);
		context.set('caller', caller);
		context.set('person', caller === 'member' ? anonymousPerson : localPerson);
		context.set('keyShown', keyShown);
		context.set('keyRequired', options.requireKey);
		context.set('ownKey', isKey);
		// The translate interface has credentials and refusals of its own.
		const checksItself =
			publicPaths.has(context.req.path) ||
			context.req.path.startsWith(publicPrefix) ||
			isRecorderPath(context.req.path) ||
			isTranslatorPath(context.req.path);
		if (options.requireKey && !admitted && !checksItself)
			throw new AppError(
				'invalid_api_key',
				key === ''
					? 'This server wants its key: send Authorization: Bearer KEY.'
					: 'The key is not the one of this server (it changes at each start unless NEARGLOT_KEY sets it).',
			);
		checkRole(caller, matched);
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

/** What came through a sign-in layer has a member's rights, also with the key that the layer sends. */
function callerOf(headers: Headers, keyShown: boolean, studio: boolean): Caller {
	const role = headers.get(roleHeader);
	if (role === null) return keyShown ? 'owner' : studio ? 'studio' : 'local';
	if (role !== memberRole)
		throw new AppError('invalid_request', `${roleHeader} is ${memberRole}, or not sent.`);
	return 'member';
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
