/** Reads the `identityProviders` section. */

import { asFields, type Fields, flagOf, listOf, section, textOf } from './fields.ts';
import type { Problems } from './problems.ts';
import type {
	AllowedPrincipals,
	ProviderEndpoints,
	ProviderKind,
	ProviderSettings,
} from './settings.ts';

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

const reservedNames = new Set([
	'done',
	'callback',
	'token',
	'x',
	...builtins.map((row) => row.kind),
]);

/** Every enabled provider, in the order of the file's documentation. */
export function parseProviders(
	value: Fields,
	env: NodeJS.ProcessEnv,
	problems: Problems,
): ProviderSettings[] {
	const found: ProviderSettings[] = [];
	for (const builtin of builtins) {
		const fields = section(value, builtin.key);
		if (Object.keys(fields).length === 0 || !flagOf(fields, 'enabled', true)) continue;
		found.push(builtinProvider(builtin, fields, env, problems));
	}
	if (flagOf(section(value, 'azureStaticWebApps'), 'enabled', false)) {
		problems.error(
			'identityProviders.azureStaticWebApps',
			'is not supported; remove it or set enabled to false.',
		);
	}
	for (const key of ['customOpenIdConnectProviders', 'openIdConnectProviders']) {
		for (const [name, entry] of Object.entries(section(value, key))) {
			const fields = asFields(entry);
			if (!flagOf(fields, 'enabled', true)) continue;
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
	fields: Fields,
	env: NodeJS.ProcessEnv,
	problems: Problems,
): ProviderSettings {
	const path = `identityProviders.${builtin.key}`;
	const registration = section(fields, 'registration');
	for (const key of Object.keys(registration)) {
		if (key.startsWith('clientSecretCertificate')) {
			problems.error(
				`${path}.registration.${key}`,
				'certificates are not supported; use clientSecretSettingName.',
			);
		}
	}
	const issuer = textOf(registration, 'openIdIssuer');
	const graph = textOf(fields, 'graphApiVersion');
	const login = section(fields, 'login');
	const scopes = listOf(login, 'scopes');
	return {
		kind: builtin.kind,
		name: builtin.kind,
		label: textOf(fields, 'x-label') ?? builtin.label,
		clientId: required(registration, builtin.id, `${path}.registration`, problems),
		clientSecret: secret(registration, builtin.secret, `${path}.registration`, env, problems),
		clientAuth: 'post',
		scopes: scopes.length > 0 ? scopes : builtin.scopes,
		endpoints: {
			...(issuer === undefined ? {} : { issuer: issuer.replace(/\/$/, '') }),
			...(graph === undefined ? {} : graphEndpoints(graph)),
			...endpointsOf(section(fields, 'x-endpoints')),
		},
		allowedAudiences: listOf(section(fields, 'validation'), 'allowedAudiences'),
		loginParameters: pairs(
			listOf(login, 'loginParameters'),
			`${path}.login.loginParameters`,
			problems,
		),
		passedParameters: builtin.passed,
		nameClaimType: undefined,
		allowed: builtin.kind === 'aad' ? directoryPolicy(fields) : ownPolicy(fields),
		acceptUnboundAccessTokens: flagOf(fields, 'x-acceptUnboundAccessTokens', false),
		...editorScopesOf(fields, issuer, path, problems),
	};
}

/** Scopes of the editor's own session, with the tenant in the way VS Code wants to be told. */
function editorScopesOf(
	fields: Fields,
	issuer: string | undefined,
	path: string,
	problems: Problems,
): Pick<ProviderSettings, 'editorScopes'> {
	if (!Object.hasOwn(fields, 'x-editorSession')) return {};
	const scopes = listOf(section(fields, 'x-editorSession'), 'scopes');
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
	fields: Fields,
	env: NodeJS.ProcessEnv,
	problems: Problems,
): ProviderSettings {
	const registration = section(fields, 'registration');
	const credential = section(registration, 'clientCredential');
	const open = section(registration, 'openIdConnectConfiguration');
	const login = section(fields, 'login');
	const scopes = listOf(login, 'scopes');
	const endpoints: ProviderEndpoints = {
		...pick(open, 'issuer', 'issuer'),
		...pick(open, 'wellKnownOpenIdConfiguration', 'discovery'),
		...pick(open, 'authorizationEndpoint', 'authorization'),
		...pick(open, 'tokenEndpoint', 'token'),
		...pick(open, 'certificationUri', 'jwks'),
		...endpointsOf(section(fields, 'x-endpoints')),
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
		label: textOf(fields, 'x-label') ?? name,
		clientId: required(registration, 'clientId', `${path}.registration`, problems),
		clientSecret: secret(
			credential,
			'clientSecretSettingName',
			`${path}.registration.clientCredential`,
			env,
			problems,
			true,
		),
		clientAuth: textOf(credential, 'method') === 'ClientSecretBasic' ? 'basic' : 'post',
		scopes: scopes.length > 0 ? scopes : ['openid', 'profile', 'email'],
		endpoints,
		allowedAudiences: listOf(section(fields, 'validation'), 'allowedAudiences'),
		loginParameters: {},
		passedParameters: [...oidcPassed, ...listOf(login, 'loginParameterNames')],
		nameClaimType: textOf(login, 'nameClaimType'),
		allowed: ownPolicy(fields),
		acceptUnboundAccessTokens: false,
	};
}

function pick(fields: Fields, from: string, to: keyof ProviderEndpoints): ProviderEndpoints {
	const value = textOf(fields, from);
	return value === undefined ? {} : { [to]: value };
}

function endpointsOf(fields: Fields): ProviderEndpoints {
	return Object.fromEntries(
		Object.entries(fields).filter(([, value]) => typeof value === 'string'),
	);
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

function directoryPolicy(fields: Fields): AllowedPrincipals {
	const checks = section(fields, 'validation', 'jwtClaimChecks');
	const policy = section(fields, 'validation', 'defaultAuthorizationPolicy');
	const principals = section(policy, 'allowedPrincipals');
	return {
		groups: [...listOf(checks, 'allowedGroups'), ...listOf(principals, 'groups')],
		identities: listOf(principals, 'identities'),
		applications: [
			...listOf(checks, 'allowedClientApplications'),
			...listOf(policy, 'allowedApplications'),
		],
	};
}

function ownPolicy(fields: Fields): AllowedPrincipals {
	const principals = section(fields, 'x-allowedPrincipals');
	return {
		groups: listOf(principals, 'groups'),
		identities: listOf(principals, 'identities'),
		applications: [],
	};
}

function pairs(
	values: readonly string[],
	path: string,
	problems: Problems,
): Record<string, string> {
	const found: Record<string, string> = {};
	for (const value of values) {
		const at = value.indexOf('=');
		const name = value.slice(0, Math.max(0, at));
		if (at <= 0 || protocolParameters.has(name)) {
			problems.error(
				path,
				`'${value}' must be name=value, and no parameter of the protocol itself.`,
			);
		} else found[name] = value.slice(at + 1);
	}
	return found;
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

function required(fields: Fields, key: string, path: string, problems: Problems): string {
	const value = textOf(fields, key);
	if (value === undefined) problems.error(path, `lacks '${key}'.`);
	return value ?? '';
}

function secret(
	fields: Fields,
	key: string,
	path: string,
	env: NodeJS.ProcessEnv,
	problems: Problems,
	optional = false,
): string | undefined {
	const name = textOf(fields, key);
	if (name === undefined) {
		if (!optional)
			problems.error(path, `lacks '${key}', the name of the environment variable with the secret.`);
		return undefined;
	}
	const value = env[name];
	if (!value) problems.error(`${path}.${key}`, `the environment variable ${name} is not set.`);
	return value;
}
