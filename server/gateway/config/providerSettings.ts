/** Reads the `identityProviders` section. */

import { defined } from '../../protocol/defined.ts';
import type { Problems } from './configProblems.ts';
import type {
	AllowedPrincipals,
	ProviderEndpoints,
	ProviderKind,
	ProviderSettings,
} from './gatewaySettings.ts';
import type { CustomProvider, Directory, IdentityProviders } from './providerSchema.ts';

interface Builtin {
	readonly key: string;
	readonly kind: ProviderKind;
	readonly label: string;
	readonly id: string;
	readonly secret: string;
	readonly scopes: readonly string[];
	readonly passed: readonly string[];
}

const standard = { id: 'clientId', secret: 'clientSecretSettingName' };
const oidcPassed = [
	'prompt',
	'login_hint',
	'domain_hint',
	'ui_locales',
	'scope',
	'max_age',
	'acr_values',
];

const builtins = [
	{
		...standard,
		key: 'azureActiveDirectory',
		kind: 'aad',
		label: 'Microsoft Entra ID',
		scopes: ['openid', 'profile', 'email'],
		passed: [...oidcPassed, 'resource'],
	},
	{
		...standard,
		key: 'legacyMicrosoftAccount',
		kind: 'microsoftaccount',
		label: 'Microsoft account',
		scopes: ['openid', 'profile', 'email'],
		passed: oidcPassed,
	},
	{
		...standard,
		key: 'google',
		kind: 'google',
		label: 'Google',
		scopes: ['openid', 'profile', 'email'],
		passed: [...oidcPassed, 'access_type', 'hd', 'include_granted_scopes'],
	},
	{
		key: 'facebook',
		kind: 'facebook',
		label: 'Facebook',
		id: 'appId',
		secret: 'appSecretSettingName',
		scopes: ['public_profile', 'email'],
		passed: ['scope', 'auth_type', 'display'],
	},
	{
		key: 'twitter',
		kind: 'twitter',
		label: 'X',
		id: 'consumerKey',
		secret: 'consumerSecretSettingName',
		scopes: [],
		passed: ['force_login', 'screen_name'],
	},
	{
		...standard,
		key: 'gitHub',
		kind: 'github',
		label: 'GitHub',
		scopes: ['read:user', 'user:email'],
		passed: ['scope', 'login', 'allow_signup', 'prompt'],
	},
	{ ...standard, key: 'apple', kind: 'apple', label: 'Apple', scopes: [], passed: ['scope'] },
] as const satisfies readonly Builtin[];

/** Names of the built-in providers in a settings file. */
export type BuiltinKey = (typeof builtins)[number]['key'];

/** What the sections of the built-in providers may hold. */
type BuiltinSection = Pick<CustomProvider, 'enabled' | 'x-label' | 'x-endpoints'> & {
	readonly registration: Readonly<Record<string, string | undefined>>;
	readonly graphApiVersion?: string | undefined;
	readonly login?: {
		readonly scopes?: readonly string[];
		readonly loginParameters?: readonly string[];
	};
	readonly validation?: Partial<Directory['validation']>;
	readonly 'x-allowedPrincipals'?: CustomProvider['x-allowedPrincipals'];
	readonly 'x-acceptUnboundAccessTokens'?: boolean;
	readonly 'x-editorSession'?: Directory['x-editorSession'];
};

const reservedNames = new Set([
	'done',
	'callback',
	'token',
	'x',
	...builtins.map((row) => row.kind),
]);

/** Every enabled provider, in the order of the file's documentation. */
export function parseProviders(
	sections: IdentityProviders,
	env: NodeJS.ProcessEnv,
	problems: Problems,
): ProviderSettings[] {
	const found: ProviderSettings[] = [];
	for (const builtin of builtins) {
		const fields = sections[builtin.key];
		if (fields?.enabled) found.push(builtinProvider(builtin, fields, env, problems));
	}
	if (sections.azureStaticWebApps.enabled) {
		problems.error(
			'identityProviders.azureStaticWebApps',
			'is not supported; remove it or set enabled to false.',
		);
	}
	for (const key of ['customOpenIdConnectProviders', 'openIdConnectProviders'] as const) {
		for (const [name, fields] of Object.entries(sections[key])) {
			if (!fields.enabled) continue;
			const path = `identityProviders.${key}.${name}`;
			if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name) || reservedNames.has(name.toLowerCase())) {
				problems.error(
					path,
					'the name must be 1 to 64 letters, digits, - or _ and none of the built-in names.',
				);
			}
			if (found.some((row) => row.name === name.toLowerCase()))
				problems.error(path, 'is there twice.');
			found.push(customProvider(name, path, fields, env, problems));
		}
	}
	return found;
}

