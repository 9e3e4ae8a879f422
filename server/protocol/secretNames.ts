/** The secrets an editor can hand to the daemon. */

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
] as const;

export type SecretName = (typeof secretNames)[number];
