/** Turns the settings file and the environment into {@link GatewaySettings}, or says all that is wrong. */

import { checkSchema, type Finding } from './checkSchema.ts';
import { parseDurationMs } from './duration.ts';
import { asFields, type Fields, flagOf, listOf, numberOf, section, textOf } from './fields.ts';
import { parseKeys } from './parseKeys.ts';
import { Problems } from './problems.ts';
import { parseProviders } from './providerSettings.ts';
import { parseTrust } from './proxyTrust.ts';
import { authSchema } from './schema.ts';
import type { GatewaySettings, StoreSettings, UnauthenticatedAction } from './settings.ts';
import { parseUpstreamSecrets } from './upstreamSecrets.ts';

export interface ParsedSettings {
	readonly settings: GatewaySettings;
	readonly warnings: readonly Finding[];
}

const hour = 3_600_000;

/**
 * Reads a parsed settings file. Paths in it stay as written; resolve them against the file's folder.
 *
 * @param defaultPort Port used for the public address when the file names none.
 * @throws AppError `invalid_request` that lists every mistake.
 */
export function parseSettings(
	file: unknown,
	env: NodeJS.ProcessEnv,
	defaultPort: number,
): ParsedSettings {
	const problems = new Problems();
	const report = checkSchema(file, authSchema);
	problems.errors.push(...report.errors);
	problems.warnings.push(...report.warnings);
	problems.throwIfAny();
	const outer = asFields(file);
	const root = Object.hasOwn(outer, 'properties') ? section(outer, 'properties') : outer;
	const own = section(root, 'x-gateway');
	const publicUrl = parsePublicUrl(
		env['NEARGLOT_GATEWAY_PUBLIC_URL'] ?? textOf(own, 'publicUrl'),
		defaultPort,
		problems,
	);
	const providers = parseProviders(section(root, 'identityProviders'), env, problems);
	const enabled = envFlag(
		env,
		'WEBSITE_AUTH_ENABLED',
		flagOf(section(root, 'platform'), 'enabled', true),
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
	const replicas = numberOf(own, 'replicas', 1);
	const keys = parseKeys(root, own, env, problems);
	const store = parseStore(root, own, env, problems);
	if (replicas > 1 && store.kind === 'sqlite') {
		problems.error('x-gateway.store', 'several replicas need the redis store.');
	}
	const settings: GatewaySettings = {
		enabled,
		publicUrl,
		allowedHosts: [publicUrl.host, withPort(publicUrl), ...listOf(own, 'allowedHosts')].map(
			(host) => host.toLowerCase(),
		),
		requireHttps:
			flagOf(http, 'requireHttps', publicUrl.protocol === 'https:') &&
			publicUrl.protocol === 'https:',
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
			),
			closedPaths: (Object.hasOwn(own, 'closedPaths')
				? listOf(own, 'closedPaths')
				: // A Nearglot model server has nothing below it but what is its owner's.
					['/nearglot/*']
			).map((path) => path.toLowerCase()),
			stateChangingGets: (Object.hasOwn(own, 'stateChangingGets')
				? listOf(own, 'stateChangingGets')
				: [
						'/openai/load*',
						'/openai/unload*',
						'/openai/setgpudevice*',
						'/openai/download*',
						'/models/load*',
						'/models/unload*',
					]
			).map((path) => path.toLowerCase()),
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
			uploadIdleMs: numberOf(own, 'uploadIdleSeconds', 120) * 1000,
			shutdownMs: numberOf(own, 'shutdownSeconds', 25) * 1000,
			providerMs: numberOf(own, 'providerTimeoutSeconds', 10) * 1000,
			refreshLeaseMs: numberOf(own, 'refreshLeaseSeconds', 10) * 1000,
		},
		tls: parseTls(own, problems),
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

function parsePublicUrl(value: string | undefined, port: number, problems: Problems): URL {
	const standard = new URL(`http://localhost:${port}`);
	if (value === undefined) return standard;
	const url = URL.canParse(value) ? new URL(value) : undefined;
	const extras =
		url && [url.search, url.hash, url.username, url.password].some((part) => part !== '');
	if (url?.pathname !== '/' || extras) {
		problems.error(
			'x-gateway.publicUrl',
			`must be an address without path, such as https://team.example, is '${value}'.`,
		);
		return standard;
	}
	if (url.protocol !== 'https:' && !isLoopback(url.hostname)) {
		problems.error(
			'x-gateway.publicUrl',
			'must be https, unless it is on this machine (localhost, 127.0.0.1).',
		);
	}
	return url;
}

/** Some clients write the port even when it is the usual one. */
function withPort(url: URL): string {
	const usual = url.protocol === 'https:' ? '443' : '80';
	return `${url.hostname}:${url.port === '' ? usual : url.port}`;
}

/** True for names that never leave the machine. */
export function isLoopback(hostname: string): boolean {
	return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
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
	for (const path of excludedPaths) {
		if (!/^\/[^*?#\\\s]*\*?$/.test(path)) {
			problems.error(
				'globalValidation.excludedPaths',
				`'${path}' must be a path like /health or /public/*.`,
			);
		}
	}
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

function envFlag(env: NodeJS.ProcessEnv, name: string, standard: boolean): boolean {
	const value = env[name]?.toLowerCase();
	if (value === undefined || value === '') return standard;
	return value === 'true' || value === '1';
}
