/**
 * Tokens of a directory for the hosted translate service: the client credentials grant of OpenID
 * Connect (RFC 6749, 4.4). One request at a time, kept until shortly before they end.
 */

import type { Configuration } from 'openid-client';
import type { Fetch, FetchOptions } from '../net/outbound.ts';
import { AppError } from '../protocol/index.ts';

export interface DirectoryOptions {
	/** OpenID Connect issuer; its discovery document names the token endpoint. */
	readonly issuer: string;
	readonly clientId: string;
	readonly clientSecret: string;
	/** Default: the scope of the hosted service. */
	readonly scope?: string;
}

export interface DirectoryDeps {
	readonly fetch: Fetch;
	/** Milliseconds. */
	readonly now: () => number;
}

export interface DirectoryTokens {
	/** A token that is valid for some minutes more. */
	token(): Promise<string>;
	/** Forgets a token that the service no longer accepts. */
	reset(): void;
}

const defaultScope = 'https://cognitiveservices.azure.com/.default';
/** Tokens are renewed this long before they end, at the latest after half of their life. */
const marginS = 120;

/** Opens the directory when the first token is wanted. */
export function createDirectoryTokens(
	options: DirectoryOptions,
	deps: DirectoryDeps,
): DirectoryTokens {
	let configuration: Promise<Configuration> | undefined;
	let current: { readonly text: string; readonly until: number } | undefined;
	let asking: Promise<string> | undefined;

	const discover = async (): Promise<Configuration> => {
		const client = await import('openid-client');
		const issuer = new URL(options.issuer);
		return client.discovery(issuer, options.clientId, options.clientSecret, undefined, {
			[client.customFetch]: (url, init) =>
				// Another token does no harm.
				deps.fetch(url, { ...(init as FetchOptions), computes: true }),
			// Only a directory on this very machine may do without TLS; settings allow no other.
			...(issuer.protocol === 'http:' ? { execute: [client.allowInsecureRequests] } : {}),
		});
	};

	const ask = async (): Promise<string> => {
		try {
			configuration ??= discover();
			const client = await import('openid-client');
			const answer = await client.clientCredentialsGrant(await configuration, {
				scope: options.scope ?? defaultScope,
			});
			const lifeS = answer.expires_in ?? 600;
			const keepS = Math.max(lifeS - marginS, lifeS / 2);
			current = { text: answer.access_token, until: deps.now() + keepS * 1000 };
			return answer.access_token;
		} catch (error) {
			// A directory that was down once must not stay unknown.
			configuration = undefined;
			throw refusal(error, new URL(options.issuer).host);
		}
	};

	return {
		token: () => {
			if (current && deps.now() < current.until) return Promise.resolve(current.text);
			// However many requests wait, one asks.
			asking ??= ask().finally(() => {
				asking = undefined;
			});
			return asking;
		},
		reset: () => {
			current = undefined;
		},
	};
}

function refusal(error: unknown, host: string): AppError {
	const { error: code, error_description: words } = error as {
		readonly error?: unknown;
		readonly error_description?: unknown;
	};
	if (typeof code === 'string')
		return new AppError(
			'invalid_api_key',
			`The directory at ${host} gave no token (${code}${typeof words === 'string' ? `: ${words.slice(0, 200)}` : ''}). Check the client id, its secret and the scope.`,
			{ cause: error },
		);
	return new AppError(
		'upstream_failed',
		`The directory at ${host} cannot be asked for a token. Check its issuer and the network.`,
		{ cause: error },
	);
}
