/** Turns the settings file and the environment into {@link GatewaySettings}, or says all that is wrong. */

import { defaultDrainS } from '../../net/ending.ts';
import { bodyWindowMs } from '../../net/slowBody.ts';
import { checkSchema, type Finding } from './checkSchema.ts';
import { parseDurationMs } from './duration.ts';
import { envFlag } from './envFlag.ts';
import { asFields, type Fields, flagOf, listOf, numberOf, section, textOf } from './fields.ts';
import { parseKeys } from './parseKeys.ts';
import { checkRawPaths, guardedPaths } from './pathPatterns.ts';
import { Problems } from './problems.ts';
import { parseProviders } from './providerSettings.ts';
import { parseTrust } from './proxyTrust.ts';
import { type ListenAddress, parsePublicUrl, standardUrl } from './publicUrl.ts';
import { authSchema, sectionNames } from './schema.ts';
import type { GatewaySettings, StoreSettings, UnauthenticatedAction } from './settings.ts';
import { parseUpstreamSecrets } from './upstreamSecrets.ts';

export interface ParsedSettings {
	readonly settings: GatewaySettings;
	readonly warnings: readonly Finding[];
}

const hour = 3_600_000;

/** A Nearglot model server has nothing below it but what is its owner's. */
const closedPaths = ['/nearglot/*'];
const stateChangingGets = [
	'/openai/load*',
	'/openai/unload*',
	'/openai/setgpudevice*',
	'/openai/download*',
	'/models/load*',
	'/models/unload*',
];

/**
 * Reads a parsed settings file. Paths in it stay as written; resolve them against the file's folder.
 *
 * @param listen Where the layer listens, or its port there: the public address when the file names none.
 * @throws AppError `invalid_request` that lists every mistake.
 */
