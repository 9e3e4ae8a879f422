/** The one decision about a request that is not the layer's own: pass it on, send to a login, or refuse. */

import { defined } from '../../protocol/defined.ts';
import { AppError } from '../../protocol/errors.ts';
import type { SignInCode } from '../../protocol/signInCodes.ts';
import type { GatewayContext } from '../context.ts';
import { refusedBy } from '../identity/policy.ts';
import { principalHeaders } from '../identity/principal.ts';
import type { ProviderTokens, SignedIn } from '../identity/signedIn.ts';
import type { Problem } from '../proxy/problem.ts';
import type { InjectedHeader } from '../proxy/rawHeaders.ts';
import { header, type RequestHead } from '../proxy/requestHead.ts';
import { matchesPath } from '../proxy/requestTarget.ts';
import type { GatewaySession } from '../session/sessions.ts';
import { authenticate, type Identity } from './authenticate.ts';
import { isNavigation } from './callerKind.ts';
import { corsOrigin } from './cors.ts';
import { isForgery, isVisit, siteRelation } from './crossSite.ts';

export type Decision =
	| {
			readonly kind: 'forward';
			readonly injected: readonly InjectedHeader[];
			/** The Bearer was ours: the app gets the identity instead. */
			readonly dropAuthorization: boolean;
			/** Web origin whose script calls, answered by us. */
			readonly corsOrigin: string | undefined;
			/** No foreign page has made it, unless by a link to what it opens: the app need not judge again. */
			readonly judged: boolean;
			readonly userId: string | undefined;
			/** The session whose end is the end of what it asked for. */
			readonly sid?: string;
	  }
	| { readonly kind: 'login' }
	| { readonly kind: 'refuse'; readonly problem: Problem };

/** @throws AppError `store_unavailable`; ProviderError `unreachable`. */
export async function decide(
	head: RequestHead,
	context: GatewayContext,
	signal: AbortSignal,
): Promise<Decision> {
	const { access } = context.settings;
	const origin = corsOrigin(head, access.editorOrigins);
	const excluded = matchesPath(head.path, access.excludedPaths);
	const open = excluded || access.action === 'AllowAnonymous';
	const identity = await authenticateUnless(excluded, head, context, signal);
	if (identity.kind === 'refused')
		return refuse(unauthorized(head, context, 'invalid_token', identity.reason));
	if (identity.kind === 'session' && !identity.expired) {
		const forgedByPage =
			identity.via === 'cookie' && isForgery(head, context.settings, changesState(head, context));
		if (forgedByPage && !excluded) return refuse(forged(head));
		const { session } = identity;
		const provider = context.providers.find(session.provider)!;
		const reason = refusedBy(provider.settings.allowed, session.policy);
		if (reason !== undefined && !open) return refuse(forbidden(reason));
		if (reason === undefined && !forgedByPage) {
			const tokens = await context.sessions.tokensOf(session);
			const injected = [...headersOf(session, tokens, context)];
			if (context.assertions) {
				injected.push([
					`X-${context.settings.headers.vendor}-CLIENT-ASSERTION`,
					await context.assertions.sign(session),
				]);
			}
			return checked(
				{
					kind: 'forward',
					injected,
					dropAuthorization: identity.inAuthorization ?? false,
					corsOrigin: origin,
					judged:
						identity.via === 'token' ||
						siteRelation(head, context.settings) !== 'foreign' ||
						isVisit(head),
					userId: session.userId,
					sid: session.sid,
				},
				context,
			);
		}
	}
	if (identity.kind === 'session' && identity.inAuthorization && identity.expired) {
		return refuse(
			unauthorized(
				head,
				context,
				'invalid_token',
				'The session has ended. Refresh it or sign in again.',
			),
		);
	}
	if (identity.kind === 'bearer') return fromBearer(identity.person, origin, context);
	if (open)
		return {
			kind: 'forward',
			injected: [],
			dropAuthorization: identity.kind === 'session' && identity.inAuthorization === true,
			corsOrigin: origin,
			judged: false,
			userId: undefined,
		};
	if (access.action === 'Return403') return refuse(forbidden('Signing in is required.'));
	if (access.action === 'RedirectToLoginPage' && isNavigation(head)) return { kind: 'login' };
	const detail =
		identity.kind === 'anonymous' && identity.severalCookies
			? 'Two session cookies came, so neither counts. Delete the cookies of this site and sign in again.'
			: 'Sign in first: this address needs a session.';
	return refuse(unauthorized(head, context, 'sign_in_required', detail));
}

