/** `GET|POST /.auth/login/<provider>/token`: a native client trades its one-time code and proof key for a session token. */

import { AppError } from '../../protocol/errors.ts';
import { siteRelation } from '../access/crossSite.ts';
import { textOf } from '../config/configFields.ts';
import { ProviderError } from '../providers/provider.ts';
import { redeemCode } from '../session/codes.ts';
import { mintToken } from '../session/sessionToken.ts';
import { sessionResult } from './completionPage.ts';
import { findProvider } from './login.ts';
import { checkRateLimit, noteFailedTry } from './rateLimits.ts';
import { type GatewayRoute, readFormFields, sendJson } from './requestContext.ts';

export const redeemRoute: GatewayRoute = async (exchange, name) => {
	checkRateLimit(exchange);
	const { context, head, query } = exchange;
	const provider = findProvider(context, name);
	if (siteRelation(head, context.settings) === 'foreign' && exchange.corsOrigin === undefined) {
		throw new AppError('forbidden', 'A code cannot be redeemed from another web page.');
	}
	const fields =
		head.method === 'POST' ? await readFormFields(exchange, true) : Object.fromEntries(query);
	if (!fields) throw new AppError('invalid_request', 'The body must be JSON or a form.');
	const [code, verifier] = [
		textOf(fields, 'authorization_code') ?? textOf(fields, 'code'),
		textOf(fields, 'code_verifier'),
	];
	if (!code || !verifier)
		throw new AppError('invalid_request', 'authorization_code and code_verifier are needed.');
	const grant = await redeemCode(
		context.store,
		code,
		verifier,
		provider.settings.name,
		context.settings.publicUrl.host,
	);
	const session = grant && (await context.sessions.find(grant.sid, true));
	if (!session) {
		noteFailedTry(exchange);
		context.audit.write({
			event: 'code_refused',
			provider: provider.settings.name,
			clientIp: head.clientIp,
		});
		throw new ProviderError(
			'rejected',
			'The code is unknown, used, older than a minute, or not for this verifier. Sign in again.',
		);
	}
	context.audit.write({
		event: 'code_redeemed',
		provider: provider.settings.name,
		userId: session.userId,
		clientIp: head.clientIp,
	});
	sendJson(exchange, 200, sessionResult(session, await mintToken(session, context.tokens)));
};