export function parseSettings(
	file: unknown,
	env: NodeJS.ProcessEnv,
	listen: ListenAddress | number,
): ParsedSettings {
	const problems = new Problems();
	const report = checkSchema(file, authSchema);
	problems.errors.push(...report.errors);
	problems.warnings.push(...report.warnings);
	checkWrapping(file, problems);
	problems.throwIfAny();
	const root = settingsRoot(file);
	const own = section(root, 'x-gateway');
	const given = parsePublicUrl(
		env['NEARGLOT_GATEWAY_PUBLIC_URL'] ?? textOf(own, 'publicUrl'),
		problems,
	);
	const publicUrl =
		given ?? standardUrl(typeof listen === 'number' ? { host: '127.0.0.1', port: listen } : listen);
	const providers = parseProviders(section(root, 'identityProviders'), env, problems);
	const enabled = envFlag(
		env,
		'WEBSITE_AUTH_ENABLED',
		flagOf(section(root, 'platform'), 'enabled', true),
		problems,
	);
	if (!enabled)
		problems.warn(
			'platform.enabled',
			'(or WEBSITE_AUTH_ENABLED) turns signing in off: every request reaches the app, whoever sends it.',
		);
	const access = parseAccess(
		root,
		env,
		problems,
		providers.map((row) => row.name),
	);
	if (enabled && providers.length === 0 && access.action !== 'AllowAnonymous') {
		problems.error('identityProviders', 'names no enabled provider, so nobody could sign in.');
	}
	const http = section(root, 'httpSettings');
	const forward = section(http, 'forwardProxy');
	const trusted = parseTrust(own, problems);
	const convention = (textOf(forward, 'convention') ?? 'NoProxy') as
		| 'NoProxy'
		| 'Standard'
		| 'Custom';
	if (convention !== 'NoProxy' && trusted.trustedHops === 0) {
		problems.warn(
			'httpSettings.forwardProxy',
			'has no effect while x-gateway.trustedHops is 0: nobody is trusted.',
		);
	}
	const tls = parseTls(own, problems);
	const byHttps = publicUrl.protocol === 'https:';
	const requireHttps = flagOf(http, 'requireHttps', true) && byHttps;
	const believed = trusted.trustedHops > 0 && trusted.trustedPeers?.length !== 0;
	if (requireHttps && !tls && (convention === 'NoProxy' || !believed)) {
		problems.error(
			'httpSettings.requireHttps',
			'would send every request to HTTPS again and again: nothing says which came by HTTPS. Set forwardProxy.convention (Standard) and x-gateway.trustedHops for the proxy that ends HTTPS, or x-gateway.tls, or requireHttps to false.',
		);
	}
	if (flagOf(http, 'requireHttps', false) && !byHttps) {
		problems.warn(
			'httpSettings.requireHttps',
			`has no effect: the public address is ${publicUrl.origin}, so people use plain HTTP. Set x-gateway.publicUrl to an https address.`,
		);
	}
	const replicas = numberOf(own, 'replicas', 1);
	const keys = parseKeys(root, own, env, problems);
	const store = parseStore(root, own, env, problems);
	if (replicas > 1 && store.kind === 'sqlite') {
		problems.error('x-gateway.store', 'several replicas need the redis store.');
	}
	const guarded = (key: string, standard: readonly string[]) =>
		guardedPaths(
			Object.hasOwn(own, key) ? listOf(own, key) : standard,
			`x-gateway.${key}`,
			problems,
		);
	const settings: GatewaySettings = {
		enabled,
		publicUrl,
		publicUrlGiven: given !== undefined,
		otherHosts: listOf(own, 'allowedHosts').map((host) => host.toLowerCase()),
		requireHttps,
		apiPrefix: textOf(section(http, 'routes'), 'apiPrefix') ?? '/.auth',
		forwardProxy: {
			convention,
			hostHeader:
				(convention === 'Custom' && textOf(forward, 'customHostHeaderName')) || 'X-Forwarded-Host',
			protoHeader:
				(convention === 'Custom' && textOf(forward, 'customProtoHeaderName')) ||
				'X-Forwarded-Proto',
			...trusted,
		},
		access: {
			...access,
			disableWwwAuthenticate: envFlag(
				env,
				'WEBSITE_AUTH_DISABLE_WWWAUTHENTICATE',
				flagOf(
					section(root, 'identityProviders', 'azureActiveDirectory', 'login'),
					'disableWWWAuthenticate',
					false,
				),
				problems,
			),
			closedPaths: guarded('closedPaths', closedPaths),
			stateChangingGets: guarded('stateChangingGets', stateChangingGets),
			editorOrigins: listOf(own, 'editorOrigins'),
		},
		login: parseLogin(root, own, env, publicUrl, problems),
		headers: {
			vendor: (textOf(own, 'vendor') ?? 'MS').toUpperCase(),
			maxPrincipalBytes: numberOf(own, 'maxPrincipalBytes', 8192),
			forwardRefreshTokens: flagOf(own, 'forwardRefreshTokens', false),
			assertionAudience: textOf(own, 'assertionAudience'),
			...parseUpstreamSecrets(own, env, problems),
			preserveHost: flagOf(own, 'preserveHost', false),
		},
		providers,
		store,
		keys,
		replicas,
		limits: {
			failuresPerMinute: numberOf(own, 'failuresPerMinute', 30),
			connectMs: numberOf(own, 'connectTimeoutSeconds', 5) * 1000,
			responseMs: numberOf(own, 'responseTimeoutSeconds', 600) * 1000,
			uploadIdleMs: numberOf(own, 'uploadIdleSeconds', bodyWindowMs / 1000) * 1000,
			shutdownMs: numberOf(own, 'shutdownSeconds', defaultDrainS) * 1000,
			providerMs: numberOf(own, 'providerTimeoutSeconds', 10) * 1000,
			refreshLeaseMs: numberOf(own, 'refreshLeaseSeconds', 10) * 1000,
		},
		tls,
		adminPort: Object.hasOwn(own, 'adminPort') ? numberOf(own, 'adminPort', 0) : undefined,
		auditFile: textOf(own, 'auditFile') ?? '-',
		resourceScopes: parseScopes(own, env),
	};
	if (settings.login.cookieName.startsWith('__Host-') && publicUrl.protocol !== 'https:') {
		problems.error('x-gateway.cookieName', 'a __Host- cookie needs an https publicUrl.');
	}
	problems.throwIfAny();
	return { settings, warnings: problems.warnings };
}

