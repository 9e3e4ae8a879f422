/** Addresses of the hosted translate service: global, regional, custom, and a server of one's own. */

/** How a service is reached. */
export interface HostedAddress {
	/** Base of the operations, without a slash at the end. */
	readonly base: string;
	/** Where a token can be had for a key; `undefined` where none is issued. */
	readonly tokenUrl: string | undefined;
	/** Whether requests go over the custom-endpoint path. */
	readonly custom: boolean;
}

/** The service's own address when none is set. */
const globalEndpoint = 'https://api.cognitive.microsofttranslator.com';

/**
 * Reads what a person entered. Hosts of a single resource (`….cognitiveservices.…`) get the custom
 * path; the global host takes tokens of its region; anything else is a server that speaks the same
 * interface, such as a team's Nearglot.
 *
 * @throws TypeError when it is no http(s) address.
 */
export function hostedAddress(
	endpoint: string | undefined,
	region: string | undefined,
): HostedAddress {
	const url = new URL(endpoint ?? globalEndpoint);
	if (url.protocol !== 'https:' && url.protocol !== 'http:')
		throw new TypeError(`The address must start with https:// (it starts with ${url.protocol}).`);
	const origin = url.origin + url.pathname.replace(/\/+$/, '');
	if (url.hostname.includes('cognitiveservices') || url.pathname.startsWith('/cognitiveservices')) {
		const already = origin.endsWith('/translator/text/v3.0');
		return {
			base: already ? origin : `${origin}/translator/text/v3.0`,
			tokenUrl: `${url.origin}/sts/v1.0/issueToken`,
			custom: true,
		};
	}
	// A custom address behind a name of one's own, such as that of a private network.
	if (origin.endsWith('/translator/text/v3.0'))
		return { base: origin, tokenUrl: `${url.origin}/sts/v1.0/issueToken`, custom: true };
	if (url.hostname.endsWith('.microsofttranslator.com')) {
		const place = region === undefined ? '' : `${region.toLowerCase().replaceAll(/\s/g, '')}.`;
		return {
			base: origin,
			tokenUrl: `https://${place}api.cognitive.microsoft.com/sts/v1.0/issueToken`,
			custom: false,
		};
	}
	return { base: origin, tokenUrl: `${origin}/sts/v1.0/issueToken`, custom: false };
}
