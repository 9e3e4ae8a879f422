/** `POST /.auth/login/<provider>`: a client brings tokens it got from the provider and gets a session token. */

import { AppError } from '../../protocol/errors.ts';
import { siteRelation } from '../access/crossSite.ts';
import { refusedBy } from '../identity/policy.ts';
import { ProviderError } from '../providers/provider.ts';
import { sendProblem } from '../proxy/problem.ts';
import { mintToken } from '../session/sessionToken.ts';
import { sessionResult } from './completionPage.ts';
import { findProvider } from './login.ts';
import { checkRateLimit, noteFailedTry } from './rateLimits.ts';
import { type GatewayRoute, readFormFields, sendJson } from './requestContext.ts';

export const clientLoginRoute: GatewayRoute = async (exchange, name) => {
	checkRateLimit(exchange);
	const { context, head } = exchange;
	const provider = findProvider(context, name);
	if (provider.clientFields.length === 0) {
		throw new AppError(
			'method_not_allowed',
			`${provider.settings.label} can only be used in a browser: its tokens do not say for which app they were made.`,
		);
	}
	// A foreign page must not sign its visitor in as somebody else.
	if (siteRelation(head, context.settings) === 'foreign' && exchange.corsOrigin === undefined) {
		throw new AppError('forbidden', 'This sign-in cannot be called from another web page.');
	}
	const body = await readFormFields(exchange, false);
	if (!body) {
		sendProblem(exchange.response, {
			status: 415,
			code: 'unsupported_media_type',
			detail: 'The body must be JSON, with Content-Type: application/json.',
		});
		return;
	}
	try {
		for (const field of provider.clientFields) {
			const value = body[field];
			const fits =
				typeof value === 'string' || (field === 'expires_in' && typeof value === 'number');
			if (value !== undefined && value !== null && !fits)
				throw new ProviderError('malformed', `'${field}' must be a text.`);
		}
		const person = await provider.clientLogin(body, exchange.signal);
		const reason = refusedBy(provider.settings.allowed, person.policy);
		if (reason !== undefined) throw new ProviderError('denied', reason);
		const session = await context.sessions.create(person, 'client');
		context.metrics.count('nearglot_gateway_logins_total', {
			provider: person.provider,
			flow: 'client',
			result: 'ok',
		});
		context.audit.write({
			event: 'client_login',
			provider: person.provider,
			userId: session.userId,
			clientIp: head.clientIp,
		});
		sendJson(exchange, 200, sessionResult(session, await mintToken(session, context.tokens)));
	} catch (error) {
		if (error instanceof ProviderError) {
			if (error.failure === 'rejected' || error.failure === 'denied') noteFailedTry(exchange);
			context.metrics.count('nearglot_gateway_logins_total', {
				provider: provider.settings.name,
				flow: 'client',
				result: error.failure,
			});
			context.audit.write({
				event: 'client_login_failed',
				provider: provider.settings.name,
				clientIp: head.clientIp,
				reason: error.message,
			});
		}
		throw error;
	}
};