/** In the form with `properties` nothing is read beside it, so a section there would be one that is not. */
function checkWrapping(file: unknown, problems: Problems): void {
	const outer = asFields(file);
	if (!Object.hasOwn(outer, 'properties')) return;
	for (const name of sectionNames) {
		if (Object.hasOwn(outer, name))
			problems.error(name, 'stands beside properties and would not be read: move it in there.');
	}
}

/** The settings themselves: the published form may wrap them in `properties`. */
export function settingsRoot(file: unknown): Fields {
	const outer = asFields(file);
	return Object.hasOwn(outer, 'properties') ? section(outer, 'properties') : outer;
}

function parseAccess(
	root: Fields,
	env: NodeJS.ProcessEnv,
	problems: Problems,
	names: readonly string[],
) {
	const fields = section(root, 'globalValidation');
	const required = flagOf(fields, 'requireAuthentication', true);
	const written =
		env['WEBSITE_AUTH_UNAUTHENTICATED_ACTION'] ?? textOf(fields, 'unauthenticatedClientAction');
	const actions = ['RedirectToLoginPage', 'AllowAnonymous', 'Return401', 'Return403'];
	if (written !== undefined && !actions.includes(written)) {
		problems.error(
			'WEBSITE_AUTH_UNAUTHENTICATED_ACTION',
			`must be one of ${actions.join(', ')}, is '${written}'.`,
		);
	}
	const redirectToProvider = textOf(fields, 'redirectToProvider')?.toLowerCase();
	const known = redirectToProvider === undefined || names.includes(alias(redirectToProvider));
	if (!known) {
		problems.error(
			'globalValidation.redirectToProvider',
			`'${redirectToProvider}' is not an enabled provider (${names.join(', ') || 'there is none'}).`,
		);
	}
	const excludedPaths = listOf(fields, 'excludedPaths');
	checkRawPaths(excludedPaths, 'globalValidation.excludedPaths', problems);
	return {
		action: (required
			? (written ?? 'RedirectToLoginPage')
			: 'AllowAnonymous') as UnauthenticatedAction,
		redirectToProvider: redirectToProvider === undefined ? undefined : alias(redirectToProvider),
		excludedPaths,
	};
}

/** The settings file calls the directory by its long name too, and the microblog by its new one. */
export function alias(name: string): string {
	if (name === 'azureactivedirectory' || name === 'windowsazureactivedirectory') return 'aad';
	if (name === 'legacymicrosoftaccount') return 'microsoftaccount';
	return name === 'x' ? 'twitter' : name;
}

