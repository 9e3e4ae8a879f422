/**
 * JSON Schema of the configuration: the published auth settings file form, plus this program's own
 * additions under `x-…` keys. Used both to check the file and to complete it in an editor.
 */

/** The part of JSON Schema (2020-12) the checker knows. */
export interface Schema {
	readonly type?: 'object' | 'array' | 'string' | 'boolean' | 'integer';
	readonly description?: string;
	readonly properties?: Readonly<Record<string, Schema>>;
	/** Rule for other keys; `false`: there are none. */
	readonly additionalProperties?: Schema | false;
	readonly required?: readonly string[];
	readonly items?: Schema;
	readonly minItems?: number;
	readonly minProperties?: number;
	readonly enum?: readonly string[];
	readonly pattern?: string;
	readonly minimum?: number;
	readonly maximum?: number;
	readonly minLength?: number;
	readonly default?: unknown;
}

const text = (description?: string): Schema => ({
	type: 'string',
	minLength: 1,
	...(description === undefined ? {} : { description }),
});
const flag = (description: string, standard?: boolean): Schema => ({
	type: 'boolean',
	description,
	...(standard === undefined ? {} : { default: standard }),
});
const list = (description: string): Schema => ({
	type: 'array',
	items: { type: 'string', minLength: 1 },
	description,
});
const choice = (values: readonly string[], description: string): Schema => ({
	type: 'string',
	enum: values,
	description,
});
/** Keys it does not know are mistakes: a misspelt guard would be no guard. */
const object = (properties: Record<string, Schema>, description?: string): Schema => ({
	type: 'object',
	properties,
	additionalProperties: false,
	...(description === undefined ? {} : { description }),
});
/** For sections that guard nobody: the platform may write there what this program has no use for. */
const openObject = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties });
const integer = (minimum: number, maximum: number, description: string): Schema => ({
	type: 'integer',
	minimum,
	maximum,
	description,
});
const duration = (standard: string, description: string): Schema => ({
	type: 'string',
	pattern: '^(\\d{1,4}\\.)?\\d{1,2}:[0-5]\\d:[0-5]\\d(\\.\\d{1,7})?$',
	default: standard,
	description,
});
const address = (description: string): Schema => ({
	type: 'string',
	pattern: '^https?://[^\\s]+$',
	description,
});

const endpoints = object(
	{
		issuer: address('Expected issuer'),
		discovery: address('OpenID Connect discovery document'),
		authorization: address('Authorization endpoint'),
		token: address('Token endpoint'),
		userInfo: address('User information endpoint'),
		jwks: address('Signing keys'),
		endSession: address('Sign-out endpoint'),
		revocation: address('Token revocation endpoint'),
		requestToken: address('OAuth 1.0a request token endpoint'),
		debugToken: address('Token inspection endpoint'),
		emails: address('List of verified addresses'),
	},
	'Addresses that replace the built-in ones',
);
const own = {
	enabled: flag('Turns the provider on', true),
	'x-label': text('Name shown to users'),
	'x-endpoints': endpoints,
};
const credentials = {
	clientId: text('Client id of the app registration'),
	clientSecretSettingName: text('Environment variable that holds the client secret'),
};
const scopes = object({ scopes: list('Scopes to ask for') });
const audiences = object({ allowedAudiences: list('Audiences accepted beside the client id') });
const groups = 'Group ids that may sign in';
const identities = 'User ids or verified e-mail addresses that may sign in';
/** The published form, in which no list and an empty one are the same. */
const publishedPrincipals = object({ groups: list(groups), identities: list(identities) });
const principals: Schema = {
	...object({
		groups: { ...list(groups), minItems: 1 },
		identities: { ...list(identities), minItems: 1 },
	}),
	minProperties: 1,
};

const customProvider = object({
	...own,
	registration: object({
		clientId: text('Client id'),
		clientCredential: object({
			method: choice(['ClientSecretPost', 'ClientSecretBasic'], 'How the secret is sent'),
			clientSecretSettingName: text('Environment variable that holds the client secret'),
		}),
		openIdConnectConfiguration: object({
			authorizationEndpoint: address('Authorization endpoint'),
			tokenEndpoint: address('Token endpoint'),
			issuer: address('Issuer'),
			certificationUri: address('Signing keys'),
			wellKnownOpenIdConfiguration: address('Discovery document'),
		}),
	}),
	login: object({
		nameClaimType: text('Claim that holds the display name'),
		scopes: list('Scopes to ask for'),
		loginParameterNames: list('Query parameters a login link may pass to the provider'),
	}),
	validation: audiences,
	'x-allowedPrincipals': principals,
});
const customProviders: Schema = { type: 'object', additionalProperties: customProvider };

