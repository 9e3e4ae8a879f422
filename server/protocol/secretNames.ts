/** The secrets an editor can hand to the daemon. */

import { isRecord } from './errorBody.ts';

/** Secrets of the user, handed to the daemon over its private channel and kept in memory there. */
export const secretNames = [
	'hubToken',
	'translatorKey',
	'translatorRegion',
	'translatorEndpoint',
	'translatorClientSecret',
	/** JSON of the setting `nearglot.translate.hosted`: no secret, but it goes the same way. */
	'translatorSettings',
	'upstreamKey',
	/** JSON of {@link EngineKeys}: keys of engines on other machines. */
	'engineKeys',
] as const;

export type SecretName = (typeof secretNames)[number];

/** Name of an engine → its key, and the address it was given for: it goes nowhere else. */
export type EngineKeys = Readonly<Record<string, { readonly url: string; readonly key: string }>>;

/** Reads {@link EngineKeys}; what cannot be read is no key. */
export function parseEngineKeys(text: string | undefined): EngineKeys {
	let value: unknown;
	try {
		value = JSON.parse(text ?? '{}');
	} catch {
		return {};
	}
	if (!isRecord(value)) return {};
	return Object.fromEntries(
		Object.entries(value).flatMap(([name, each]) => {
			if (!isRecord(each)) return [];
			const { url, key } = each;
			return typeof url === 'string' && typeof key === 'string' ? [[name, { url, key }]] : [];
		}),
	);
}