function parseLogin(
	root: Fields,
	own: Fields,
	env: NodeJS.ProcessEnv,
	publicUrl: URL,
	problems: Problems,
): GatewaySettings['login'] {
	const login = section(root, 'login');
	const nonce = section(login, 'nonce');
	const expiration = section(login, 'cookieExpiration');
	const span = (fields: Fields, key: string, standard: number, path: string): number => {
		const ms = parseDurationMs(textOf(fields, key) ?? '') ?? standard;
		if (ms < 1000) problems.error(path, 'must be at least one second.');
		return ms;
	};
	if (Object.hasOwn(section(login, 'tokenStore'), 'azureBlobStorage')) {
		problems.error(
			'login.tokenStore.azureBlobStorage',
			'is not supported; use x-gateway.store with sqlite or redis.',
		);
	}
	const allowedRedirects = listOf(login, 'allowedExternalRedirectUrls');
	for (const url of allowedRedirects) {
		if (
			!/^[a-z][a-z0-9+.-]*:\/\/[^/?#@\\\s]+(\/[^?#\\\s]*)?$/i.test(url) ||
			/^(javascript|data|vbscript|file|blob):/i.test(url)
		) {
			problems.error(
				'login.allowedExternalRedirectUrls',
				`'${url}' must be scheme://host/path without query, or an app's own scheme.`,
			);
		}
	}
	return {
		tokenStore: flagOf(section(login, 'tokenStore'), 'enabled', true),
		refreshWindowMs:
			numberOf(section(login, 'tokenStore'), 'tokenRefreshExtensionHours', 72) * hour,
		preserveFragments: envFlag(
			env,
			'WEBSITE_AUTH_PRESERVE_URL_FRAGMENT',
			flagOf(login, 'preserveUrlFragmentsForLogins', false),
			problems,
		),
		allowedRedirects,
		cookieName: textOf(own, 'cookieName') ?? standardCookie(publicUrl),
		expiry:
			(textOf(expiration, 'convention') ?? 'FixedTime') === 'FixedTime'
				? 'FixedTime'
				: 'IdentityProviderDerived',
		sessionMs: span(
			expiration,
			'timeToExpiration',
			8 * hour,
			'login.cookieExpiration.timeToExpiration',
		),
		tokenMs: span(own, 'tokenLifetime', hour, 'x-gateway.tokenLifetime'),
		validateNonce: flagOf(nonce, 'validateNonce', true),
		nonceMs: span(nonce, 'nonceExpirationInterval', 300_000, 'login.nonce.nonceExpirationInterval'),
		logoutPath: textOf(section(login, 'routes'), 'logoutEndpoint'),
		anonymousMe: textOf(own, 'anonymousMe') === 'unauthorized' ? 'unauthorized' : 'empty',
	};
}

/** The prefix keeps other hosts and plain HTTP from setting one; browsers take it on HTTPS only. */
function standardCookie({ protocol }: URL): string {
	return `${protocol === 'https:' ? '__Host-' : ''}AppServiceAuthSession`;
}

function parseStore(
	root: Fields,
	own: Fields,
	env: NodeJS.ProcessEnv,
	problems: Problems,
): StoreSettings {
	const store = section(own, 'store');
	const setting = textOf(store, 'urlSettingName');
	const url = setting === undefined ? textOf(store, 'url') : env[setting];
	if ((textOf(store, 'kind') ?? (url ? 'redis' : 'sqlite')) === 'redis') {
		if (!url)
			problems.error(
				'x-gateway.store',
				'redis needs url, or urlSettingName naming a variable that is set.',
			);
		return { kind: 'redis', url: url ?? '' };
	}
	const folder = textOf(section(root, 'login', 'tokenStore', 'fileSystem'), 'directory');
	return {
		kind: 'sqlite',
		path: textOf(store, 'path') ?? (folder ? `${folder}/sessions.db` : 'gateway-sessions.db'),
	};
}

function parseTls(own: Fields, problems: Problems): GatewaySettings['tls'] {
	const fields = section(own, 'tls');
	const [certFile, keyFile] = [textOf(fields, 'certFile'), textOf(fields, 'keyFile')];
	if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
	if (certFile !== undefined || keyFile !== undefined)
		problems.error('x-gateway.tls', 'needs both certFile and keyFile.');
	return undefined;
}

function parseScopes(own: Fields, env: NodeJS.ProcessEnv): readonly string[] | undefined {
	const written = env['WEBSITE_AUTH_PRM_DEFAULT_WITH_SCOPES'];
	if (written !== undefined) return written.split(/[\s,]+/).filter((scope) => scope !== '');
	return Object.hasOwn(own, 'resourceScopes') ? listOf(own, 'resourceScopes') : undefined;
}
