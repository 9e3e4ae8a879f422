/** The result of a sign-in as clients get it, and the pages that end one. */

import { randomBytes } from 'node:crypto';
import type { GatewaySession } from '../session/sessions.ts';
import { paragraph, renderPage, scriptValue } from './renderPage.ts';
import { type GatewayRoute, type RequestContext, sendPage } from './requestContext.ts';

export interface SessionResult {
	readonly authenticationToken: string;
	readonly user: { readonly userId: string };
}

export function sessionResult(session: GatewaySession, token: string): SessionResult {
	return { authenticationToken: token, user: { userId: session.userId } };
}

/** `GET /.auth/login/done`. A token in the fragment is read by whoever opened the page, never by a script of it. */
export const doneRoute: GatewayRoute = async (exchange) => {
	const body = paragraph('You have signed in. You can close this page and return to the app.');
	sendPage(exchange, renderPage({ title: 'Signed in', body }), { keepOpener: true });
};

/** Gives the result to the page that opened this one; only to the origin checked when the login began. */
export function completionPage(
	exchange: RequestContext,
	result: SessionResult,
	type: 'postMessage' | 'iframe',
	origin: string,
	setCookies: readonly string[],
): void {
	const nonce = randomBytes(16).toString('base64url');
	const message = JSON.stringify({ type: 'LoginCompleted', oauth: result });
	const target = type === 'iframe' ? 'window.parent' : 'window.opener';
	const text = `(()=>{const t=${target};if(t&&t!==window){t.postMessage(${scriptValue(message)},${scriptValue(origin)});${type === 'postMessage' ? 'window.close();' : ''}}})();`;
	const body = paragraph('You have signed in. You can close this page.');
	sendPage(
		exchange,
		renderPage({ title: 'Signed in', body, script: { nonce, text } }),
		{ scriptNonce: nonce, keepOpener: true, ...(type === 'iframe' ? { frameOrigin: origin } : {}) },
		setCookies,
	);
}
