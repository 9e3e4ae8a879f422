/** Settings and keys of an emulated layer: this computer only, nothing kept, every provider there. */

import { randomBytes } from 'node:crypto';
import { AppError } from '../../protocol/errors.ts';
import { asFields, type ConfigFields, section } from '../config/configFields.ts';
import { type ParsedSettings, parseSettings } from '../config/parseSettings.ts';
import type { BuiltinKey } from '../config/providerSettings.ts';
import { isLoopback, type ListenAddress } from '../config/publicUrl.ts';
import type { LoadedKeys } from '../keys/keyFile.ts';
import { KeyRing } from '../keys/keyRing.ts';
import { gatewaySecretName } from '../keys/sharedSecret.ts';

const secret = 'EMULATED_SECRET';
const credentials = { clientId: 'emulated', clientSecretSettingName: secret };

/** What stands in for the registration of each provider of the settings. */
const registrations: Readonly<Record<BuiltinKey, ConfigFields>> = {
	azureActiveDirectory: {
		...credentials,
		openIdIssuer: 'https://login.microsoftonline.com/common/v2.0',
	},
	legacyMicrosoftAccount: credentials,
	facebook: { appId: 'emulated', appSecretSettingName: secret },
	google: credentials,
	gitHub: credentials,
	apple: credentials,
	twitter: { consumerKey: 'emulated', consumerSecretSettingName: secret },
};

/** Parts of the own settings that an emulation has of its own, or has no use for. */
const replaced = new Set([
	'publicUrl',
	'allowedHosts',
	'trustedHops',
	'trustedProxies',
	'replicas',
	'store',
	'keysFile',
	'userIdKeySettingName',
	'upstreamSecret',
	'tls',
	'adminPort',
	'adminHost',
	'auditFile',
]);

/**
 * All the rules of a settings file (who gets in, open paths, names of headers), with the address, store, keys
 * and registrations of an emulation.
 * @param file parsed settings; absent: everybody must sign in
 * @param personSecret what a model server behind it was given to know who is signed in
 * @throws AppError `invalid_request` when something would be reachable from elsewhere
 */
export function emulatedSettings(
	file: unknown,
	listen: ListenAddress,
	upstream: string,
	personSecret?: string,
): ParsedSettings {
	if (!isLoopback(listen.host)) throw notHere('--host');
	const app = URL.canParse(upstream) ? new URL(upstream) : undefined;
	// What anybody may claim to be must reach no app that others use.
	if (app?.protocol !== 'unix:' && !isLoopback(app?.hostname ?? '')) throw notHere('--upstream');
	const outer = asFields(file);
	const { encryptionSettings: _, ...rules } = Object.hasOwn(outer, 'properties')
		? section(outer, 'properties')
		: outer;
	const given = section(rules, 'identityProviders');
	const customKeys = ['customOpenIdConnectProviders', 'openIdConnectProviders'];
	const custom = customKeys.flatMap((key) => Object.entries(section(given, key)));
	const own = Object.entries(section(rules, 'x-gateway')).filter(([key]) => !replaced.has(key));
	const made = {
		...rules,
		platform: { enabled: true },
		httpSettings: { requireHttps: false, routes: section(rules, 'httpSettings', 'routes') },
		identityProviders: {
			...emulated(
				Object.keys(registrations).map((key) => [key, section(given, key)] as const),
				(key) => registrations[key as BuiltinKey],
			),
			...(custom.length === 0
				? {}
				: { customOpenIdConnectProviders: emulated(custom, () => customRegistration) }),
		},
		'x-gateway': { ...Object.fromEntries(own), store: { kind: 'sqlite', path: ':memory:' } },
	};
	const env = { [secret]: 'emulated', [gatewaySecretName]: personSecret };
	return parseSettings(made, env, listen);
}

/** Providers with all their rules, who may come among them, and a registration that needs no secret. */
function emulated(
	providers: readonly (readonly [string, unknown])[],
	registrationOf: (key: string) => ConfigFields,
): ConfigFields {
	return Object.fromEntries(
		providers.map(([key, fields]) => [
			key,
			{ ...asFields(fields), enabled: true, registration: registrationOf(key) },
		]),
	);
}

const customRegistration: ConfigFields = {
	clientId: 'emulated',
	clientCredential: { clientSecretSettingName: secret },
	openIdConnectConfiguration: {
		wellKnownOpenIdConfiguration: 'https://emulated.invalid/.well-known/openid-configuration',
	},
};

function notHere(option: string): AppError {
	return new AppError(
		'invalid_request',
		`--emulate lets anybody be anyone, so ${option} must be an address of this computer (127.0.0.1, ::1 or localhost).`,
	);
}

/** Keys of this run: sessions end with it. */
export function emulatedKeys(now: () => number): LoadedKeys {
	const entry = {
		kid: 'emulated',
		secret: randomBytes(32),
		notBefore: 0,
		retireAfter: Number.POSITIVE_INFINITY,
	};
	return {
		ring: new KeyRing([entry], randomBytes(32), now),
		reload: () => undefined,
		refused: undefined,
		watch: () => {},
		[Symbol.dispose]: () => {},
	};
}
