/** JSON calls to providers whose interface is not standard. */

import { asFields, type ConfigFields } from '../config/configFields.ts';
import { type ProviderDeps, ProviderError } from './provider.ts';

const maxBytes = 1_000_000;

export interface JsonAnswer {
	readonly status: number;
	readonly body: unknown;
	readonly text: string;
}

/**
 * Calls and reads the whole answer.
 *
 * @throws ProviderError `unreachable` on network trouble, time-out and 5xx.
 */
export async function fetchJson(
	url: string | URL,
	init: RequestInit,
	deps: ProviderDeps,
	signal: AbortSignal,
): Promise<JsonAnswer> {
	const host = new URL(url).host;
	try {
		const answer = await deps.fetch(url, {
			...init,
			redirect: 'error',
			signal: AbortSignal.any([signal, AbortSignal.timeout(deps.timeoutMs)]),
		});
		const text = await answer.text();
		if (answer.status >= 500 || text.length > maxBytes) {
			throw new ProviderError(
				'unreachable',
				`The sign-in provider ${host} failed with status ${answer.status}.`,
			);
		}
		let body: unknown;
		try {
			body = JSON.parse(text);
		} catch {
			body = undefined;
		}
		return { status: answer.status, body, text };
	} catch (error) {
		if (error instanceof ProviderError) throw error;
		throw new ProviderError('unreachable', `The sign-in provider ${host} does not answer.`, error);
	}
}

/** The object of a 200 answer. @throws ProviderError `rejected` otherwise. */
export function acceptedObject(answer: JsonAnswer, what: string): ConfigFields {
	if (answer.status !== 200 || typeof answer.body !== 'object') {
		throw new ProviderError('rejected', `The provider refused ${what} (status ${answer.status}).`);
	}
	return asFields(answer.body);
}
