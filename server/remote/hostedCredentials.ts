/** Credentials for the hosted translate service: a key, a token made from it, or a directory token. */

import type { Fetch } from '../net/outbound.ts';
import { AppError } from '../protocol/index.ts';
import type { HostedAddress } from './hostedAddress.ts';

export interface HostedCredentialOptions {
	readonly key?: string;
	readonly region?: string;
	/** Exchange the key for tokens instead of sending it with every request. */
	readonly useTokens?: boolean;
	/** Gives a directory token for the service; it may cache. */
	readonly directoryToken?: (signal?: AbortSignal) => Promise<string>;
	/** Makes the next directory token a new one. */
	readonly forgetDirectoryToken?: () => void;
	/** Resource the directory token is for; needed on the global address only. */
	readonly resourceId?: string;
}

export interface HostedCredentialDeps {
	readonly fetch: Fetch;
	/** Milliseconds. */
	readonly now: () => number;
}

/** Tokens live ten minutes; they are renewed after eight. */
const renewAfterMs = 8 * 60_000;

export interface HostedCredentials {
	headers(signal?: AbortSignal): Promise<Record<string, string>>;
	/** Forgets a token that the service no longer accepts. */
	reset(): void;
	/** Whether {@link reset} can lead to better credentials. */
	readonly renewable: boolean;
}

export function createHostedCredentials(
	address: HostedAddress,
	options: HostedCredentialOptions,
	deps: HostedCredentialDeps,
): HostedCredentials {
	const { key, region, directoryToken, resourceId } = options;
	let token: { readonly text: string; readonly at: number } | undefined;
	let asking: Promise<string> | undefined;

	const issue = async (): Promise<string> => {
		if (address.tokenUrl === undefined || key === undefined)
			throw new AppError(
				'invalid_api_key',
				'A key is needed to get a token of the hosted translator.',
			);
		const response = await deps.fetch(address.tokenUrl, {
			method: 'POST',
			headers: { 'Ocp-Apim-Subscription-Key': key, 'Content-Length': '0', ...regionHeader },
			redirect: 'manual',
			// Another token does no harm.
			computes: true,
		});
		if (!response.ok) {
			await response.body?.cancel();
			throw new AppError(
				response.status === 401 ? 'invalid_api_key' : 'upstream_failed',
				`The hosted translator gave no token (status ${response.status}). Check the key and its region.`,
			);
		}
		const text = await response.text();
		token = { text, at: deps.now() };
		return text;
	};

	const regionHeader: Record<string, string> =
		region === undefined ? {} : { 'Ocp-Apim-Subscription-Region': region };

	const currentToken = async (): Promise<string> => {
		if (token && deps.now() - token.at < renewAfterMs) return token.text;
		// However many requests wait, one asks.
		asking ??= issue().finally(() => {
			asking = undefined;
		});
		return asking;
	};

	return {
		renewable: directoryToken !== undefined || options.useTokens === true,
		headers: async (signal) => {
			if (directoryToken) {
				return {
					Authorization: `Bearer ${await directoryToken(signal)}`,
					...(address.custom || resourceId === undefined
						? {}
						: { 'Ocp-Apim-ResourceId': resourceId }),
					...(address.custom ? {} : regionHeader),
				};
			}
			if (options.useTokens)
				return { Authorization: `Bearer ${await currentToken()}`, ...regionHeader };
			if (key === undefined)
				throw new AppError(
					'invalid_api_key',
					'The hosted translator needs a key. Enter it with "Nearglot: Manage Keys", or choose the local engine.',
				);
			return { 'Ocp-Apim-Subscription-Key': key, ...regionHeader };
		},
		reset: () => {
			token = undefined;
			options.forgetDirectoryToken?.();
		},
	};
}
