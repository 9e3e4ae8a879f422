/** The parameters of a hand-off to an editor: checked when the login begins and again when it is confirmed. */

import { AppError } from '../../protocol/errors.ts';
import { isAllowedExternal } from '../access/redirects.ts';
import type { GatewaySettings } from '../config/gatewaySettings.ts';
import { challengeBytes } from '../session/pkce.ts';

export interface HandoffParameters {
	readonly callback: string;
	readonly challenge: string;
}

/** @throws AppError `invalid_request` for the proof key, `forbidden` for the callback. */
export function readHandoffParameters(
	query: URLSearchParams,
	settings: GatewaySettings,
): HandoffParameters {
	const challenge = query.get('code_challenge') ?? '';
	if (!challengeBytes(challenge)) {
		throw new AppError(
			'invalid_request',
			'code_challenge must be the SHA-256 of a verifier, base64url.',
			{ param: 'code_challenge' },
		);
	}
	if (query.get('code_challenge_method') !== 'S256') {
		throw new AppError('invalid_request', 'code_challenge_method must be S256.', {
			param: 'code_challenge_method',
		});
	}
	const callback = query.get('callback') ?? '';
	if (!isAllowedExternal(callback, settings.login.allowedRedirects)) {
		throw new AppError(
			'forbidden',
			'The callback is not on the list of allowed addresses (login.allowedExternalRedirectUrls).',
			{ param: 'callback' },
		);
	}
	return { callback, challenge };
}

/** Does the same for a return path, when that is the hand-off page. */
export function checkHandoffParameters(returnTo: string, settings: GatewaySettings): void {
	const url = new URL(returnTo, settings.publicUrl);
	if (url.pathname === `${settings.apiPrefix}/handoff`)
		readHandoffParameters(url.searchParams, settings);
}
