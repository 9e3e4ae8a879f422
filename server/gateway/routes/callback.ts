/** `GET /.auth/login/<provider>/callback`: checks the provider's answer and makes the session. */

import { AppError } from '../../protocol/errors.ts';
import { authenticate } from '../access/authenticate.ts';
import { refusedBy } from '../identity/policy.ts';
import type { SignedIn } from '../identity/signedIn.ts';
import type { Provider } from '../providers/provider.ts';
import { ProviderError } from '../providers/provider.ts';
import { issueCode } from '../session/codes.ts';
import type { LoginState } from '../session/loginState.ts';
import { giveSession } from '../session/sessionCookie.ts';
import { mintToken } from '../session/sessionToken.ts';
import { completionPage, sessionResult } from './completionPage.ts';
import { problemOf, sendFailure } from './failures.ts';
import { callbackUrl, findProvider, startLogin } from './login.ts';
import { checkRateLimit, noteFailedTry } from './rateLimits.ts';
import {
	type GatewayRoute,
	mediaType,
	type RequestContext,
	readBody,
	redirect,
} from './requestContext.ts';

export const callbackRoute: GatewayRoute = async (exchange, name) => {
	checkRateLimit(exchange);
	const { context, head } = exchange;
	const provider = findProvider(context, name);
	const callback = await readCallback(exchange, provider);
	const state = callback.searchParams.get('state') ?? '';
	const login = context.loginCookies.find(exchange.cookies, state);
	if (!login || login.provider !== provider.settings.name) {
		const identity = await authenticate(head, context, exchange.signal);
		// The other tab has finished already, or the page was loaded again: there is nothing left to do.
		if (identity.kind === 'session' && identity.via === 'cookie' && !identity.expired) {
			redirect(exchange, '/');
			return;
		}
		noteFailedTry(exchange);
		context.audit.write({
			event: 'login_failed',
			provider: provider.settings.name,
			clientIp: head.clientIp,
			reason: 'no login cookie for this state',
		});
		throw new ProviderError(
			'rejected',
			'This browser did not begin that login, or it took longer than ten minutes. Begin again.',
		);
	}
	const { validateNonce, nonceMs } = context.settings.login;
	if (validateNonce && context.now() - login.issuedAt > nonceMs) {
		if (login.retry > 0)
			throw new ProviderError('rejected', 'Signing in took too long twice. Begin again.');
		await startLogin(exchange, provider, {
			provider: login.provider,
			returnTo: login.returnTo,
			mode: login.mode,
			retry: login.retry + 1,
		});
		return;
	}
	try {
		const secrets = context.loginCookies.secrets(login);
		const person = await provider.finish(
			{ callback, state: login.state, ...secrets, memo: login.memo },
			exchange.signal,
		);
		const reason = refusedBy(provider.settings.allowed, person.policy);
		if (reason !== undefined) throw new ProviderError('denied', reason);
		await finishLogin(exchange, login, person);
	} catch (error) {
		if (error instanceof AppError || !(error instanceof ProviderError)) throw error;
		if (error.failure !== 'unreachable') noteFailedTry(exchange);
		context.metrics.count('nearglot_gateway_logins_total', {
			provider: provider.settings.name,
			flow: 'browser',
			result: error.failure,
		});
		context.audit.write({
			event: 'login_failed',
			provider: provider.settings.name,
			clientIp: head.clientIp,
			reason: error.message,
		});
		exchange.response.setHeader('Set-Cookie', context.loginCookies.remove(login.state));
		const again = `${context.settings.apiPrefix}/login/${login.provider}?post_login_redirect_uri=${encodeURIComponent(login.returnTo)}`;
		sendFailure(exchange, problemOf(error), again);
	}
};

/** Callback address with the provider's parameters. Posted forms are read only where the provider needs them. */
async function readCallback(exchange: RequestContext, provider: Provider): Promise<URL> {
	const url = new URL(callbackUrl(exchange.context, provider));
	if (exchange.head.method !== 'POST') {
		url.search = exchange.head.query;
		return url;
	}
	if (!provider.formPost || mediaType(exchange) !== 'application/x-www-form-urlencoded') {
		throw new AppError(
			'method_not_allowed',
			'This provider must answer with a redirect (response_mode=query).',
		);
	}
	url.search = new URLSearchParams(await readBody(exchange)).toString();
	return url;
}

async function finishLogin(
	exchange: RequestContext,
	login: LoginState,
	person: SignedIn,
): Promise<void> {
	const { context, head } = exchange;
	const { mode } = login;
	const old = await authenticate(head, context, exchange.signal).catch(() => undefined);
	const session = await context.sessions.create(
		person,
		mode.kind === 'browser' ? 'browser' : mode.challenge === undefined ? 'client' : 'handoff',
	);
	context.metrics.count('nearglot_gateway_logins_total', {
		provider: person.provider,
		flow: 'browser',
		result: 'ok',
	});
	context.audit.write({
		event: 'login',
		provider: person.provider,
		userId: session.userId,
		clientIp: head.clientIp,
	});
	const cleared = context.loginCookies.remove(login.state);
	if (mode.kind === 'browser') {
		// A new id after every login; what was there before ends.
		if (old?.kind === 'session' && old.via === 'cookie') await context.sessions.end(old.session);
		redirect(exchange, login.returnTo, [
			cleared,
			...giveSession(session, exchange.cookies, context),
		]);
		return;
	}
	if (mode.challenge !== undefined) {
		const target = mode.redirect ?? `${context.settings.apiPrefix}/login/done`;
		const code = await issueCode(context.store, {
			provider: person.provider,
			sid: session.sid,
			challenge: mode.challenge,
			callback: target,
			host: context.settings.publicUrl.host,
		});
		context.audit.write({
			event: 'code_issued',
			provider: person.provider,
			userId: session.userId,
			clientIp: head.clientIp,
		});
		redirect(
			exchange,
			`${withoutFragment(target)}#authorization_code=${encodeURIComponent(code)}`,
			[cleared],
		);
		return;
	}
	const result = sessionResult(session, await mintToken(session, context.tokens));
	if (mode.completion !== undefined) {
		completionPage(exchange, result, mode.completion, mode.origin ?? '', [cleared]);
		return;
	}
	const target = mode.redirect ?? `${context.settings.apiPrefix}/login/done`;
	redirect(
		exchange,
		`${withoutFragment(target)}#token=${encodeURIComponent(JSON.stringify(result))}`,
		[cleared],
	);
}

function withoutFragment(target: string): string {
	return target.split('#', 1)[0]!;
}
