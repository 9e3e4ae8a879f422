/** `/.auth/device`: sign-in for an editor without a browser of its own (SSH, containers). */

import { AppError } from '../../protocol/errors.ts';
import type { SignInCode } from '../../protocol/signInCodes.ts';
import { browserSession } from '../access/authenticate.ts';
import { siteRelation } from '../access/crossSite.ts';
import { textOf } from '../config/configFields.ts';
import { seal, unseal } from '../keys/seal.ts';
import { DeviceGrants, deviceLifeS, pollIntervalS } from '../session/deviceGrants.ts';
import { mintToken } from '../session/sessionToken.ts';
import { sessionResult } from './completionPage.ts';
import { loginAddress, toLogin } from './loginRedirect.ts';
import { checkRateLimit, countDeviceStart, noteFailedTry } from './rateLimits.ts';
import { escapeHtml, paragraph, postForm, renderPage } from './renderPage.ts';
import {
	type GatewayRoute,
	type RequestContext,
	readFormFields,
	sendJson,
	sendPage,
} from './requestContext.ts';

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

function grants({ context }: RequestContext): DeviceGrants {
	return new DeviceGrants(context.store, context.now);
}

/** `POST /.auth/device`: device authorization request. */
export const deviceStartRoute: GatewayRoute = async (exchange) => {
	checkRateLimit(exchange);
	countDeviceStart(exchange);
	const { context, head } = exchange;
	if (siteRelation(head, context.settings) === 'foreign' && exchange.corsOrigin === undefined)
		throw new AppError('forbidden');
	const { deviceCode, userCode } = await grants(exchange).begin();
	context.audit.write({ event: 'device_started', clientIp: head.clientIp });
	const page = `${context.settings.publicUrl.origin}${context.settings.apiPrefix}/device`;
	sendJson(exchange, 200, {
		device_code: deviceCode,
		user_code: userCode,
		verification_uri: page,
		verification_uri_complete: `${page}?user_code=${userCode}`,
		expires_in: deviceLifeS,
		interval: pollIntervalS,
	});
};

/** `POST /.auth/device/token`: the device asks whether somebody has approved. */
export const deviceTokenRoute: GatewayRoute = async (exchange) => {
	const { context, head } = exchange;
	const fields = await readFormFields(exchange, true);
	const deviceCode = textOf(fields ?? {}, 'device_code');
	const asked = textOf(fields ?? {}, 'grant_type') ?? grantType;
	if (deviceCode === undefined || asked !== grantType) {
		const error: SignInCode =
			deviceCode === undefined ? 'invalid_request' : 'unsupported_grant_type';
		sendJson(exchange, 400, { error });
		return;
	}
	const result = await grants(exchange).poll(deviceCode);
	const session =
		result.kind === 'approved' ? await context.sessions.find(result.sid, true) : undefined;
	if (!session) {
		const error = result.kind === 'error' ? result.error : 'expired_token';
		sendJson(exchange, 400, { error, error_description: descriptions[error] });
		return;
	}
	context.audit.write({
		event: 'code_redeemed',
		provider: session.provider,
		userId: session.userId,
		clientIp: head.clientIp,
	});
	sendJson(exchange, 200, sessionResult(session, await mintToken(session, context.tokens)));
};

const descriptions = {
	authorization_pending: 'Nobody has approved yet. Ask again after the interval.',
	slow_down: 'Ask less often: five seconds were added to the interval.',
	expired_token: 'The code is unknown, used or older than ten minutes. Begin again.',
	access_denied: 'The sign-in was refused on the page.',
} as const satisfies Partial<Record<SignInCode, string>>;

/** `GET /.auth/device`: page that asks for the code and then for a click. */
export const devicePageRoute: GatewayRoute = async (exchange) => {
	checkRateLimit(exchange);
	const { context, head, query } = exchange;
	const session = await browserSession(exchange);
	if (!session) {
		toLogin(exchange, loginAddress(exchange, head.target));
		return;
	}
	const userCode = query.get('user_code') ?? '';
	const action = `${context.settings.apiPrefix}/device`;
	if (userCode === '') {
		const input =
			'<label>Code shown by the device<input name="user_code" autocomplete="off" autocapitalize="characters" required autofocus></label>';
		const form = `<form method="get" action="${escapeHtml(action)}">${input}<button class="main">Next</button></form>`;
		sendPage(exchange, renderPage({ title: 'Sign in a device', body: form }));
		return;
	}
	const found = await grants(exchange).find(userCode);
	if (!found) {
		noteFailedTry(exchange);
		throw new AppError(
			'not_found',
			'There is no such code, or it is older than ten minutes. Begin again on the device.',
		);
	}
	const page = seal(
		context.ring,
		'page-enc',
		JSON.stringify({ sid: session.sid, userCode: found.grant.userCode, at: context.now() }),
	);
	const body =
		`<p>Sign in the device that shows <code>${escapeHtml(found.grant.userCode)}</code> as <strong>${escapeHtml(session.name)}</strong>?</p>` +
		paragraph(
			'Only do this when you began it yourself: whoever has the device will act in your name.',
		) +
		postForm(`${action}/approve`, { page }, [
			{ name: 'answer', value: 'yes', text: 'Sign in this device', main: true },
			{ name: 'answer', value: 'no', text: 'Refuse' },
		]);
	sendPage(exchange, renderPage({ title: 'Sign in a device', body }));
};

/** `POST /.auth/device/approve`: the click. */
export const deviceApproveRoute: GatewayRoute = async (exchange) => {
	checkRateLimit(exchange);
	const { context, head } = exchange;
	if (siteRelation(head, context.settings) !== 'same')
		throw new AppError('forbidden', 'This must be confirmed on the page itself.');
	const fields = (await readFormFields(exchange, true)) ?? {};
	const text = unseal(context.ring, 'page-enc', textOf(fields, 'page') ?? '');
	const state =
		text === undefined
			? {}
			: (JSON.parse(text) as { sid?: string; userCode?: string; at?: number });
	const session = await browserSession(exchange);
	if (
		!session ||
		state.sid !== session.sid ||
		state.userCode === undefined ||
		context.now() - (state.at ?? 0) > deviceLifeS * 1000
	) {
		throw new AppError(
			'forbidden',
			'This page belongs to another session or is too old. Begin again on the device.',
		);
	}
	const approve = textOf(fields, 'answer') === 'yes';
	const settled = await grants(exchange).settle(
		state.userCode,
		approve ? async () => (await context.sessions.copy(session, 'device')).sid : undefined,
	);
	if (!settled) throw new AppError('not_found', 'This code was used already or is too old.');
	context.audit.write({
		event: approve ? 'device_approved' : 'device_denied',
		provider: session.provider,
		userId: session.userId,
		clientIp: head.clientIp,
	});
	const words = approve
		? 'The device is signed in. You can close this page.'
		: 'The device was refused. You can close this page.';
	sendPage(
		exchange,
		renderPage({ title: approve ? 'Device signed in' : 'Refused', body: paragraph(words) }),
	);
};