/** The lines of a session are the same until it or its tokens change, which makes new objects. */
const known = new WeakMap<
	GatewaySession,
	{ readonly tokens: ProviderTokens; readonly lines: readonly InjectedHeader[] }
>();

function headersOf(
	session: GatewaySession,
	tokens: ProviderTokens,
	context: GatewayContext,
): readonly InjectedHeader[] {
	const before = known.get(session);
	if (before?.tokens === tokens) return before.lines;
	const lines = principalHeaders({ ...session, tokens }, context.settings);
	known.set(session, { tokens, lines });
	return lines;
}

/** An excluded path (a health check) must work while the store is down. */
async function authenticateUnless(
	excluded: boolean,
	head: RequestHead,
	context: GatewayContext,
	signal: AbortSignal,
): Promise<Identity> {
	try {
		return await authenticate(head, context, signal);
	} catch (error) {
		if (excluded && error instanceof AppError && error.code === 'store_unavailable')
			return { kind: 'anonymous' };
		throw error;
	}
}

async function fromBearer(
	person: SignedIn,
	origin: string | undefined,
	context: GatewayContext,
): Promise<Decision> {
	const provider = context.providers.find(person.provider)!;
	const reason = refusedBy(provider.settings.allowed, person.policy);
	if (reason !== undefined) return refuse(forbidden(reason));
	const userId = context.ring.userId(person.provider, person.issuer, person.subject);
	const injected = principalHeaders(person, context.settings);
	if (context.assertions) {
		const statement = await context.assertions.sign({
			userId,
			provider: person.provider,
			name: person.name,
		});
		injected.push([`X-${context.settings.headers.vendor}-CLIENT-ASSERTION`, statement]);
	}
	return checked(
		{
			kind: 'forward',
			injected,
			dropAuthorization: true,
			corsOrigin: origin,
			judged: true,
			userId,
		},
		context,
	);
}

/** A request that counts as signed in must carry its identity, or it must not arrive at all. */
function checked(
	decision: Extract<Decision, { kind: 'forward' }>,
	context: GatewayContext,
): Decision {
	const base = `X-${context.settings.headers.vendor}-CLIENT-PRINCIPAL`;
	const complete = ['', '-ID', '-NAME', '-IDP'].every((end) =>
		decision.injected.some(([name, value]) => name === base + end && value !== ''),
	);
	if (complete) return decision;
	context.metrics.count('nearglot_gateway_identity_missing_total');
	context.audit.write({
		event: 'identity_missing',
		...defined({ userId: decision.userId }),
	});
	return refuse({
		status: 500,
		code: 'identity_missing',
		detail: 'The identity of this session is incomplete. Sign out and in again.',
	});
}

function changesState(head: RequestHead, context: GatewayContext): boolean {
	// As the app may read it: another spelling of such a path is such a path.
	return matchesPath(head.canonical, context.settings.access.stateChangingGets);
}

const refuse = (problem: Problem): Decision => ({ kind: 'refuse', problem });

function forged(head: RequestHead): Problem {
	const from =
		header(head, 'sec-fetch-site') ??
		header(head, 'origin') ??
		header(head, 'referer') ??
		'nowhere';
	return {
		status: 403,
		code: 'cross_site_request',
		detail: `This request seems to come from another web page (${from.slice(0, 200)}), so the session cookie does not count for it. Call from this site, or send X-ZUMO-AUTH.`,
	};
}

function forbidden(detail: string): Problem {
	return { status: 403, code: 'forbidden', detail };
}

/** 401 with the challenge clients need to find the way in. */
export function unauthorized(
	head: RequestHead,
	context: GatewayContext,
	code: SignInCode,
	detail: string,
): Problem {
	const { settings } = context;
	if (settings.access.disableWwwAuthenticate) return { status: 401, code, detail };
	const parts = [`realm="${settings.publicUrl.origin}/"`];
	if (code === 'invalid_token') parts.push('error="invalid_token"');
	if (settings.resourceScopes && !head.reserved) {
		parts.push(
			`resource_metadata="${settings.publicUrl.origin}/.well-known/oauth-protected-resource"`,
		);
	}
	return {
		status: 401,
		code,
		detail,
		headers: { 'WWW-Authenticate': `Bearer ${parts.join(', ')}` },
	};
}
