/** Turns the settings file and the environment into {@link GatewaySettings}, or says all that is wrong. */

import { checkSchema, type Finding } from './checkSchema.ts';
import { asFields } from './configFields.ts';
import { Problems } from './configProblems.ts';
import { envFlag } from './envFlag.ts';
import type { GatewaySettings, StoreSettings } from './gatewaySettings.ts';
import { parseKeys } from './parseKeys.ts';
import { checkRawPaths, guardedPaths } from './pathPatterns.ts';
import { parseProviders } from './providerSettings.ts';
import { parseTrust } from './proxyTrust.ts';
import { type ListenAddress, parsePublicUrl, standardUrl } from './publicUrl.ts';
import {
	type AuthFile,
	authFile,
	type OwnSettings,
	sectionNames,
	unauthenticatedActions,
} from './schema.ts';
import { parseUpstreamSecrets } from './upstreamSecrets.ts';

export interface ParsedSettings {
	readonly settings: GatewaySettings;
	readonly warnings: readonly Finding[];
}

const hourMs = 3_600_000;

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
	const report = checkSchema(file, authFile);
	problems.errors.push(...report.errors);
	problems.warnings.push(...report.warnings);
	checkWrapping(file, problems);
	problems.throwIfAny();
	const root = report.value.properties ?? report.value;
	const own = root['x-gateway'];
	const given = parsePublicUrl(env['NEARGLOT_GATEWAY_PUBLIC_URL'] ?? own.publicUrl, problems);
	const publicUrl =
		given ?? standardUrl(typeof listen === 'number' ? { host: '127.0.0.1', port: listen } : listen);
	const providers = parseProviders(root.identityProviders, env, problems);
	const enabled = envFlag(env, 'WEBSITE_AUTH_ENABLED', root.platform.enabled, problems);
	if (!enabled)
		problems.warn(
			'platform.enabled',
			'(or WEBSITE_AUTH_ENABLED) turns signing in off: every request reaches the app, whoever sends it.',
		);
	const access = parseAccess(
		root.globalValidation,
		env,
		problems,
		providers.map((row) => row.name),
	);
	if (enabled && providers.length === 0 && access.action !== 'AllowAnonymous') {
		problems.error('identityProviders', 'names no enabled provider, so nobody could sign in.');
	}
	const http = root.httpSettings;
	const forward = http.forwardProxy;
	const { convention } = forward;
	const trusted = parseTrust(own, problems);
	if (convention !== 'NoProxy' && trusted.trustedHops === 0) {
		problems.warn(
			'httpSettings.forwardProxy',
			'has no effect while x-gateway.trustedHops is 0: nobody is trusted.',
		);
	}
	const tls = parseTls(own.tls, problems);
	const byHttps = publicUrl.protocol === 'https:';
	const requireHttps = http.requireHttps !== false && byHttps;
	const believed = trusted.trustedHops > 0 && trusted.trustedPeers?.length !== 0;
	if (requireHttps && !tls && (convention === 'NoProxy' || !believed)) {
		problems.error(
			'httpSettings.requireHttps',
			'would send every request to HTTPS again and again: nothing says which came by HTTPS. Set forwardProxy.convention (Standard) and x-gateway.trustedHops for the proxy that ends HTTPS, or x-gateway.tls, or requireHttps to false.',
		);
	}
	if (http.requireHttps === true && !byHttps) {
		problems.warn(
			'httpSettings.requireHttps',
			`has no effect: the public address is ${publicUrl.origin}, so people use plain HTTP. Set x-gateway.publicUrl to an https address.`,
		);
	}
	const { replicas } = own;
	const keys = parseKeys(root, env, problems);
	const store = parseStore(root, env, problems);
	if (replicas > 1 && store.kind === 'sqlite') {
		problems.error('x-gateway.store', 'several replicas need the redis store.');
	}
	const guarded = (key: 'closedPaths' | 'stateChangingGets') =>
		guardedPaths(own[key], `x-gateway.${key}`, problems);
	const settings: GatewaySettings = {
		enabled,
		publicUrl,
		publicUrlGiven: given !== undefined,
		otherHosts: own.allowedHosts.map((host) => host.toLowerCase()),
		requireHttps,
		apiPrefix: http.routes.apiPrefix,
		forwardProxy: {
			convention,
			hostHeader: (convention === 'Custom' && forward.customHostHeaderName) || 'X-Forwarded-Host',
			protoHeader:
				(convention === 'Custom' && forward.customProtoHeaderName) || 'X-Forwarded-Proto',
			...trusted,
		},
		access: {
			...access,
			disableWwwAuthenticate: envFlag(
				env,
				'WEBSITE_AUTH_DISABLE_WWWAUTHENTICATE',
				root.identityProviders.azureActiveDirectory?.login.disableWWWAuthenticate ?? false,
				problems,
			),
			closedPaths: guarded('closedPaths'),
			stateChangingGets: guarded('stateChangingGets'),
			editorOrigins: own.editorOrigins,
		},
		login: parseLogin(root, env, publicUrl, problems),
		headers: {
			vendor: own.vendor.toUpperCase(),
			maxPrincipalBytes: own.maxPrincipalBytes,
			forwardRefreshTokens: own.forwardRefreshTokens,
			assertionAudience: own.assertionAudience,
			...parseUpstreamSecrets(own, env, problems),
			preserveHost: own.preserveHost,
		},
		providers,
		store,
		keys,
		replicas,
		limits: {
			failuresPerMinute: own.failuresPerMinute,
			connectMs: own.connectTimeoutSeconds * 1000,
			responseMs: own.responseTimeoutSeconds * 1000,
			uploadIdleMs: own.uploadIdleSeconds * 1000,
			shutdownMs: own.shutdownSeconds * 1000,
			providerMs: own.providerTimeoutSeconds * 1000,
			refreshLeaseMs: own.refreshLeaseSeconds * 1000,
		},
		tls,
		adminPort: own.adminPort,
		adminHost: own.adminHost,
		auditFile: own.auditFile,
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

function parseAccess(
	rules: AuthFile['globalValidation'],
	env: NodeJS.ProcessEnv,
	problems: Problems,
	names: readonly string[],
) {
	const written =
		env['WEBSITE_AUTH_UNAUTHENTICATED_ACTION'] ??
		rules.unauthenticatedClientAction ??
		'RedirectToLoginPage';
	const action = unauthenticatedActions.find((name) => name === written);
	if (action === undefined) {
		problems.error(
			'WEBSITE_AUTH_UNAUTHENTICATED_ACTION',
			`must be one of ${unauthenticatedActions.join(', ')}, is '${written}'.`,
		);
	}
	const redirectToProvider = rules.redirectToProvider?.toLowerCase();
	const known = redirectToProvider === undefined || names.includes(alias(redirectToProvider));
	if (!known) {
		problems.error(
			'globalValidation.redirectToProvider',
			`'${redirectToProvider}' is not an enabled provider (${names.join(', ') || 'there is none'}).`,
		);
	}
	const { excludedPaths } = rules;
	checkRawPaths(excludedPaths, 'globalValidation.excludedPaths', problems);
	return {
		action: (rules.requireAuthentication && action) || 'AllowAnonymous',
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
	{ login, 'x-gateway': own }: AuthFile,
	env: NodeJS.ProcessEnv,
	publicUrl: URL,
	problems: Problems,
): GatewaySettings['login'] {
	if (login.tokenStore.azureBlobStorage !== undefined) {
		problems.error(
			'login.tokenStore.azureBlobStorage',
			'is not supported; use x-gateway.store with sqlite or redis.',
		);
	}
	const allowedRedirects = login.allowedExternalRedirectUrls;
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
		tokenStore: login.tokenStore.enabled,
		refreshWindowMs: login.tokenStore.tokenRefreshExtensionHours * hourMs,
		preserveFragments: envFlag(
			env,
			'WEBSITE_AUTH_PRESERVE_URL_FRAGMENT',
			login.preserveUrlFragmentsForLogins,
			problems,
		),
		allowedRedirects,
		cookieName: own.cookieName ?? standardCookie(publicUrl),
		expiry:
			login.cookieExpiration.convention === 'FixedTime' ? 'FixedTime' : 'IdentityProviderDerived',
		sessionMs: login.cookieExpiration.timeToExpiration,
		tokenMs: own.tokenLifetime,
		validateNonce: login.nonce.validateNonce,
		nonceMs: login.nonce.nonceExpirationInterval,
		logoutPath: login.routes.logoutEndpoint,
		anonymousMe: own.anonymousMe,
	};
}

/** The prefix keeps other hosts and plain HTTP from setting one; browsers take it on HTTPS only. */
function standardCookie({ protocol }: URL): string {
	return `${protocol === 'https:' ? '__Host-' : ''}AppServiceAuthSession`;
}

function parseStore(
	{ login, 'x-gateway': own }: AuthFile,
	env: NodeJS.ProcessEnv,
	problems: Problems,
): StoreSettings {
	const { kind, path, urlSettingName, ...written } = own.store;
	const url = urlSettingName === undefined ? written.url : env[urlSettingName];
	if ((kind ?? (url ? 'redis' : 'sqlite')) === 'redis') {
		if (!url)
			problems.error(
				'x-gateway.store',
				'redis needs url, or urlSettingName naming a variable that is set.',
			);
		return { kind: 'redis', url: url ?? '' };
	}
	const folder = login.tokenStore.fileSystem.directory;
	return {
		kind: 'sqlite',
		path: path ?? (folder ? `${folder}/sessions.db` : 'gateway-sessions.db'),
	};
}

function parseTls(
	{ certFile, keyFile }: OwnSettings['tls'],
	problems: Problems,
): GatewaySettings['tls'] {
	if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
	if (certFile !== undefined || keyFile !== undefined)
		problems.error('x-gateway.tls', 'needs both certFile and keyFile.');
	return undefined;
}

function parseScopes(own: OwnSettings, env: NodeJS.ProcessEnv): readonly string[] | undefined {
	const written = env['WEBSITE_AUTH_PRM_DEFAULT_WITH_SCOPES'];
	if (written !== undefined) return written.split(/[\s,]+/).filter((scope) => scope !== '');
	return own.resourceScopes;
}
