/** Metadata of an OpenID Connect provider: discovered when first needed, overridden by the settings. */

import * as client from 'openid-client';
import { defined } from '../../protocol/defined.ts';
import type { ProviderSettings } from '../config/gatewaySettings.ts';
import { isLoopback } from '../config/publicUrl.ts';
import { type ProviderDeps, ProviderError } from './provider.ts';

const consumerTenant = '9188040d-6c67-4c5b-b112-36a304b66dad';

/** Issuers and discovery documents of the built-in providers. */
const builtin: Readonly<Record<string, { readonly issuer?: string; readonly discovery: string }>> =
	{
		aad: {
			discovery:
				'https://login.microsoftonline.com/organizations/v2.0/.well-known/openid-configuration',
		},
		microsoftaccount: {
			issuer: `https://login.microsoftonline.com/${consumerTenant}/v2.0`,
			discovery: `https://login.microsoftonline.com/${consumerTenant}/v2.0/.well-known/openid-configuration`,
		},
		google: {
			issuer: 'https://accounts.google.com',
			discovery: 'https://accounts.google.com/.well-known/openid-configuration',
		},
		apple: {
			issuer: 'https://appleid.apple.com',
			discovery: 'https://appleid.apple.com/.well-known/openid-configuration',
		},
	};

/** How long a failed discovery is remembered. */
const retryMs = 3000;

export class OidcConfiguration {
	readonly #settings: ProviderSettings;
	readonly #deps: ProviderDeps;
	#loading: Promise<client.Configuration> | undefined;
	#failedAt = Number.NEGATIVE_INFINITY;
	#failure: unknown;
	/** Set once discovery worked. */
	loaded: client.Configuration | undefined;

	constructor(settings: ProviderSettings, deps: ProviderDeps) {
		this.#settings = settings;
		this.#deps = deps;
	}

	/** @throws ProviderError `unreachable`. */
	async get(): Promise<client.Configuration> {
		if (this.loaded) return this.loaded;
		if (!this.#loading && this.#deps.elapsed() - this.#failedAt < retryMs) throw this.#failure;
		this.#loading ??= this.#load().finally(() => {
			this.#loading = undefined;
		});
		return this.#loading;
	}

	async #load(): Promise<client.Configuration> {
		try {
			this.loaded = await this.#discover();
			return this.loaded;
		} catch (error) {
			this.#failedAt = this.#deps.elapsed();
			this.#failure = new ProviderError(
				'unreachable',
				`The sign-in provider ${this.#settings.label} cannot be reached.`,
				error,
			);
			throw this.#failure;
		}
	}

	async #discover(): Promise<client.Configuration> {
		const { endpoints, clientId, kind } = this.#settings;
		const overrides = defined({
			issuer: endpoints.issuer,
			authorization_endpoint: endpoints.authorization,
			token_endpoint: endpoints.token,
			jwks_uri: endpoints.jwks,
			userinfo_endpoint: endpoints.userInfo,
			end_session_endpoint: endpoints.endSession,
			revocation_endpoint: endpoints.revocation,
		});
		const complete =
			endpoints.issuer && endpoints.authorization && endpoints.token && endpoints.jwks;
		let metadata: client.ServerMetadata;
		if (complete) metadata = { issuer: endpoints.issuer, ...overrides };
		else {
			const address =
				endpoints.discovery ??
				(endpoints.issuer === undefined
					? builtin[kind]?.discovery
					: `${endpoints.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
			const anyTenant = address!.match(
				/^https:\/\/login\.microsoftonline\.com\/(?:common|organizations|consumers)\/v2\.0/,
			);
			const url = new URL(anyTenant?.[0] ?? address!);
			const found = await client.discovery(
				url,
				clientId,
				this.#clientMetadata(['RS256']),
				this.#auth(),
				{
					[client.customFetch]: this.#fetch(),
					timeout: this.#deps.timeoutMs / 1000,
					...(isLoopback(url.hostname) ? { execute: [client.allowInsecureRequests] } : {}),
				},
			);
			const plain = found.serverMetadata();
			// What the library knows about the placeholder does not survive a new configuration.
			if (anyTenant) return this.#prepare(found);
			metadata = Object.assign({}, plain, overrides, { issuer: plain.issuer });
			if (
				endpoints.issuer !== undefined &&
				plain.issuer !== endpoints.issuer &&
				plain.issuer !== `${endpoints.issuer}/`
			) {
				throw new Error(
					`the discovery document names the issuer ${plain.issuer}, the settings ${endpoints.issuer}`,
				);
			}
		}
		return this.#configure(metadata);
	}

	#configure(metadata: client.ServerMetadata): client.Configuration {
		const offered = metadata.id_token_signing_alg_values_supported;
		// Shared-secret and unsigned id tokens are never accepted, whatever the provider offers.
		const algorithms = offered?.filter((alg) => /^(?:RS|PS|ES)\d|^Ed/.test(alg)) ?? [];
		const accepted = algorithms.length > 0 ? algorithms : ['RS256'];
		const server = { ...metadata, id_token_signing_alg_values_supported: accepted };
		return this.#prepare(
			new client.Configuration(
				server,
				this.#settings.clientId,
				this.#clientMetadata(accepted),
				this.#auth(),
			),
		);
	}

	#prepare(config: client.Configuration): client.Configuration {
		const metadata = config.serverMetadata();
		config[client.customFetch] = this.#fetch();
		config.timeout = this.#deps.timeoutMs / 1000;
		if (metadata.jwks_uri) client.enableNonRepudiationChecks(config);
		const token = metadata.token_endpoint;
		if (token && isLoopback(new URL(token).hostname)) client.allowInsecureRequests(config);
		return config;
	}

	#clientMetadata(algorithms: readonly string[]): Partial<client.ClientMetadata> {
		const only = algorithms.length === 1 ? { id_token_signed_response_alg: algorithms[0]! } : {};
		return { [client.clockTolerance]: 60, ...only };
	}

	#auth(): client.ClientAuth {
		const { clientSecret, clientAuth } = this.#settings;
		if (clientSecret === undefined) return client.None();
		return clientAuth === 'basic'
			? client.ClientSecretBasic(clientSecret)
			: client.ClientSecretPost(clientSecret);
	}

	#fetch(): client.CustomFetch {
		return (url, options) => this.#deps.fetch(url, options as RequestInit);
	}
}
