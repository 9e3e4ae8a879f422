/**
 * Secrets that a front handed over: kept in memory only, for as long as the daemon lives. They come
 * over the private channel (the daemon's key), never through argv, env or a file.
 */

/** What can be handed over. */
export const secretNames = [
	'hubToken',
	'translatorKey',
	'translatorRegion',
	'translatorEndpoint',
	'translatorClientSecret',
	'translatorSettings',
	'upstreamKey',
] as const;

export type SecretName = (typeof secretNames)[number];

export class Secrets {
	readonly #values = new Map<SecretName, string>();

	get(name: SecretName): string | undefined {
		return this.#values.get(name);
	}

	/** `undefined` forgets it. */
	set(name: SecretName, value: string | undefined): void {
		if (value === undefined || value === '') this.#values.delete(name);
		else this.#values.set(name, value);
	}

	/** Names that are set; values never leave. */
	names(): readonly SecretName[] {
		return [...this.#values.keys()];
	}
}
