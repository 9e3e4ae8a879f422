/** Where a browser without a session is sent. */

import { randomBytes } from 'node:crypto';
import { type Exchange, redirect, sendPage } from './exchange.ts';
import { loginAddress } from './handoff.ts';
import { paragraph, renderPage, scriptValue } from './pages.ts';

/** Longest address that is remembered over a login; cookies have little room. */
const maxReturnLength = 1200;

/** Redirects to the login; with a small script first when the part after # shall be kept. */
export function loginPage(exchange: Exchange): void {
	const { head, context } = exchange;
	const returnTo =
		[head.target, head.path].find((address) => address.length <= maxReturnLength) ?? '/';
	// The provider of the settings, not one a link names: this is the app's address, not ours.
	const plain = { ...exchange, query: new URLSearchParams() };
	const address = loginAddress(plain, returnTo);
	if (!context.settings.login.preserveFragments) {
		redirect(exchange, address);
		return;
	}
	const nonce = randomBytes(16).toString('base64url');
	const text = `location.replace(${scriptValue(address)}+encodeURIComponent(location.hash));`;
	const body = `${paragraph('You are being taken to the sign-in page.')}<noscript><meta http-equiv="refresh" content="0;url=${address.replace(/"/g, '%22').replace(/&/g, '&amp;')}"></noscript>`;
	sendPage(exchange, renderPage({ title: 'Signing in', body, script: { nonce, text } }), {
		scriptNonce: nonce,
	});
}
