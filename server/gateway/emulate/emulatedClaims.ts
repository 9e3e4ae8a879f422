/** Claims as somebody types them into the form, as the payload of a token would have them. */

import { ProviderError } from '../providers/provider.ts';

const maxClaims = 200;

/**
 * `{"type": value, …}`, or the principal's own form `[{"typ", "val"}, …]`, in which a type may come again.
 * Values are whatever a token can hold; lists become several claims.
 * @throws ProviderError `denied` for anything else
 */
export function readClaims(text: string): Record<string, unknown> {
	if (text === '') return {};
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		throw new ProviderError('denied', 'The claims are not JSON.');
	}
	if (typeof value !== 'object' || value === null) throw wrong();
	const rows = Array.isArray(value) ? value.map(rowOf) : Object.entries(value);
	const found = new Map<string, unknown>();
	let count = 0;
	for (const [type, given] of rows) {
		if (given === null || given === undefined) throw wrong();
		count += Array.isArray(given) ? given.length : 1;
		found.set(type, found.has(type) ? mergeClaims(found.get(type), given) : given);
	}
	if (count > maxClaims) throw wrong();
	return Object.fromEntries(found);
}

/** Both values as one list. */
export function mergeClaims(one: unknown, two: unknown): unknown[] {
	return [one, two].flat();
}

function rowOf(row: unknown): [string, unknown] {
	const { typ, val } = Object(row) as { typ?: unknown; val?: unknown };
	if (typeof typ !== 'string') throw wrong();
	return [typ, val];
}

function wrong(): ProviderError {
	return new ProviderError(
		'denied',
		`The claims must be an object of types and values, or a list of entries {"typ", "val"}; at most ${maxClaims}, values may be lists.`,
	);
}