const identityProviders = object({
	azureActiveDirectory: object({
		...own,
		isAutoProvisioned: flag('Written by the portal; has no effect'),
		'x-editorSession': object(
			{ scopes: list('Scopes the editor asks for, such as api://CLIENT-ID/access') },
			'Lets editors bring the Microsoft session they have; they ask once',
		),
		registration: object({
			openIdIssuer: address('Issuer of the tenant'),
			...credentials,
			clientSecretCertificateThumbprint: text('Not supported'),
			clientSecretCertificateSubjectAlternativeName: text('Not supported'),
			clientSecretCertificateIssuer: text('Not supported'),
		}),
		login: object({
			loginParameters: list('name=value pairs sent with every login'),
			disableWWWAuthenticate: flag('Leaves WWW-Authenticate out of 401 answers'),
		}),
		validation: object({
			allowedAudiences: list('Audiences accepted beside the client id'),
			jwtClaimChecks: object({
				allowedGroups: list('Group ids that may sign in'),
				allowedClientApplications: list('Client applications that may call'),
			}),
			defaultAuthorizationPolicy: object({
				allowedPrincipals: publishedPrincipals,
				allowedApplications: list('Client applications that may call'),
			}),
		}),
	}),
	facebook: object({
		...own,
		registration: object({
			appId: text('App id'),
			appSecretSettingName: text('Environment variable that holds the app secret'),
		}),
		graphApiVersion: text('Version segment such as v19.0'),
		login: scopes,
		'x-allowedPrincipals': principals,
	}),
	gitHub: object({
		...own,
		registration: object(credentials),
		login: scopes,
		'x-allowedPrincipals': principals,
	}),
	google: object({
		...own,
		registration: object(credentials),
		login: scopes,
		validation: audiences,
		'x-allowedPrincipals': principals,
	}),
	twitter: object({
		...own,
		registration: object({
			consumerKey: text('Consumer key'),
			consumerSecretSettingName: text('Environment variable that holds the consumer secret'),
		}),
		'x-allowedPrincipals': principals,
	}),
	apple: object({
		...own,
		registration: object(credentials),
		login: scopes,
		'x-allowedPrincipals': principals,
	}),
	legacyMicrosoftAccount: object({
		...own,
		registration: object(credentials),
		login: scopes,
		validation: audiences,
		'x-acceptUnboundAccessTokens': flag('Accepts access tokens, which name no audience', false),
		'x-allowedPrincipals': principals,
	}),
	customOpenIdConnectProviders: customProviders,
	openIdConnectProviders: customProviders,
	azureStaticWebApps: openObject({ enabled: flag('Not supported'), registration: {} }),
});

const gatewayOwn = object(
	{
		publicUrl: address('Address users see, without a path; HTTPS unless on this machine'),
		allowedHosts: list('Host values answered beside the public one'),
		trustedHops: integer(
			0,
			16,
			'How many proxies stand in front; as many of the last X-Forwarded-For values count',
		),
		trustedProxies: list(
			'Networks (10.0.0.0/8) from which the nearest proxy calls; without it, from everywhere',
		),
		vendor: {
			type: 'string',
			pattern: '^[A-Za-z0-9]{1,16}$',
			default: 'MS',
			description: 'X-<VENDOR>-CLIENT-PRINCIPAL',
		},
		cookieName: {
			type: 'string',
			pattern: '^[A-Za-z0-9_-]{1,64}$',
			description: 'Name of the session cookie',
		},
		tokenLifetime: duration('01:00:00', 'Life of tokens for editors and devices'),
		replicas: integer(1, 1000, 'How many copies run; more than one need shared keys and store'),
		store: object({
			kind: choice(['sqlite', 'redis'], 'Where sessions live'),
			path: text('File of the sqlite store'),
			url: {
				type: 'string',
				pattern: '^rediss?://',
				description: 'Address of the Redis or Valkey store',
			},
			urlSettingName: text('Environment variable that holds the address, for one with a password'),
		}),
		keysFile: text('Key ring file; made when it does not exist and one copy runs'),
		userIdKeySettingName: text(
			'Environment variable with the key (64 hex) that user ids come from',
		),
		closedPaths: list('Paths nobody reaches through the layer; /x/* covers /x and what is below'),
		stateChangingGets: list('GET paths that change state; /x/* covers /x and what is below'),
		editorOrigins: list('Origins (https://vscode.dev, https://*.example) whose scripts may call'),
		anonymousMe: choice(['empty', 'unauthorized'], 'Answer of /.auth/me without a session'),
		maxPrincipalBytes: integer(
			1024,
			15_000,
			'Longest principal header; groups are left out beyond',
		),
		forwardRefreshTokens: flag('Gives the app the refresh tokens too', false),
		assertionAudience: text('Turns the signed assertion header on, for this audience'),
		upstreamSecret: object({
			header: { type: 'string', pattern: '^[A-Za-z0-9-]+$', description: 'Header name' },
			settingName: text(
				'Environment variable that holds its value, for apps that are no Nearglot model server: that one shares NEARGLOT_GATEWAY_SECRET with the gateway',
			),
		}),
		preserveHost: flag('Sends the public Host to the app instead of the app’s own', false),
		failuresPerMinute: integer(1, 100_000, 'Failed sign-ins allowed per address and minute'),
		connectTimeoutSeconds: integer(1, 600, 'Longest wait for a connection to the app'),
		responseTimeoutSeconds: integer(1, 86_400, 'Longest wait for the first byte of an answer'),
		uploadIdleSeconds: integer(
			1,
			86_400,
			'Longest time in which an upload may bring next to nothing',
		),
		shutdownSeconds: integer(
			0,
			3600,
			'Time running requests get when the layer ends; --drain comes first',
		),
		providerTimeoutSeconds: integer(1, 120, 'Longest wait for a sign-in provider'),
		refreshLeaseSeconds: integer(
			1,
			60,
			'Time after which another replica takes over a refresh whose replica died',
		),
		tls: object({ certFile: text('Certificate chain, PEM'), keyFile: text('Private key, PEM') }),
		adminPort: integer(0, 65_535, 'Loopback port for /metrics, /healthz and /jwks'),
		auditFile: text('Path of the audit log; - is stderr'),
		resourceScopes: list('Scopes for the protected-resource metadata'),
	},
	'Settings this program adds',
);