function builtinProvider(
	builtin: Builtin,
	fields: BuiltinSection,
	env: NodeJS.ProcessEnv,
	problems: Problems,
): ProviderSettings {
	const path = `identityProviders.${builtin.key}`;
	const { registration, graphApiVersion: graph, login } = fields;
	for (const key of Object.keys(registration)) {
		if (key.startsWith('clientSecretCertificate')) {
			problems.error(
				`${path}.registration.${key}`,
				'certificates are not supported; use clientSecretSettingName.',
			);
		}
	}
	const issuer = registration['openIdIssuer'];
	const scopes = login?.scopes ?? [];
	return {
		kind: builtin.kind,
		name: builtin.kind,
		label: fields['x-label'] ?? builtin.label,
		clientId: required(registration[builtin.id], builtin.id, `${path}.registration`, problems),
		clientSecret: secret(
			registration[builtin.secret],
			builtin.secret,
			`${path}.registration`,
			env,
			problems,
		),
		clientAuth: 'post',
		scopes: scopes.length > 0 ? scopes : builtin.scopes,
		endpoints: {
			...(issuer === undefined ? {} : { issuer: issuer.replace(/\/$/, '') }),
			...(graph === undefined ? {} : graphEndpoints(graph)),
			...defined(fields['x-endpoints']),
		},
		allowedAudiences: fields.validation?.allowedAudiences ?? [],
		loginParameters: pairs(login?.loginParameters ?? [], `${path}.login.loginParameters`, problems),
		passedParameters: builtin.passed,
		nameClaimType: undefined,
		allowed: builtin.kind === 'aad' ? directoryPolicy(fields.validation ?? {}) : ownPolicy(fields),
		acceptUnboundAccessTokens: fields['x-acceptUnboundAccessTokens'] ?? false,
		...editorScopesOf(fields['x-editorSession'], issuer, path, problems),
	};
}

/** Scopes of the editor's own session, with the tenant in the way VS Code wants to be told. */
function editorScopesOf(
	session: Directory['x-editorSession'],
	issuer: string | undefined,
	path: string,
	problems: Problems,
): Pick<ProviderSettings, 'editorScopes'> {
	if (session === undefined) return {};
	const { scopes } = session;
	if (scopes.length === 0) {
		problems.error(`${path}.x-editorSession`, "lacks 'scopes', such as api://CLIENT-ID/access.");
	}
	const tenant = /\/([0-9a-f-]{36})(?:\/|$)/i.exec(issuer ?? '')?.[1];
	return {
		editorScopes: tenant === undefined ? scopes : [...scopes, `VSCODE_TENANT:${tenant}`],
	};
}

function customProvider(
	name: string,
	path: string,
	fields: CustomProvider,
	env: NodeJS.ProcessEnv,
	problems: Problems,
): ProviderSettings {
	const { registration, login } = fields;
	const { clientCredential: credential, openIdConnectConfiguration: open } = registration;
	const endpoints: ProviderEndpoints = {
		...defined({
			issuer: open.issuer,
			discovery: open.wellKnownOpenIdConfiguration,
			authorization: open.authorizationEndpoint,
			token: open.tokenEndpoint,
			jwks: open.certificationUri,
		}),
		...defined(fields['x-endpoints']),
	};
	const complete = endpoints.issuer && endpoints.authorization && endpoints.token && endpoints.jwks;
	if (!endpoints.discovery && !complete) {
		problems.error(
			`${path}.registration.openIdConnectConfiguration`,
			'needs wellKnownOpenIdConfiguration, or issuer, authorizationEndpoint, tokenEndpoint and certificationUri.',
		);
	}
	return {
		kind: 'oidc',
		name: name.toLowerCase(),
		label: fields['x-label'] ?? name,
		clientId: required(registration.clientId, 'clientId', `${path}.registration`, problems),
		clientSecret: secret(
			credential.clientSecretSettingName,
			'clientSecretSettingName',
			`${path}.registration.clientCredential`,
			env,
			problems,
			true,
		),
		clientAuth: credential.method === 'ClientSecretBasic' ? 'basic' : 'post',
		scopes: login.scopes.length > 0 ? login.scopes : ['openid', 'profile', 'email'],
		endpoints,
		allowedAudiences: fields.validation.allowedAudiences,
		loginParameters: {},
		passedParameters: [...oidcPassed, ...login.loginParameterNames],
		nameClaimType: login.nameClaimType,
		allowed: ownPolicy(fields),
		acceptUnboundAccessTokens: false,
	};
}

