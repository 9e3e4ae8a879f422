/** Where a browser without a session is sent. */

import { randomBytes } from 'node:crypto';
import { sessionCookies } from '../session/cookies.ts';
import { removeSession } from '../session/sessionCookie.ts';
import { link, paragraph, renderPage, scriptValue } from './renderPage.ts';
import { type RequestContext, redirect, sendPage } from './requestContext.ts';

/** Longest address that is remembered over a login; cookies have little room. */
const maxReturnLength = 1200;

/** Redirects to the login; with a small script first when the part after # shall be kept. */
export function loginPage(exchange: RequestContext): void {
	const { head, context } = exchange;
	const returnTo =
		[head.target, head.path].find((address) => address.length <= maxReturnLength) ?? '/';
	// The provider of the settings, not one a link names: this is the app's address, not ours.
	const plain = { ...exchange, query: new URLSearchParams() };
	const address = loginAddress(plain, returnTo);
	if (!context.settings.login.preserveFragments || hasSeveralCookies(exchange)) {
		toLogin(exchange, address);
		return;
	}
	const nonce = randomBytes(16).toString('base64url');
	const text = `location.replace(${scriptValue(address)}+encodeURIComponent(location.hash));`;
	const body = `${paragraph('You are being taken to the sign-in page.')}<noscript><meta http-equiv="refresh" content="0;url=${address.replace(/"/g, '%22').replace(/&/g, '&amp;')}"></noscript>`;
	sendPage(exchange, renderPage({ title: 'Signing in', body, script: { nonce, text } }), {
		scriptNonce: nonce,
	});
}

/** Login page that comes back here: of the named provider, the default one, or the choice. */
export function loginAddress({ context, query }: RequestContext, returnTo: string): string {
	const { settings, providers } = context;
	const name =
		query.get('provider') ??
		settings.access.redirectToProvider ??
		(providers.all.length === 1 ? providers.all[0]!.settings.name : undefined);
	const provider = name === undefined ? undefined : providers.find(name);
	const path = provider
		? `${settings.apiPrefix}/login/${provider.settings.name}`
		: `${settings.apiPrefix}/login`;
	return `${path}?post_login_redirect_uri=${encodeURIComponent(returnTo)}`;
}

/** Leads to the login; a browser with several session cookies is told first, or it would go in circles. */
export function toLogin(exchange: RequestContext, address: string): void {
	if (!hasSeveralCookies(exchange)) {
		redirect(exchange, address);
		return;
	}
	const { cookies, context } = exchange;
	const body =
		paragraph(
			'This browser sent two session cookies for this site, so neither counts: one of them may come from somebody else. If this page comes again, delete the cookies of this site and of the sites above it.',
		) + link(address, 'Sign in');
	const page = renderPage({ title: 'Sign in again', body });
	sendPage(exchange, page, { status: 401 }, removeSession(cookies, context));
}

function hasSeveralCookies({ cookies, context }: RequestContext): boolean {
	return sessionCookies(cookies, context.settings.login.cookieName).length > 1;
}
