/** Settings and keys of an emulated layer: this computer only, nothing kept, every provider there. */

import { randomBytes } from 'node:crypto';
import { AppError } from '../../protocol/errors.ts';
import { asFields, type Fields, section } from '../config/fields.ts';
import { isLoopback, type ParsedSettings, parseSettings } from '../config/parseSettings.ts';
import type { LoadedKeys } from '../keys/keyFile.ts';
import { KeyRing } from '../keys/keyRing.ts';

const secret = 'EMULATED_SECRET';
const registration = { clientId: 'emulated', clientSecretSettingName: secret };

const standardProviders: Fields = {
	azureActiveDirectory: {
		registration: {
			...registration,
			openIdIssuer: 'https://login.microsoftonline.com/common/v2.0',
		},
	},
	legacyMicrosoftAccount: { registration },
	facebook: { registration: { appId: 'emulated', appSecretSettingName: secret } },
	google: { registration },
	gitHub: { registration },
	twitter: {
		registration: { consumerKey: 'emulated', consumerSecretSettingName: secret },
	},
};

/**
 * The rules of a settings file (who gets in, open paths, the login section and custom providers), with the
 * address, store, keys and providers of an emulation.
 * @param file parsed settings; absent: everybody must sign in
 * @throws AppError `invalid_request` when something would be reachable from elsewhere
 */
export function emulatedSettings(
	file: unknown,
	listen: { readonly host: string; readonly port: number },
	upstream: string,
): ParsedSettings {
	if (!isLoopback(listen.host) && listen.host !== '::1') throw notHere('--host');
	const app = URL.canParse(upstream) ? new URL(upstream) : undefined;
	// What anybody may claim to be must reach no app that others use.
	if (app?.protocol !== 'unix:' && !isLoopback(app?.hostname ?? '')) throw notHere('--upstream');
	const own = section(file, 'x-gateway');
	const custom = section(file, 'identityProviders', 'customOpenIdConnectProviders');
	const names = Object.keys(custom).map((name) => [name, customProvider] as const);
	const made = {
		platform: { enabled: true },
		globalValidation: section(file, 'globalValidation'),
		login: section(file, 'login'),
		httpSettings: { requireHttps: false, routes: section(file, 'httpSettings', 'routes') },
		identityProviders: {
			...standardProviders,
			...(names.length === 0 ? {} : { customOpenIdConnectProviders: Object.fromEntries(names) }),
		},
		'x-gateway': {
			...pick(own, keptKeys),
			// One name only: the cookie of a login that begins at another would not come back.
			publicUrl: `http://${listen.host === '::1' ? '[::1]' : listen.host}:${listen.port}`,
			store: { kind: 'sqlite', path: ':memory:' },
		},
	};
	return parseSettings(made, { [secret]: 'emulated' }, listen.port);
}

const customProvider: Fields = {
	registration: {
		clientId: 'emulated',
		clientCredential: { clientSecretSettingName: secret },
		openIdConnectConfiguration: {
			wellKnownOpenIdConfiguration: 'https://emulated.invalid/.well-known/openid-configuration',
		},
	},
};

const keptKeys = ['cookieName', 'headers', 'closedPaths', 'editorOrigins', 'anonymousMe'];

function pick(fields: Fields, keys: readonly string[]): Fields {
	return Object.fromEntries(Object.entries(asFields(fields)).filter(([key]) => keys.includes(key)));
}

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
		[Symbol.dispose]: () => {},
	};
}
