/** `/.auth/logout` and `/.auth/logout/done`. */

import { randomBytes } from 'node:crypto';
import { AppError } from '../../protocol/errors.ts';
import { browserStorePrefix } from '../../protocol/personHeaders.ts';
import { authenticate } from '../access/authenticate.ts';
import { siteRelation } from '../access/crossSite.ts';
import { checkRedirect } from '../access/redirects.ts';
import type { ProviderTokens } from '../identity/signedIn.ts';
import { seal, unseal } from '../keys/seal.ts';
import { header } from '../proxy/requestHead.ts';
import { writeCookie } from '../session/cookies.ts';
import { removeSession, sentSessionIds } from '../session/sessionCookie.ts';
import type { GatewaySession } from '../session/sessions.ts';
import { link, paragraph, postForm, renderPage, scriptValue } from './renderPage.ts';
import {
	type GatewayRoute,
	type RequestContext,
	redirect,
	sendEmpty,
	sendPage,
} from './requestContext.ts';

export const logoutRoute: GatewayRoute = async (exchange) => {
	const { context, head, query } = exchange;
	const { settings } = context;
	const asked =
		query.get('post_logout_redirect_uri') ?? query.get('post_logout_redirect_url') ?? undefined;
	const target = checkRedirect(asked, settings);
	if (target.kind === 'refused') {
		throw new AppError(
			'forbidden',
			'post_logout_redirect_uri is neither on this site nor on the list of allowed addresses.',
			{ param: 'post_logout_redirect_uri' },
		);
	}
	const identity = await authenticate(head, context, exchange.signal, true);
	if (identity.kind === 'session' && identity.via === 'token') {
		await end(exchange, identity.session);
		sendEmpty(exchange, 204);
		return;
	}
	if (header(head, 'x-zumo-auth') !== undefined || identity.kind === 'refused') {
		// A program whose session has ended already has what it wants, and no use for a page.
		sendEmpty(exchange, 204);
		return;
	}
	if (siteRelation(head, settings) === 'foreign') {
		confirm(exchange);
		return;
	}
	const done = `${settings.apiPrefix}/logout/done`;
	const local = asked === undefined ? done : target.value;
	const cleared = removeSession(exchange.cookies, context);
	if (identity.kind !== 'session') {
		for (const sid of sentSessionIds(exchange.cookies, context)) {
			const session = await context.sessions.find(sid, true);
			if (session?.kind === 'browser') await end(exchange, session);
		}
		redirect(exchange, local, cleared);
		return;
	}
	const tokens = await tokensToEnd(exchange, identity.session);
	// First here: a provider may take long.
	await end(exchange, identity.session);
	const state = seal(
		context.ring,
		'page-enc',
		JSON.stringify({ target: local, at: context.now() }),
	);
	const atProvider = await endAtProvider(exchange, identity.session, tokens, state);
	// Some providers come back without the state, so the browser keeps it, too.
	const kept = atProvider === undefined ? [] : [returnCookie(exchange, state)];
	redirect(exchange, atProvider?.href ?? local, [...cleared, ...kept]);
};

/** Where a sign-out was asked to end, while the browser is at the provider; an empty state removes it. */
const returnCookieName = 'auth-n-out';
const returnS = 600;

function returnCookie({ context }: RequestContext, state: string): string {
	return writeCookie(returnCookieName, state, {
		secure: context.settings.publicUrl.protocol === 'https:',
		sameSite: 'Lax',
		maxAgeS: state === '' ? 0 : returnS,
	});
}

async function end({ context, head }: RequestContext, session: GatewaySession): Promise<void> {
	await context.sessions.end(session);
	context.audit.write({
		event: 'logout',
		provider: session.provider,
		userId: session.userId,
		clientIp: head.clientIp,
	});
}

/** An editor that was signed in from here goes on with the same grant, so that one stays. */
async function tokensToEnd(
	{ context }: RequestContext,
	session: GatewaySession,
): Promise<ProviderTokens> {
	const all = await context.sessions.tokensOf(session);
	if (!(await context.sessions.sharesTokens(session))) return all;
	return all.idToken === undefined ? {} : { idToken: all.idToken };
}

/** A provider that does not answer must not keep anybody signed in here. */
async function endAtProvider(
	{ context, signal }: RequestContext,
	session: GatewaySession,
	tokens: ProviderTokens,
	state: string,
): Promise<URL | undefined> {
	const provider = context.providers.find(session.provider);
	const { publicUrl, apiPrefix } = context.settings;
	try {
		return await provider?.signOut(
			tokens,
			`${publicUrl.origin}${apiPrefix}/logout/done`,
			state,
			signal,
		);
	} catch {
		return undefined;
	}
}

/** Somebody else's page leads here: only a click signs out; images and frames do nothing. */
function confirm(exchange: RequestContext): void {
	const destination = header(exchange.head, 'sec-fetch-dest');
	if (destination !== undefined && destination !== 'document') {
		throw new AppError('forbidden', 'Signing out cannot be done from another web page.');
	}
	const form = postForm(`${exchange.context.settings.apiPrefix}/logout${exchange.head.query}`, {}, [
		{ text: 'Sign out', main: true },
	]);
	sendPage(
		exchange,
		renderPage({
			title: 'Sign out?',
			body: paragraph('Another page asks to sign you out.') + form,
		}),
	);
}

/**
 * Removes what our own pages keep in the browser. Not by `Clear-Site-Data`: at this address another app may keep
 * something of its own.
 */
const forgetKept = `for(const store of [localStorage,sessionStorage])for(const name of Object.keys(store))if(name.startsWith(${scriptValue(browserStorePrefix)}))store.removeItem(name);indexedDB.deleteDatabase(${scriptValue(`${browserStorePrefix}chats`)})`;

export const logoutDoneRoute: GatewayRoute = async (exchange) => {
	const { context, cookies, query } = exchange;
	const kept = cookies.find(({ name }) => name === returnCookieName)?.value;
	const forgotten = kept === undefined ? [] : [returnCookie(exchange, '')];
	const text = unseal(context.ring, 'page-enc', query.get('state') ?? kept ?? '');
	if (text !== undefined) {
		const { target, at } = JSON.parse(text) as { target?: unknown; at?: unknown };
		if (
			typeof target === 'string' &&
			typeof at === 'number' &&
			context.now() - at < 3_600_000 &&
			!target.includes('/logout/done')
		) {
			redirect(exchange, target, forgotten);
			return;
		}
	}
	const nonce = randomBytes(16).toString('base64url');
	sendPage(
		exchange,
		renderPage({
			title: 'Signed out',
			body: paragraph('You have signed out.') + link('/', 'Sign in again'),
			script: { nonce, text: forgetKept },
		}),
		{ scriptNonce: nonce },
		forgotten,
	);
};
