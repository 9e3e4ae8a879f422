/** The translators that are not on this machine, made from what the user set and keeps secret. */

import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import { createDirectoryTokens } from '../remote/directoryToken.ts';
import { type HostedSettings, parseHostedSettings } from '../remote/hostedSettings.ts';
import {
	createHostedTranslator,
	type HostedDeps,
	type HostedOptions,
	type HostedTranslator,
} from '../remote/hostedTranslator.ts';
import type { Secrets } from './secrets.ts';

type RemoteEngine = 'team' | 'hosted';

/**
 * Gives the translator of an engine. Tokens live in the translators, so each is kept while its
 * settings stay the same.
 */
export function createRemoteTranslators(
	env: NodeJS.ProcessEnv,
	secrets: Secrets,
	deps: HostedDeps,
): (engine: RemoteEngine) => HostedTranslator {
	const made = new Map<RemoteEngine, { key: string; translator: HostedTranslator }>();
	const kept = (
		engine: RemoteEngine,
		settings: unknown,
		make: () => HostedOptions,
	): HostedTranslator => {
		const key = JSON.stringify(settings);
		const known = made.get(engine);
		if (known?.key === key) return known.translator;
		const translator = createHostedTranslator(make(), deps);
		made.set(engine, { key, translator });
		return translator;
	};

	const team = (): HostedTranslator => {
		const endpoint = env['NEARGLOT_TEAM_URL'];
		const key = secrets.get('upstreamKey');
		if (endpoint === undefined)
			throw new AppError(
				'invalid_request',
				'No team server is set. Set its address (NEARGLOT_TEAM_URL), or choose the local engine.',
			);
		const options = { endpoint, ...defined({ key }) };
		return kept('team', options, () => options);
	};

	const hosted = (): HostedTranslator => {
		const settings = parseHostedSettings(
			secrets.get('translatorSettings') ?? env['NEARGLOT_HOSTED'],
		);
		const key = secrets.get('translatorKey');
		const clientSecret = secrets.get('translatorClientSecret');
		const endpoint = settings.endpoint ?? secrets.get('translatorEndpoint');
		const region = settings.region ?? secrets.get('translatorRegion');
		return kept('hosted', [settings, key, clientSecret, endpoint, region], () => ({
			...defined({ endpoint, region, key, category: settings.category }),
			...(settings.signIn === 'token' ? { useTokens: true } : {}),
			...(settings.signIn === 'directory' ? directory(settings, clientSecret, deps) : {}),
		}));
	};
	return (engine) => (engine === 'team' ? team() : hosted());
}

function directory(
	{ issuer = '', clientId = '', scope, resourceId }: HostedSettings,
	clientSecret: string | undefined,
	deps: HostedDeps,
): HostedOptions {
	if (clientSecret === undefined)
		throw new AppError(
			'invalid_api_key',
			'The client secret of the hosted translator is not set. Enter it with "Nearglot: Manage Keys", or choose the local engine.',
		);
	const tokens = createDirectoryTokens(
		{ issuer, clientId, clientSecret, ...defined({ scope }) },
		deps,
	);
	return {
		directoryToken: () => tokens.token(),
		forgetDirectoryToken: () => tokens.reset(),
		...defined({ resourceId }),
	};
}
