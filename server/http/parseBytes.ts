/** Bytes of a body as a value. */

import { parseForm } from './formText.ts';
import { type JsonLimits, parseJson } from './jsonText.ts';

/** What a body is, and what of it may be. */
export type BodyKind =
	| { readonly kind: 'json'; readonly limits: JsonLimits }
	| { readonly kind: 'form'; readonly names: readonly string[]; readonly limits: JsonLimits };

/** The value of a body, on the spot. */
export function parseBytes(bytes: Uint8Array, body: BodyKind): unknown {
	return body.kind === 'form'
		? parseForm(bytes, body.names, body.limits)
		: parseJson(new TextDecoder().decode(bytes), body.limits);
}
