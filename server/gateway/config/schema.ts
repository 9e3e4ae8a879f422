/**
 * The configuration: the published auth settings file form, plus this program's own additions under `x-…`
 * keys. The file is checked and read by these schemas, and an editor completes it by their JSON Schema.
 */

import * as z from 'zod';
import { defaultDrainS } from '../../net/ending.ts';
import { bodyWindowMs } from '../../net/slowBody.ts';
import { identityProviders } from './providerSchema.ts';
import {
	addressSetting,
	choice,
	duration,
	flag,
	integerSetting,
	isOpen,
	list,
	objectSetting,
	openSection,
	optionalFlag,
	optionalInteger,
	optionalList,
	pattern,
	sectionSetting,
	textSetting,
} from './schemaFields.ts';

const gatewayOwn = sectionSetting({
	publicUrl: addressSetting('Address users see, without a path; HTTPS unless on this machine'),
	allowedHosts: list('Host values answered beside the public one'),
	trustedHops: optionalInteger(
		0,
		16,
		'How many proxies stand in front; as many of the last X-Forwarded-For values count',
	),
	trustedProxies: optionalList(
		'Networks (10.0.0.0/8) from which the nearest proxy calls; without it, from everywhere',
	),
	vendor: z
		.string()
		.regex(/^[A-Za-z0-9]{1,16}$/)
		.default('MS')
		.describe('X-<VENDOR>-CLIENT-PRINCIPAL'),
	cookieName: pattern(/^[A-Za-z0-9_-]{1,64}$/, 'Name of the session cookie'),
	tokenLifetime: duration('01:00:00', 'Life of tokens for editors and devices'),
	replicas: integerSetting(
		1,
		1000,
		1,
		'How many copies run; more than one need shared keys and store',
	),
	store: sectionSetting({
		kind: choice(['sqlite', 'redis'], 'Where sessions live'),
		path: textSetting('File of the sqlite store'),
		url: pattern(/^rediss?:\/\//, 'Address of the Redis or Valkey store'),
		urlSettingName: textSetting(
			'Environment variable that holds the address, for one with a password',
		),
	}),
	keysFile: textSetting('Key ring file; made when it does not exist and one copy runs'),
	userIdKeySettingName: textSetting(
		'Environment variable with the key (64 hex) that user ids come from',
	),
	closedPaths: list('Paths nobody reaches through the layer; /x/* covers /x and what is below', [
		// A Nearglot model server has nothing below it but what is its owner's.
		'/nearglot/*',
	]),
	stateChangingGets: list('GET paths that change state; /x/* covers /x and what is below', [
		'/openai/load*',
		'/openai/unload*',
		'/openai/setgpudevice*',
		'/openai/download*',
		'/models/load*',
		'/models/unload*',
	]),
	editorOrigins: list('Origins (https://vscode.dev, https://*.example) whose scripts may call'),
	anonymousMe: z
		.enum(['empty', 'unauthorized'])
		.default('empty')
		.describe('Answer of /.auth/me without a session'),
	maxPrincipalBytes: integerSetting(
		1024,
		15_000,
		8192,
		'Longest principal header; groups are left out beyond',
	),
	forwardRefreshTokens: flag('Gives the app the refresh tokens too', false),
	assertionAudience: textSetting('Turns the signed assertion header on, for this audience'),
	upstreamSecret: sectionSetting({
		header: pattern(/^[A-Za-z0-9-]+$/, 'Header name'),
		settingName: textSetting(
			'Environment variable that holds its value, for apps that are no Nearglot model server: that one shares NEARGLOT_GATEWAY_SECRET with the gateway',
		),
	}),
	preserveHost: flag('Sends the public Host to the app instead of the app’s own', false),
	failuresPerMinute: integerSetting(
		1,
		100_000,
		30,
		'Failed sign-ins allowed per address and minute',
	),
	connectTimeoutSeconds: integerSetting(1, 600, 5, 'Longest wait for a connection to the app'),
	responseTimeoutSeconds: integerSetting(
		1,
		86_400,
		600,
		'Longest wait for the first byte of an answer',
	),
	uploadIdleSeconds: integerSetting(
		1,
		86_400,
		bodyWindowMs / 1000,
		'Longest time in which an upload may bring next to nothing',
	),
	shutdownSeconds: integerSetting(
		0,
		3600,
		defaultDrainS,
		'Time running requests get when the layer ends; --drain comes first',
	),
	providerTimeoutSeconds: integerSetting(1, 120, 10, 'Longest wait for a sign-in provider'),
	refreshLeaseSeconds: integerSetting(
		1,
		60,
		10,
		'Time after which another replica takes over a refresh whose replica died',
	),
	tls: sectionSetting({
		certFile: textSetting('Certificate chain, PEM'),
		keyFile: textSetting('Private key, PEM'),
	}),
	adminPort: optionalInteger(0, 65_535, 'Port for /metrics, /healthz and /jwks'),
	adminHost: z
		.string()
		.min(1)
		.default('127.0.0.1')
		.describe('Address of that port; 0.0.0.0 lets other machines ask, without a key'),
	auditFile: z.string().min(1).default('-').describe('Path of the audit log; - is stderr'),
	resourceScopes: optionalList('Scopes for the protected-resource metadata'),
}).describe('Settings this program adds');

export const unauthenticatedActions = [
	'RedirectToLoginPage',
	'AllowAnonymous',
	'Return401',
	'Return403',
] as const;

const settings = {
	platform: openSection({
		enabled: flag('false lets every request through without sign-in', true),
		runtimeVersion: textSetting('Has no effect'),
		configFilePath: textSetting('Has no effect'),
	}),
	globalValidation: sectionSetting({
		requireAuthentication: flag('false is the same as AllowAnonymous', true),
		unauthenticatedClientAction: choice(
			unauthenticatedActions,
			'What happens to a request without a session',
		),
		redirectToProvider: textSetting('Provider used by RedirectToLoginPage'),
		excludedPaths: list('Paths that need no session; /x/* covers what is below'),
	}),
	httpSettings: sectionSetting({
		requireHttps: optionalFlag('Sends plain HTTP to HTTPS').meta({ default: true }),
		routes: sectionSetting({
			apiPrefix: z
				.string()
				.regex(/^(\/[A-Za-z0-9._-]+)+$/)
				.default('/.auth')
				.describe('Prefix of all routes of the layer'),
		}),
		forwardProxy: sectionSetting({
			convention: z
				.enum(['NoProxy', 'Standard', 'Custom'])
				.default('NoProxy')
				.describe('Which headers say how the client called'),
			customHostHeaderName: textSetting('Header with the host'),
			customProtoHeaderName: textSetting('Header with the scheme'),
		}),
	}),
	login: sectionSetting({
		routes: sectionSetting({ logoutEndpoint: pattern(/^\//, 'One more path that signs out') }),
		tokenStore: sectionSetting({
			enabled: flag('Keeps the tokens of the provider', true),
			tokenRefreshExtensionHours: integerSetting(
				0,
				8760,
				72,
				'Hours after expiry in which refresh works',
			),
			fileSystem: openSection({ directory: textSetting('Folder of the store') }),
			azureBlobStorage: z.looseObject({}).optional().describe('Not supported'),
		}),
		preserveUrlFragmentsForLogins: flag('Keeps the #part of the address over a login', false),
		allowedExternalRedirectUrls: list('Addresses outside that a login or logout may end at'),
		cookieExpiration: sectionSetting({
			convention: z
				.enum(['FixedTime', 'IdentityProviderDerived', 'IdentityDerived'])
				.default('FixedTime')
				.describe('What ends a session'),
			timeToExpiration: duration('08:00:00', 'Life of a session'),
		}),
		nonce: sectionSetting({
			validateNonce: flag('Checks the age of a login', true),
			nonceExpirationInterval: duration('00:05:00', 'Longest time a login may take'),
		}),
	}),
	identityProviders,
	encryptionSettings: sectionSetting({
		containerAppAuthEncryptionSecretName: textSetting(
			'Environment variable with the encryption key',
		),
		containerAppAuthSigningSecretName: textSetting('Environment variable with the signing key'),
	}),
	'x-gateway': gatewayOwn,
};

/** Names of the sections. */
export const sectionNames: readonly string[] = Object.keys(settings);

/** The settings, with the defaults of all that the file leaves out. */
export type AuthFile = z.output<z.ZodObject<typeof settings>>;
export type OwnSettings = AuthFile['x-gateway'];

/** The whole file; the settings may also stand under `properties`. */
export const authFile = objectSetting({
	$schema: z.string().optional(),
	// What the platform's interface writes around the settings.
	id: z.unknown().optional(),
	name: z.unknown().optional(),
	type: z.unknown().optional(),
	kind: z.unknown().optional(),
	location: z.unknown().optional(),
	tags: z.unknown().optional(),
	systemData: z.unknown().optional(),
	properties: objectSetting(settings).optional(),
	...settings,
});

/** JSON Schema of the whole file. */
export const authSchema = (): Readonly<Record<string, unknown>> => ({
	title: 'Settings of nearglot gateway',
	...z.toJSONSchema(authFile, {
		io: 'input',
		override: ({ zodSchema, jsonSchema }) => {
			// Sections and lists that are not there are empty ones.
			if (
				typeof jsonSchema.default === 'object' &&
				Object.keys(jsonSchema.default ?? {}).length === 0
			)
				delete jsonSchema.default;
			if (jsonSchema.pattern) jsonSchema.pattern = jsonSchema.pattern.replaceAll('\\/', '/');
			if (isOpen(zodSchema)) delete jsonSchema.additionalProperties;
		},
	}),
});
