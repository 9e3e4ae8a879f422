/** Replies of the translate interface: JSON with its headers, errors with theirs. */

import { randomBytes } from 'node:crypto';
import { actionField, errorKinds } from '../../protocol/index.ts';
import type { TargetText, TranslateOutcome } from '../../services/translate/translateRequest.ts';
import { meanQuality } from '../../translate/qualityEstimate.ts';
import { ownErrorHeaders } from '../httpErrors.ts';
import { jsonBytes } from '../jsonAnswer.ts';
import { translatorErrorOf } from './translateErrors.ts';

/** Which operation a request id belongs to. */
export type RequestKind = 'DOCT' | 'TRAN' | 'TLIT' | 'BKST' | 'LANG' | 'DTCT' | 'DICT' | 'TOKN';

/** Id of one request in the form clients log: operation, place, minute, random. */
export function translatorRequestId(kind: RequestKind, now: Date): string {
	const minute = now.toISOString().slice(5, 16).replace(/[-:]/g, '');
	const random = randomBytes(5).toString('hex').toUpperCase();
	return `${kind}.LOCAL.${random.slice(0, 4)}.${minute}.${random.slice(4)}`;
}

const common = {
	'content-type': 'application/json; charset=utf-8',
	'x-content-type-options': 'nosniff',
} as const;

export async function translatorJson(
	body: unknown,
	requestId: string,
	headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
	const exposed = ['X-RequestId', ...('x-metered-usage' in headers ? ['X-Metered-Usage'] : [])];
	return new Response(await jsonBytes(body), {
		headers: {
			...common,
			'x-requestid': requestId,
			'access-control-expose-headers': exposed.join(', '),
			...headers,
		},
	});
}

/** The header that names the models which translated; none where memories and glossaries did alone. */
export function modelsHeader(
	outcomes: readonly { readonly models: readonly string[] }[],
): Record<string, string> {
	const models = new Set(outcomes.flatMap((outcome) => outcome.models));
	return models.size > 0 ? { 'x-nearglot-models': [...models].join(',') } : {};
}

/** Values up to which {@link qualityHeader} lists them. */
const maxQualities = 100;

/**
 * The header with an estimate of each translation's quality, 0…1 in the order of the answer; of many the mean. None
 * where no model here was asked.
 */
export function qualityHeader(
	outcomes: readonly Pick<TranslateOutcome, 'items'>[],
): Record<string, string> {
	const texts = outcomes.flatMap(({ items }) => items.flatMap(({ translations }) => translations));
	const mean = textsQuality(texts);
	if (mean === undefined) return {};
	const values =
		texts.length > maxQualities
			? [mean.toFixed(2)]
			: texts.map((one) => one.quality?.toFixed(2) ?? '');
	return { 'x-nearglot-quality': values.join(',') };
}

/** The estimate of several translations together; `undefined` where no model here was asked. */
export function textsQuality(
	texts: readonly Pick<TargetText, 'quality' | 'text'>[],
): number | undefined {
	return meanQuality(
		texts.flatMap(({ quality, text }) =>
			quality === undefined ? [] : [{ quality, length: Math.max(1, text.length) }],
		),
	);
}

/** The header that says how many texts a document has, how many are translated, how many in part, and how many were refused. */
export const countsHeader = 'x-nearglot-texts';

/** The header that says how many sentences stayed in their language, as no answer of the model could be used. */
export function refusedHeader(
	outcomes: readonly { readonly refused: number }[],
): Record<string, string> {
	const refused = outcomes.reduce((sum, outcome) => sum + outcome.refused, 0);
	return refused > 0 ? { 'x-nearglot-refused': String(refused) } : {};
}

/** @param asText The newer version writes its codes as texts. */
export function translatorFailure(error: unknown, requestId: string, asText = false): Response {
	const { code, message, retry, known } = translatorErrorOf(error);
	const status = Math.floor(code / 1000);
	const body = { code: asText ? String(code) : code, message, ...actionField(known) };
	return new Response(JSON.stringify({ error: body }), {
		status: status in statusNames ? status : errorKinds[known.code].httpStatus,
		headers: {
			...common,
			'x-requestid': requestId,
			...retry,
			...ownErrorHeaders(known),
			...(status === 401 ? { 'www-authenticate': 'Bearer realm="nearglot"' } : {}),
		},
	});
}

const statusNames: Readonly<Record<number, true>> = {
	400: true,
	401: true,
	403: true,
	405: true,
	408: true,
	415: true,
	429: true,
	499: true,
	500: true,
	503: true,
};