const settingProperties: Record<string, Schema> = {
	platform: openObject({
		enabled: flag('false lets every request through without sign-in', true),
		runtimeVersion: text('Has no effect'),
		configFilePath: text('Has no effect'),
	}),
	globalValidation: object({
		requireAuthentication: flag('false is the same as AllowAnonymous'),
		unauthenticatedClientAction: choice(
			['RedirectToLoginPage', 'AllowAnonymous', 'Return401', 'Return403'],
			'What happens to a request without a session',
		),
		redirectToProvider: text('Provider used by RedirectToLoginPage'),
		excludedPaths: list('Paths that need no session; /x/* covers what is below'),
	}),
	httpSettings: object({
		requireHttps: flag('Sends plain HTTP to HTTPS', true),
		routes: object({
			apiPrefix: {
				type: 'string',
				pattern: '^(/[A-Za-z0-9._-]+)+$',
				default: '/.auth',
				description: 'Prefix of all routes of the layer',
			},
		}),
		forwardProxy: object({
			convention: choice(
				['NoProxy', 'Standard', 'Custom'],
				'Which headers say how the client called',
			),
			customHostHeaderName: text('Header with the host'),
			customProtoHeaderName: text('Header with the scheme'),
		}),
	}),
	login: object({
		routes: object({
			logoutEndpoint: {
				type: 'string',
				pattern: '^/',
				description: 'One more path that signs out',
			},
		}),
		tokenStore: object({
			enabled: flag('Keeps the tokens of the provider', true),
			tokenRefreshExtensionHours: integer(0, 8760, 'Hours after expiry in which refresh works'),
			fileSystem: openObject({ directory: text('Folder of the store') }),
			azureBlobStorage: { type: 'object', description: 'Not supported' },
		}),
		preserveUrlFragmentsForLogins: flag('Keeps the #part of the address over a login', false),
		allowedExternalRedirectUrls: list('Addresses outside that a login or logout may end at'),
		cookieExpiration: object({
			convention: choice(
				['FixedTime', 'IdentityProviderDerived', 'IdentityDerived'],
				'What ends a session',
			),
			timeToExpiration: duration('08:00:00', 'Life of a session'),
		}),
		nonce: object({
			validateNonce: flag('Checks the age of a login', true),
			nonceExpirationInterval: duration('00:05:00', 'Longest time a login may take'),
		}),
	}),
	identityProviders,
	encryptionSettings: object({
		containerAppAuthEncryptionSecretName: text('Environment variable with the encryption key'),
		containerAppAuthSigningSecretName: text('Environment variable with the signing key'),
	}),
	'x-gateway': gatewayOwn,
};

/** Names of the sections. */
export const sectionNames: readonly string[] = Object.keys(settingProperties);

/** Schema of the whole file; the settings may also stand under `properties`. */
export const authSchema: Schema & Readonly<Record<'$schema' | 'title', string>> = {
	$schema: 'https://json-schema.org/draft/2020-12/schema',
	title: 'Settings of nearglot gateway',
	...object({
		$schema: { type: 'string' },
		// What the platform's interface writes around the settings.
		id: {},
		name: {},
		type: {},
		kind: {},
		location: {},
		tags: {},
		systemData: {},
		properties: object(settingProperties),
		...settingProperties,
	}),
};
