/**
 * Reads a request target. Decisions are made on the bytes that are forwarded: a target is either
 * passed on exactly as it came or refused, never rewritten.
 */

import { isUtf8 } from 'node:buffer';

export type Target =
	| {
			readonly kind: 'path';
			/** Bytes before the first `?`. */
			readonly path: string;
			/** Bytes from the first `?` on, or empty. */
			readonly query: string;
			/** The path as an app may read it: decoded, lower case, without empty segments and parameters. */
			readonly canonical: string;
			/** Under the prefix of the layer's own routes, however it is spelled. */
			readonly reserved: boolean;
			/** Under the prefix and spelled plainly, so a route may answer. */
			readonly plain: boolean;
	  }
	| { readonly kind: 'refused'; readonly reason: string };

const refused = (reason: string): Target => ({ kind: 'refused', reason });

/**
 * @param raw Request target as it stood in the request line.
 * @param prefix Prefix of the layer's own routes, `/.auth`.
 */
export function readTarget(raw: string, prefix: string): Target {
	if (!raw.startsWith('/')) return refused('The request target must be a path that begins with /.');
	if (raw.length > 16_384) return refused('The request target is too long.');
	if (!/^[\x21-\x7e]+$/.test(raw))
		return refused('The request target holds characters that must be percent-encoded.');
	if (raw.includes('#')) return refused('The request target must not hold #.');
	const mark = raw.indexOf('?');
	const path = mark < 0 ? raw : raw.slice(0, mark);
	if (/%(?![0-9a-f]{2})/i.test(path)) return refused('The path holds a broken percent-encoding.');
	const decoded = decodeFully(path);
	if (decoded === undefined)
		return refused(
			'The path must be valid UTF-8 when its percent-encoding is undone, and encoded at most four times over.',
		);
	if (/[\x00-\x1f\x7f\\]/.test(decoded))
		return refused('The path holds control characters or a backslash.');
	const segments = decoded.split('/');
	if (segments.some((segment) => /^\.{1,2}(?:;.*)?$/s.test(segment))) {
		return refused('The path holds . or .. segments.');
	}
	const canonical = `/${segments
		.map((segment) => segment.split(';', 1)[0]!)
		.filter((segment) => segment !== '')
		.join('/')}`.toLowerCase();
	const under = (text: string, base: string) => text === base || text.startsWith(`${base}/`);
	return {
		kind: 'path',
		path,
		query: mark < 0 ? '' : raw.slice(mark),
		canonical,
		reserved: under(canonical, prefix.toLowerCase()),
		plain: under(path, prefix) && path === decoded && !path.includes('//') && !path.includes(';'),
	};
}

/**
 * Decodes until nothing changes. Undefined when that takes more than four rounds, or when a round
 * leaves bytes that are no UTF-8 (overlong forms, surrogates, parts of a character): decoders do not
 * agree on what those mean, and some read `%c0%ae` as a dot.
 */
function decodeFully(path: string): string | undefined {
	let text = path;
	for (let round = 0; /%[0-9a-f]{2}/i.test(text); round++) {
		if (round === 4) return undefined;
		text = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
			String.fromCharCode(Number.parseInt(hex, 16)),
		);
		if (!isUtf8(Buffer.from(text, 'latin1'))) return undefined;
	}
	// Full-width and other look-alikes of . / \ are folded before segments are compared.
	return Buffer.from(text, 'latin1').toString('utf8').normalize('NFKC');
}

/** True when a path is one of the patterns: exact, or `/x/*` for everything below. Case counts. */
export function matchesPath(path: string, patterns: readonly string[]): boolean {
	return patterns.some((pattern) =>
		pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern,
	);
}
