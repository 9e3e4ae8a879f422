/** OAuth 1.0a signatures (RFC 5849, HMAC-SHA1), for the microblogging provider. */

import { createHmac, randomBytes } from 'node:crypto';
import { defined } from '../../protocol/defined.ts';

export interface OAuth1Keys {
	readonly consumerKey: string;
	readonly consumerSecret: string;
	readonly token?: string;
	readonly tokenSecret?: string;
}

/** Percent-encoding of RFC 5849, 3.6. */
function percent(text: string): string {
	return encodeURIComponent(text).replace(
		/[!'()*]/g,
		(mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
	);
}

/**
 * Value of the `Authorization` header.
 *
 * @param parameters All query and form parameters, and any `oauth_*` beyond the usual ones.
 * @param fixed Nonce and Unix seconds; drawn and read from the clock when absent.
 */
export function oauth1Header(
	method: string,
	url: string,
	parameters: Readonly<Record<string, string>>,
	keys: OAuth1Keys,
	fixed?: { readonly nonce: string; readonly timestampS: number },
): string {
	const oauth: Record<string, string> = {
		...Object.fromEntries(Object.entries(parameters).filter(([name]) => name.startsWith('oauth_'))),
		oauth_consumer_key: keys.consumerKey,
		oauth_nonce: fixed?.nonce ?? randomBytes(16).toString('hex'),
		oauth_signature_method: 'HMAC-SHA1',
		oauth_timestamp: String(fixed?.timestampS ?? Math.floor(Date.now() / 1000)),
		oauth_version: '1.0',
		...defined({ oauth_token: keys.token }),
	};
	oauth['oauth_signature'] = oauth1Signature(method, url, { ...parameters, ...oauth }, keys);
	const fields = Object.entries(oauth).map(
		([name, value]) => `${percent(name)}="${percent(value)}"`,
	);
	return `OAuth ${fields.sort().join(', ')}`;
}

export function oauth1Signature(
	method: string,
	url: string,
	parameters: Readonly<Record<string, string>>,
	keys: Pick<OAuth1Keys, 'consumerSecret' | 'tokenSecret'>,
): string {
	const pairs = Object.entries(parameters)
		.map(([name, value]) => [percent(name), percent(value)] as const)
		.sort((a, b) => (a[0] === b[0] ? compare(a[1], b[1]) : compare(a[0], b[0])))
		.map(([name, value]) => `${name}=${value}`);
	const base = [
		method.toUpperCase(),
		percent(url.split('?', 1)[0]!),
		percent(pairs.join('&')),
	].join('&');
	const key = `${percent(keys.consumerSecret)}&${percent(keys.tokenSecret ?? '')}`;
	return createHmac('sha1', key).update(base).digest('base64');
}

function compare(a: string, b: string): number {
	if (a === b) return 0;
	return a < b ? -1 : 1;
}
