/** Errors of the OpenID Connect library as the five ways a provider can fail. */

import * as client from 'openid-client';
import { ProviderError, type ProviderFailure, refusedSignIn } from './provider.ts';

/** Errors by which a provider says that it is in trouble itself. */
const providerTrouble = new Set(['server_error', 'temporarily_unavailable']);

/**
 * @param grantFailure What a refused grant means: a bad code when signing in, a revoked token when refreshing.
 */
export function oidcError(
	error: unknown,
	label: string,
	grantFailure: ProviderFailure = 'rejected',
): ProviderError {
	if (error instanceof ProviderError) return error;
	if (error instanceof client.AuthorizationResponseError) {
		if (providerTrouble.has(error.error))
			return new ProviderError('unreachable', `${label} reports trouble: ${error.error}.`, error);
		return refusedSignIn(label, error.error, error);
	}
	if (error instanceof client.ResponseBodyError) {
		if (error.status >= 500 || providerTrouble.has(error.error)) {
			return new ProviderError(
				'unreachable',
				`${label} failed with status ${error.status}.`,
				error,
			);
		}
		const failure = error.error === 'invalid_grant' ? grantFailure : 'rejected';
		return new ProviderError(failure, `${label} refused the request: ${error.error}.`, error);
	}
	if (error instanceof client.WWWAuthenticateChallengeError) {
		return new ProviderError(
			'rejected',
			`${label} refused the request with status ${error.status}.`,
			error,
		);
	}
	const status = statusOf(error);
	if (status !== undefined && status >= 500)
		return new ProviderError('unreachable', `${label} failed with status ${status}.`, error);
	if (isNetwork(error)) return new ProviderError('unreachable', `${label} does not answer.`, error);
	const detail = error instanceof Error ? error.message : String(error);
	return new ProviderError('rejected', `The answer of ${label} was refused: ${detail}.`, error);
}

function statusOf(error: unknown): number | undefined {
	const cause = error instanceof Error ? error.cause : undefined;
	return cause instanceof Response ? cause.status : undefined;
}

function isNetwork(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	const code = (error as { code?: unknown }).code;
	if (code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT') return true;
	// `fetch` reports every network failure as a TypeError with a cause that has a code.
	const inner = error.cause instanceof Error ? error.cause : undefined;
	return (
		(error instanceof TypeError && inner !== undefined) || (inner !== undefined && isNetwork(inner))
	);
}
