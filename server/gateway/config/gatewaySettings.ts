/**
 * The settings of the sign-in layer after parsing: every default filled in, every duration in
 * milliseconds, every secret already read from its environment variable.
 */

/** What happens to a request without a session. */
export type UnauthenticatedAction =
	| 'RedirectToLoginPage'
	| 'AllowAnonymous'
	| 'Return401'
	| 'Return403';

/** The protocol a provider speaks. */
export type ProviderKind =
	| 'aad'
	| 'microsoftaccount'
	| 'google'
	| 'facebook'
	| 'twitter'
	| 'github'
	| 'apple'
	| 'oidc';

/** Who may use the app after signing in with a provider. An empty list allows everybody. */
export interface AllowedPrincipals {
	readonly groups: readonly string[];
	/** User ids (`sub` or `oid`) or verified e-mail addresses. */
	readonly identities: readonly string[];
	/** Client applications (`azp` or `appid`). */
	readonly applications: readonly string[];
}

/** Addresses of a provider; each one overrides what discovery or the built-in table says. */
export interface ProviderEndpoints {
	readonly issuer?: string;
	readonly discovery?: string;
	readonly authorization?: string;
	readonly token?: string;
	readonly userInfo?: string;
	readonly jwks?: string;
	readonly endSession?: string;
	readonly revocation?: string;
	/** OAuth 1.0a only. */
	readonly requestToken?: string;
	/** Token inspection of the social network. */
	readonly debugToken?: string;
	/** List of verified addresses of the code host. */
	readonly emails?: string;
}

export interface ProviderSettings {
	readonly kind: ProviderKind;
	/** Path segment: `/.auth/login/<name>`. */
	readonly name: string;
	readonly label: string;
	readonly clientId: string;
	readonly clientSecret: string | undefined;
	readonly clientAuth: 'post' | 'basic';
	readonly scopes: readonly string[];
	readonly endpoints: ProviderEndpoints;
	/** Audiences accepted beside the client id in tokens that clients bring. */
	readonly allowedAudiences: readonly string[];
	/** Query parameters sent with every authorization request. */
	readonly loginParameters: Readonly<Record<string, string>>;
	/** Query parameters a login link may pass through. */
	readonly passedParameters: readonly string[];
	readonly nameClaimType: string | undefined;
	readonly allowed: AllowedPrincipals;
	/** Consumer account platform: accept access tokens, which carry no audience. */
	readonly acceptUnboundAccessTokens: boolean;
	/** Directory only: scopes for which an editor may bring the session it has; absent: it may not. */
	readonly editorScopes?: readonly string[];
}

export type StoreSettings =
	| { readonly kind: 'sqlite'; readonly path: string }
	| { readonly kind: 'redis'; readonly url: string };

export interface GatewaySettings {
	readonly enabled: boolean;
	/** Address users see, without a path: `https://team.example`. */
	readonly publicUrl: URL;
	/** False when it is where the layer listens on this computer. */
	readonly publicUrlGiven: boolean;
	/** Values of `Host` that are answered beside the public one. */
	readonly otherHosts: readonly string[];
	readonly requireHttps: boolean;
	readonly apiPrefix: string;
	readonly forwardProxy: {
		readonly convention: 'NoProxy' | 'Standard' | 'Custom';
		readonly hostHeader: string;
		readonly protoHeader: string;
		/** How many proxies stand in front. 0: forwarding headers of nobody count. */
		readonly trustedHops: number;
		/** Networks from which the nearest of them calls; undefined = everywhere. */
		readonly trustedPeers: readonly string[] | undefined;
	};
	readonly access: {
		readonly action: UnauthenticatedAction;
		readonly redirectToProvider: string | undefined;
		readonly excludedPaths: readonly string[];
		/** Leaves `WWW-Authenticate` out of 401 answers. */
		readonly disableWwwAuthenticate: boolean;
		/** Paths nobody reaches through the layer, however they are spelled. */
		readonly closedPaths: readonly string[];
		/** GET paths that change state and get the cross-site check too. */
		readonly stateChangingGets: readonly string[];
		/** Web origins whose scripts may call with a session token (CORS). */
		readonly editorOrigins: readonly string[];
	};
	readonly login: {
		readonly tokenStore: boolean;
		readonly refreshWindowMs: number;
		readonly preserveFragments: boolean;
		readonly allowedRedirects: readonly string[];
		readonly cookieName: string;
		readonly expiry: 'FixedTime' | 'IdentityProviderDerived';
		readonly sessionMs: number;
		/** Life of a session token given to the editor or a device. */
		readonly tokenMs: number;
		readonly validateNonce: boolean;
		readonly nonceMs: number;
		/** One more path that signs out. */
		readonly logoutPath: string | undefined;
		readonly anonymousMe: 'empty' | 'unauthorized';
	};
	readonly headers: {
		/** Middle segment of `X-<VENDOR>-CLIENT-PRINCIPAL`. */
		readonly vendor: string;
		readonly maxPrincipalBytes: number;
		readonly forwardRefreshTokens: boolean;
		readonly assertionAudience: string | undefined;
		/** Header and value that prove to the upstream that the request came through here. */
		readonly upstreamSecret: { readonly name: string; readonly value: string } | undefined;
		/** Secret shared with a model server, by which the signed-in person is named to it. */
		readonly personSecret: string | undefined;
		readonly preserveHost: boolean;
	};
	readonly providers: readonly ProviderSettings[];
	readonly store: StoreSettings;
	readonly keys: {
		readonly file: string | undefined;
		readonly signingKey: string | undefined;
		readonly encryptionKey: string | undefined;
		readonly userIdKey: string | undefined;
	};
	readonly replicas: number;
	readonly limits: {
		readonly failuresPerMinute: number;
		readonly connectMs: number;
		readonly responseMs: number;
		readonly uploadIdleMs: number;
		readonly shutdownMs: number;
		readonly providerMs: number;
		/** How long a replica that died keeps others from refreshing the same session. */
		readonly refreshLeaseMs: number;
	};
	readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
	/** Port of the listener with `/metrics`, `/healthz` and the assertion keys. */
	readonly adminPort: number | undefined;
	readonly adminHost: string;
	/** Path of the audit log; `-` is stderr. */
	readonly auditFile: string;
	/** Scopes announced in the protected-resource metadata; undefined turns the document off. */
	readonly resourceScopes: readonly string[] | undefined;
}
