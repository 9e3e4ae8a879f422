/** `/.auth/me` and `/.auth/refresh`: what the session knows, and how it is prolonged. */

import { defined } from '../../protocol/defined.ts';
import { AppError } from '../../protocol/errors.ts';
import { authenticate } from '../access/authenticate.ts';
import { isForgery, siteRelation } from '../access/crossSite.ts';
import { unauthorized } from '../access/decide.ts';
import { refusedBy } from '../identity/policy.ts';
import { isoTime } from '../identity/principal.ts';
import { ProviderError } from '../providers/provider.ts';
import { sendProblem } from '../proxy/problem.ts';
import { giveSession } from '../session/sessionCookie.ts';
import { mintToken } from '../session/sessionToken.ts';
import { sessionResult } from './completionPage.ts';
import { type GatewayRoute, sendJson } from './requestContext.ts';

export const meRoute: GatewayRoute = async (exchange) => {
	const { context, head } = exchange;
	const identity = await authenticate(head, context, exchange.signal);
	if (identity.kind !== 'session' || identity.expired) {
		if (context.settings.login.anonymousMe === 'empty' && identity.kind !== 'refused')
			sendJson(exchange, 200, []);
		else
			sendProblem(
				exchange.response,
				unauthorized(head, context, 'sign_in_required', 'There is no session.'),
			);
		return;
	}
	if (identity.via === 'cookie' && isForgery(head, context.settings, false))
		throw new AppError('forbidden', 'A session is not shown to another web page.');
	const { session } = identity;
	const tokens = await context.sessions.tokensOf(session);
	sendJson(exchange, 200, [
		{
			provider_name: session.provider,
			user_id: session.name,
			user_claims: session.claims,
			...defined({
				access_token: tokens.accessToken,
				access_token_secret: tokens.accessTokenSecret,
				authentication_token: tokens.authenticationToken,
				id_token: tokens.idToken,
				refresh_token: tokens.refreshToken,
			}),
			...(tokens.expiresAt === undefined ? {} : { expires_on: isoTime(tokens.expiresAt) }),
		},
	]);
};

export const refreshRoute: GatewayRoute = async (exchange) => {
	const { context, head } = exchange;
	const identity = await authenticate(head, context, exchange.signal, true);
	if (identity.kind !== 'session') {
		sendProblem(
			exchange.response,
			unauthorized(
				head,
				context,
				'sign_in_required',
				'There is no session that could be refreshed. Sign in again.',
			),
		);
		return;
	}
	if (identity.via === 'cookie' && siteRelation(head, context.settings) === 'foreign') {
		throw new AppError('forbidden', 'A session cannot be refreshed from another web page.');
	}
	const provider = context.providers.find(identity.session.provider)!;
	try {
		const session = await context.refresher.refresh(identity.session, provider);
		const reason = refusedBy(provider.settings.allowed, session.policy);
		if (reason !== undefined) {
			await context.sessions.end(session);
			throw new ProviderError('denied', reason);
		}
		context.metrics.count('nearglot_gateway_refreshes_total', { result: 'ok' });
		context.audit.write({
			event: 'refresh',
			provider: session.provider,
			userId: session.userId,
			clientIp: head.clientIp,
		});
		if (identity.via === 'cookie') {
			const cookies = giveSession(session, exchange.cookies, context);
			sendJson(exchange, 200, { user: { userId: session.userId } }, cookies);
		} else {
			sendJson(exchange, 200, sessionResult(session, await mintToken(session, context.tokens)));
		}
	} catch (error) {
		const failure = error instanceof ProviderError ? error.failure : 'error';
		context.metrics.count('nearglot_gateway_refreshes_total', { result: failure });
		context.audit.write({
			event: 'refresh_failed',
			provider: identity.session.provider,
			userId: identity.session.userId,
			reason: failure,
		});
		throw error;
	}
};