function graphEndpoints(version: string): ProviderEndpoints {
	const base = `https://graph.facebook.com/${encodeURIComponent(version)}`;
	return {
		authorization: `https://www.facebook.com/${encodeURIComponent(version)}/dialog/oauth`,
		token: `${base}/oauth/access_token`,
		userInfo: `${base}/me`,
		debugToken: `${base}/debug_token`,
	};
}

function directoryPolicy({
	jwtClaimChecks: checks,
	defaultAuthorizationPolicy: policy,
}: BuiltinSection['validation'] & {}): AllowedPrincipals {
	return {
		groups: [...(checks?.allowedGroups ?? []), ...(policy?.allowedPrincipals.groups ?? [])],
		identities: policy?.allowedPrincipals.identities ?? [],
		applications: [
			...(checks?.allowedClientApplications ?? []),
			...(policy?.allowedApplications ?? []),
		],
	};
}

function ownPolicy(fields: Pick<BuiltinSection, 'x-allowedPrincipals'>): AllowedPrincipals {
	const { groups = [], identities = [] } = fields['x-allowedPrincipals'] ?? {};
	return { groups, identities, applications: [] };
}

function pairs(
	values: readonly string[],
	path: string,
	problems: Problems,
): Record<string, string> {
	const found = new Map<string, string>();
	for (const value of values) {
		const at = value.indexOf('=');
		const name = value.slice(0, Math.max(0, at));
		if (at <= 0 || protocolParameters.has(name)) {
			problems.error(
				path,
				`'${value}' must be name=value, and no parameter of the protocol itself.`,
			);
		} else found.set(name, value.slice(at + 1));
	}
	return Object.fromEntries(found);
}

/** Parameters only the layer itself may set. */
export const protocolParameters: ReadonlySet<string> = new Set([
	'client_id',
	'redirect_uri',
	'response_type',
	'response_mode',
	'state',
	'nonce',
	'code_challenge',
	'code_challenge_method',
	'request',
	'request_uri',
]);

function required(
	value: string | undefined,
	key: string,
	path: string,
	problems: Problems,
): string {
	if (value === undefined) problems.error(path, `lacks '${key}'.`);
	else if (isStray(value)) problems.error(`${path}.${key}`, strayWords);
	return value ?? '';
}

function secret(
	/** Name of the environment variable. */
	name: string | undefined,
	key: string,
	path: string,
	env: NodeJS.ProcessEnv,
	problems: Problems,
	optional = false,
): string | undefined {
	if (name === undefined) {
		if (!optional)
			problems.error(path, `lacks '${key}', the name of the environment variable with the secret.`);
		return undefined;
	}
	const value = env[name];
	if (!value) problems.error(`${path}.${key}`, `the environment variable ${name} is not set.`);
	else if (isStray(value)) problems.error(`${path}.${key}`, `names ${name}, which ${strayWords}`);
	return value;
}

/** As files and pasted texts bring it along; a provider would refuse every sign-in, and not say why. */
const isStray = (value: string): boolean =>
	!value.includes('-----BEGIN') && (value !== value.trim() || /[\x00-\x1f\x7f]/.test(value));
const strayWords =
	'begins or ends with a blank, or holds the end of a line: leave its own letters alone.';
