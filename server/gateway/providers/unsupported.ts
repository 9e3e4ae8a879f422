/** Answers of providers that have no refresh tokens, no sign-out and no Bearer tokens for apps. */

import { ProviderError } from './provider.ts';

export function noRefresh(): Promise<never> {
	return Promise.reject(
		new ProviderError('unsupported', 'This provider has no refresh tokens. Sign in again.'),
	);
}

export function noSignOut(): Promise<undefined> {
	return Promise.resolve(undefined);
}

export function noBearer(): Promise<undefined> {
	return Promise.resolve(undefined);
}
