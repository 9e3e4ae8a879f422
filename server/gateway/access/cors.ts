/** Calls from scripts of other web origins (an editor in a browser). Never with cookies. */

import { header, type RequestHead } from '../proxy/requestHead.ts';

/** The request's origin when the settings name it. */
export function corsOrigin(head: RequestHead, origins: readonly string[]): string | undefined {
	const origin = header(head, 'origin');
	return origin !== undefined && origins.some((entry) => originMatches(origin, entry))
		? origin
		: undefined;
}

/** `https://*.example` stands for one or more labels. */
function originMatches(origin: string, entry: string): boolean {
	if (!entry.includes('*')) return origin === entry;
	const at = entry.indexOf('*');
	const [before, after] = [entry.slice(0, at), entry.slice(at + 1)];
	const middle = origin.slice(before.length, origin.length - after.length);
	return (
		origin.startsWith(before) &&
		origin.endsWith(after) &&
		/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i.test(middle)
	);
}

/** A question of the browser before the real call. */
export function isPreflight(head: RequestHead): boolean {
	return head.method === 'OPTIONS' && header(head, 'access-control-request-method') !== undefined;
}

/** Flat header list for the answer to a preflight. */
export function preflightHeaders(head: RequestHead, origin: string): string[] {
	const wanted = header(head, 'access-control-request-headers') ?? '';
	const names = wanted.split(',').map((name) => name.trim().toLowerCase());
	const allowed = names.filter((name) => /^[a-z0-9-]{1,64}$/.test(name) && name !== 'cookie');
	return [
		...corsHeaders(origin),
		'Access-Control-Allow-Methods',
		'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
		'Access-Control-Allow-Headers',
		[...new Set(['authorization', 'content-type', 'x-zumo-auth', ...allowed])].join(', '),
		'Access-Control-Max-Age',
		'600',
	];
}

export function corsHeaders(origin: string): string[] {
	return [
		'Access-Control-Allow-Origin',
		origin,
		'Vary',
		'Origin',
		'Access-Control-Expose-Headers',
		'WWW-Authenticate, Retry-After, X-Request-Id',
	];
}
