/** `GET /.auth/login/<provider>`: checks where the login may end and sends the browser to the provider. */

import { defined } from '../../protocol/defined.ts';
import { AppError } from '../../protocol/errors.ts';
import { corsOrigin as originAllowed } from '../access/cors.ts';
import { checkRedirect } from '../access/redirects.ts';
import { protocolParameters } from '../config/providerSettings.ts';
import type { GatewayContext } from '../context.ts';
import type { Provider } from '../providers/provider.ts';
import type { LoginMode, LoginRequest } from '../session/loginState.ts';
import { challengeBytes } from '../session/pkce.ts';
import { checkHandoffParameters } from './handoffParameters.ts';
import { checkRateLimit } from './rateLimits.ts';
import { link, paragraph, renderPage } from './renderPage.ts';
import { type GatewayRoute, type RequestContext, redirect, sendPage } from './requestContext.ts';

export const loginRoute: GatewayRoute = async (exchange, name) => {
	checkRateLimit(exchange);
	const provider = findProvider(exchange.context, name);
	const { query, context } = exchange;
	const asked =
		query.get('post_login_redirect_uri') ?? query.get('post_login_redirect_url') ?? undefined;
	const target = checkRedirect(asked, context.settings);
	if (target.kind === 'refused') {
		throw new AppError(
			'forbidden',
			'post_login_redirect_uri is neither on this site nor on the list of allowed addresses.',
			{ param: 'post_login_redirect_uri' },
		);
	}
	const wantsToken = query.get('session_mode') === 'token';
	if (target.kind === 'external' && !wantsToken) {
		// A browser session is no use elsewhere, but leaving is allowed after it was made.
		await startLogin(exchange, provider, {
			provider: provider.settings.name,
			returnTo: target.value,
			mode: { kind: 'browser' },
			retry: 0,
		});
		return;
	}
	if (target.kind === 'local') checkHandoffParameters(target.value, context.settings);
	const mode = wantsToken
		? tokenMode(exchange, asked === undefined ? undefined : target.value)
		: ({ kind: 'browser' } as const);
	await startLogin(exchange, provider, {
		provider: provider.settings.name,
		returnTo: target.value,
		mode,
		retry: 0,
	});
};

function tokenMode(
	{ query, context, head }: RequestContext,
	redirectTo: string | undefined,
): LoginMode {
	const challenge = query.get('code_challenge') ?? undefined;
	if (challenge !== undefined) {
		if ((query.get('code_challenge_method') ?? 'plain') !== 'S256' || !challengeBytes(challenge)) {
			throw new AppError(
				'invalid_request',
				'code_challenge must be the SHA-256 of the verifier (base64url), with code_challenge_method=S256.',
				{ param: 'code_challenge' },
			);
		}
	}
	const external = redirectTo !== undefined && !redirectTo.startsWith('/');
	if (external && !redirectTo.startsWith('https://') && challenge === undefined) {
		throw new AppError(
			'invalid_request',
			'An address that any local program can claim needs code_challenge: a token is not put into it.',
			{ param: 'code_challenge' },
		);
	}
	const completion = query.get('completion_type') ?? undefined;
	if (completion === undefined) {
		return {
			kind: 'token',
			...defined({ redirect: redirectTo, challenge }),
		};
	}
	if (completion !== 'postMessage' && completion !== 'iframe') {
		throw new AppError('invalid_request', "completion_type must be 'postMessage' or 'iframe'.", {
			param: 'completion_type',
		});
	}
	const origin = query.get('completion_origin') ?? '';
	const known =
		origin === context.settings.publicUrl.origin ||
		context.settings.login.allowedRedirects.some((url) => url.replace(/\/$/, '') === origin);
	const editor =
		originAllowed(
			{ ...head, headers: ['origin', origin] },
			context.settings.access.editorOrigins,
		) !== undefined;
	if (!/^https?:\/\/[^/?#*@\s]+$/.test(origin) || !(known || editor)) {
		throw new AppError('forbidden', 'completion_origin is not on the list of allowed addresses.', {
			param: 'completion_origin',
		});
	}
	return { kind: 'token', completion, origin };
}

/** Begins a login (again) and sends the browser away. */
export async function startLogin(
	exchange: RequestContext,
	provider: Provider,
	asked: LoginRequest,
): Promise<void> {
	const { context, cookies, query, signal } = exchange;
	const login = context.loginCookies.begin(cookies, asked);
	const begun = await provider.begin(
		{
			redirectUri: callbackUrl(context, provider),
			state: login.state,
			...context.loginCookies.secrets(login),
			parameters: asked.retry === 0 ? passedParameters(provider, query) : {},
		},
		signal,
	);
	const kept = begun.memo === undefined ? login : { ...login, memo: begun.memo };
	context.audit.write({
		event: 'login_started',
		provider: provider.settings.name,
		clientIp: exchange.head.clientIp,
	});
	redirect(
		exchange,
		begun.url.href,
		context.loginCookies.write(kept, cookies, provider.formPost ? 'None' : 'Lax'),
	);
}

/** Fixed address the provider answers to; never built from the request. */
export function callbackUrl(context: GatewayContext, provider: Provider): string {
	const { publicUrl, apiPrefix } = context.settings;
	return `${publicUrl.origin}${apiPrefix}/login/${provider.settings.name}/callback`;
}

function passedParameters(provider: Provider, query: URLSearchParams): Record<string, string> {
	const found = new Map<string, string>();
	for (const name of provider.settings.passedParameters) {
		const value = query.get(name);
		if (value !== null && !protocolParameters.has(name)) found.set(name, value);
	}
	return Object.fromEntries(found);
}

/** @throws AppError `not_found`. */
export function findProvider(context: GatewayContext, name: string): Provider {
	const provider = context.providers.find(name);
	if (provider) return provider;
	const names = context.providers.all.map((row) => row.settings.name).join(', ');
	throw new AppError(
		'not_found',
		`There is no sign-in provider '${name.slice(0, 64)}' here. Known: ${names}.`,
	);
}

/** `GET /.auth/login`: choice of providers, or straight to the only one. */
export const chooserRoute: GatewayRoute = async (exchange) => {
	const { context, query } = exchange;
	const { settings } = context;
	const asked = query.get('post_login_redirect_uri') ?? undefined;
	if (checkRedirect(asked, settings).kind === 'refused')
		throw new AppError('forbidden', 'post_login_redirect_uri is not allowed.');
	const suffix = asked === undefined ? '' : `?post_login_redirect_uri=${encodeURIComponent(asked)}`;
	const links = context.providers.all.map((provider) =>
		link(
			`${settings.apiPrefix}/login/${provider.settings.name}${suffix}`,
			`Continue with ${provider.settings.label}`,
		),
	);
	sendPage(
		exchange,
		renderPage({
			title: `Sign in to ${settings.publicUrl.host}`,
			body: links.join('') || paragraph('No sign-in provider is set up.'),
		}),
	);
};
