/**
 * `/.auth/handoff`: gives the person signed in here to an editor on the same machine. Never without a
 * click; the editor gets a session of its own through a one-time code bound to its proof key.
 */

import { AppError } from '../../protocol/errors.ts';
import { browserSession } from '../access/authenticate.ts';
import { siteRelation } from '../access/crossSite.ts';
import { textOf } from '../config/configFields.ts';
import { seal, unseal } from '../keys/seal.ts';
import { issueCode } from '../session/codes.ts';
import { checkPhrase } from '../session/pkce.ts';
import { type HandoffParameters, readHandoffParameters } from './handoffParameters.ts';
import { loginAddress, toLogin } from './loginRedirect.ts';
import { checkRateLimit } from './rateLimits.ts';
import { escapeHtml, link, paragraph, postForm, renderPage } from './renderPage.ts';
import { type GatewayRoute, readFormFields, redirect, sendPage } from './requestContext.ts';

/** How long the page may be open before it must be asked for again. */
const pageMs = 600_000;

interface PageState extends HandoffParameters {
	readonly sid: string;
	readonly at: number;
}

export const handoffPageRoute: GatewayRoute = async (exchange) => {
	checkRateLimit(exchange);
	const { context, head, query } = exchange;
	const parameters = readHandoffParameters(query, context.settings);
	const session = await browserSession(exchange);
	if (!session) {
		toLogin(exchange, loginAddress(exchange, head.target));
		return;
	}
	const state: PageState = { ...parameters, sid: session.sid, at: context.now() };
	const form = postForm(
		`${context.settings.apiPrefix}/handoff`,
		{ page: seal(context.ring, 'page-enc', JSON.stringify(state)) },
		[
			{ text: 'Continue', main: true },
			{ name: 'show', value: 'code', text: 'Show a code to paste instead' },
		],
	);
	const body =
		`<p>Continue as <strong>${escapeHtml(session.name)}</strong> to <strong>${escapeHtml(targetName(parameters.callback))}</strong>?</p>` +
		`<p>The editor must show the verification code <code>${escapeHtml(checkPhrase(parameters.challenge))}</code>. If it does not, close this page.</p>` +
		form;
	sendPage(exchange, renderPage({ title: 'Sign in the editor', body }), {
		formTargets: [formTarget(parameters.callback)],
	});
};

export const handoffConfirmRoute: GatewayRoute = async (exchange) => {
	checkRateLimit(exchange);
	const { context, head } = exchange;
	if (siteRelation(head, context.settings) !== 'same')
		throw new AppError('forbidden', 'This must be confirmed on the page itself.');
	const fields = (await readFormFields(exchange, true)) ?? {};
	const text = unseal(context.ring, 'page-enc', textOf(fields, 'page') ?? '');
	const state = text === undefined ? undefined : (JSON.parse(text) as Partial<PageState>);
	const session = await browserSession(exchange);
	const fits =
		state?.sid !== undefined &&
		state.sid === session?.sid &&
		state.callback !== undefined &&
		state.challenge !== undefined;
	if (!fits || context.now() - (state?.at ?? 0) > pageMs) {
		throw new AppError(
			'forbidden',
			'This page belongs to another session or is too old. Begin again in the editor.',
		);
	}
	const copy = await context.sessions.copy(session!, 'handoff');
	const code = await issueCode(context.store, {
		provider: copy.provider,
		sid: copy.sid,
		challenge: state!.challenge!,
		callback: state!.callback!,
		host: context.settings.publicUrl.host,
	});
	context.audit.write({
		event: 'code_issued',
		provider: copy.provider,
		userId: copy.userId,
		clientIp: head.clientIp,
	});
	const location = appendQuery(state!.callback!, { code, provider: copy.provider });
	if (textOf(fields, 'show') !== 'code') {
		redirect(exchange, location, [], 303);
		return;
	}
	const body =
		paragraph('Paste this code into the editor within one minute:') +
		`<p><code>${escapeHtml(`${copy.provider}.${code}`)}</code></p>` +
		link(location, 'Open the editor');
	sendPage(exchange, renderPage({ title: 'Code for the editor', body }));
};

/** Adds parameters to an address of any scheme without touching what is there. */
function appendQuery(address: string, values: Readonly<Record<string, string>>): string {
	const url = new URL(address);
	for (const [name, value] of Object.entries(values)) url.searchParams.append(name, value);
	return url.href;
}

function formTarget(callback: string): string {
	const url = new URL(callback);
	return url.protocol === 'http:' || url.protocol === 'https:' ? url.origin : url.protocol;
}

function targetName(callback: string): string {
	const url = new URL(callback);
	const known: ReadonlyMap<string, string> = new Map(
		Object.entries<string>({
			'vscode:': 'Visual Studio Code',
			'vscode-insiders:': 'Visual Studio Code - Insiders',
			'vscodium:': 'VSCodium',
			'http:': 'a program on this computer',
		}),
	);
	return `${known.get(url.protocol) ?? url.protocol.replace(/:$/, '')} (${url.host})`;
}
