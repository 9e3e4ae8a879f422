/** Bytes of a body as a value. */

import { AppError } from '../protocol/errors.ts';
import { utf8Text } from '../work/wholeText.ts';
import { parseForm } from './formText.ts';
import { type JsonLimits, parseJson } from './jsonText.ts';

/** What a body is, and what of it may be. */
export type BodyKind =
	| { readonly kind: 'json'; readonly limits: JsonLimits }
	| { readonly kind: 'form'; readonly names: readonly string[]; readonly limits: JsonLimits };

/** The value of a body, on the spot. @throws as {@link parseJson}; AppError `invalid_json` for JSON that is not UTF-8 */
export function parseBytes(bytes: Uint8Array, body: BodyKind): unknown {
	return body.kind === 'form'
		? parseForm(bytes, body.names, body.limits)
		: parseJson(textOf(bytes), body.limits);
}

function textOf(bytes: Uint8Array): string {
	try {
		return utf8Text(bytes);
	} catch (cause) {
		throw new AppError('invalid_json', 'The body is not valid JSON: it is not UTF-8.', { cause });
	}
}
