/** What the hosted translate service refused, turned into what a person can do about it. */

import { defined } from '../protocol/defined.ts';
import { AppError, type ErrorCode } from '../protocol/index.ts';

const advice: Readonly<Record<number, readonly [ErrorCode, string]>> = {
	400035: ['invalid_request', 'It does not know the source language.'],
	400036: ['invalid_request', 'It does not know the target language.'],
	400050: ['context_length_exceeded', 'A text is longer than it accepts.'],
	400075: ['invalid_request', 'The category does not fit the languages.'],
	400077: ['payload_too_large', 'The request is larger than it accepts.'],
	400079: [
		'invalid_request',
		'The custom system does not exist; check the category, or allow the general one.',
	],
	401000: ['invalid_api_key', 'The key is wrong, or it belongs to a region that has to be set.'],
	401001: ['invalid_api_key', 'The token has expired or is not valid.'],
	401015: ['invalid_api_key', 'The key is one of another service (speech); use a translator key.'],
	403000: ['forbidden', 'The key may not do this.'],
	403001: [
		'forbidden',
		'The free quota is used up; wait for the next period or choose the local engine.',
	],
	408001: [
		'model_loading',
		'Its system for these languages is not ready; try again in a few minutes.',
	],
	429000: ['rate_limited', 'Too much was asked in a short time.'],
	429001: ['rate_limited', 'Too many characters a minute for this key.'],
	429002: ['rate_limited', 'Too much was asked in a short time.'],
};

/** An error answer of the service as an AppError that names its code. */
export async function hostedError(response: Response, place: string): Promise<AppError> {
	if (response.status >= 300 && response.status < 400) {
		await response.body?.cancel();
		const location = response.headers.get('location') ?? '';
		const to = URL.canParse(location, response.url || `https://${place}`)
			? new URL(location, response.url || `https://${place}`).origin
			: 'another address';
		return new AppError(
			'upstream_failed',
			`The translator at ${place} sends requests on to ${to}. The key was not sent there: enter that address if it is right.`,
		);
	}
	const text = await response.text().catch(() => '');
	let code = response.status * 1000;
	let message = '';
	try {
		const { error } = JSON.parse(text) as {
			readonly error?: { code?: unknown; message?: unknown };
		};
		if (Number.isInteger(Number(error?.code))) code = Number(error?.code);
		message = typeof error?.message === 'string' ? error.message : '';
	} catch {
		// Gateways in between answer with pages; the status says enough.
	}
	const byStatus: ErrorCode =
		response.status === 401
			? 'invalid_api_key'
			: response.status === 403
				? 'forbidden'
				: response.status === 429
					? 'rate_limited'
					: response.status >= 500
						? 'upstream_failed'
						: 'invalid_request';
	const [kind, sentence] = advice[code] ?? [
		byStatus,
		message === '' ? `Status ${response.status}.` : message,
	];
	const retryAfterS = retryAfter(response.headers);
	const own = message === '' || sentence === message ? '' : ` It said: ${message.slice(0, 300)}`;
	return new AppError(kind, `The translator at ${place} refused (${code}): ${sentence}${own}`, {
		data: { translatorCode: code },
		...defined({ retryAfterS }),
	});
}

/** Nobody waits longer for a service, whatever it says, in seconds. */
const maxRetryAfterS = 86_400;

/** Seconds to wait, from the headers services use; a date is understood too. */
export function retryAfter(headers: Headers, nowMs = Date.now()): number | undefined {
	const waitS = askedWait(headers, nowMs);
	return waitS === undefined ? undefined : Math.min(waitS, maxRetryAfterS);
}

function askedWait(headers: Headers, nowMs: number): number | undefined {
	for (const name of ['retry-after-ms', 'x-ms-retry-after-ms']) {
		const value = Number(headers.get(name) ?? Number.NaN);
		if (Number.isFinite(value) && value >= 0) return value / 1000;
	}
	const value = headers.get('retry-after');
	if (value === null) return undefined;
	const seconds = Number(value);
	if (Number.isFinite(seconds)) return Math.max(0, seconds);
	const date = Date.parse(value);
	return Number.isNaN(date) ? undefined : Math.max(0, (date - nowMs) / 1000);
}
