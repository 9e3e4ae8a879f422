/** Makes the providers of the settings and finds them by name. */

import type { ProviderSettings } from '../config/gatewaySettings.ts';
import { alias } from '../config/parseSettings.ts';
import { createFacebookProvider } from './facebook.ts';
import { createGithubProvider } from './github.ts';
import { createMicrosoftAccountProvider } from './microsoftAccount.ts';
import { OidcProvider } from './oidc.ts';
import type { Provider, ProviderDeps } from './provider.ts';
import { createTwitterProvider } from './twitter.ts';

export interface ProviderRegistry {
	readonly all: readonly Provider[];
	/** By path segment; `x` and the long names are aliases. */
	find(name: string): Provider | undefined;
}

export function createProviders(
	settings: readonly ProviderSettings[],
	deps: ProviderDeps,
): ProviderRegistry {
	return registryOf(settings.map((row) => create(row, deps)));
}

/** The only place where a path segment becomes a provider. */
export function registryOf(all: readonly Provider[]): ProviderRegistry {
	const byName = new Map(all.map((provider) => [provider.settings.name, provider]));
	return { all, find: (name) => byName.get(alias(name.toLowerCase())) };
}

function create(settings: ProviderSettings, deps: ProviderDeps): Provider {
	if (settings.kind === 'github') return createGithubProvider(settings, deps);
	if (settings.kind === 'facebook') return createFacebookProvider(settings, deps);
	if (settings.kind === 'twitter') return createTwitterProvider(settings, deps);
	if (settings.kind === 'microsoftaccount') return createMicrosoftAccountProvider(settings, deps);
	return new OidcProvider(settings, deps);
}
