/**
 * Client of the hosted translate service, version 3.0, and of every server that speaks it. Splits
 * what is too large, repeats what may succeed later, renews tokens, and explains refusals.
 */

import type { Fetch } from '../net/outbound.ts';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import { textBatches, translateLimits } from '../protocol/textBatches.ts';
import { type HostedAddress, hostedAddress } from './hostedAddress.ts';
import { createHostedCredentials, type HostedCredentialOptions } from './hostedCredentials.ts';
import { hostedError } from './hostedErrors.ts';

export interface HostedOptions extends HostedCredentialOptions {
	/** Absent: the service's global address. */
	readonly endpoint?: string;
	/** Custom system of requests that name none. */
	readonly category?: string;
}

export interface HostedDeps {
	readonly fetch: Fetch;
	/** Milliseconds of a clock that is never set. */
	readonly now: () => number;
	/** 0 ≤ x < 1, for the jitter of retries. */
	readonly random: () => number;
	readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/** One translate request, in the interface's own terms. */
export interface HostedRequest {
	readonly texts: readonly string[];
	readonly to: readonly string[];
	/** Further query parameters (`from`, `textType`, `category` …). */
	readonly parameters: Readonly<Record<string, string>>;
}

export interface HostedTranslation {
	readonly text: string;
	readonly to: string;
	readonly transliteration?: { readonly text: string; readonly script: string };
	readonly alignment?: { readonly proj?: string };
	readonly sentLen?: {
		readonly srcSentLen: readonly number[];
		readonly transSentLen: readonly number[];
	};
}

export interface HostedRow {
	readonly detectedLanguage?: { readonly language: string; readonly score: number };
	readonly sourceText?: { readonly text: string };
	readonly translations: readonly HostedTranslation[];
}

export interface HostedResult {
	readonly rows: readonly HostedRow[];
	/** `X-MT-System` per target of the last answer. */
	readonly systems: readonly string[];
}

export interface HostedTranslator {
	translate(request: HostedRequest, signal?: AbortSignal): Promise<HostedResult>;
	readonly address: HostedAddress;
}

const maxTries = 4;

export function createHostedTranslator(options: HostedOptions, deps: HostedDeps): HostedTranslator {
	let address: HostedAddress;
	try {
		address = hostedAddress(options.endpoint, options.region);
	} catch (error) {
		throw new AppError('invalid_request', `'${options.endpoint}' is no address of a translator.`, {
			cause: error,
		});
	}
	const credentials = createHostedCredentials(address, options, deps);
	const place = new URL(address.base).host;

	const once = async (url: string, body: string, signal?: AbortSignal): Promise<Response> => {
		const headers = {
			'Content-Type': 'application/json; charset=UTF-8',
			...(await credentials.headers(signal)),
		};
		try {
			return await deps.fetch(url, {
				method: 'POST',
				headers,
				body,
				// A redirect would carry the key and the text to another address.
				redirect: 'manual',
				computes: true,
				...(signal ? { signal } : {}),
			});
		} catch (error) {
			if (signal?.aborted) throw new AppError('cancelled');
			throw new AppError(
				'upstream_failed',
				`The translator at ${place} cannot be reached. Check the network, or choose the local engine.`,
				{ cause: error },
			);
		}
	};

	const send = async (url: string, body: string, signal?: AbortSignal): Promise<Response> => {
		let renewed = false;
		for (let attempt = 1; ; attempt++) {
			const response = await once(url, body, signal);
			if (response.ok) return response;
			const error = await hostedError(response, place);
			if (response.status === 401 && credentials.renewable && !renewed) {
				renewed = true;
				credentials.reset();
				continue;
			}
			const again = response.status === 429 || response.status === 503;
			if (!again || attempt >= maxTries) throw error;
			const waitS = error.retryAfterS ?? 2 ** (attempt - 1);
			// A wait of minutes is for the person to decide.
			if (waitS > 60) throw error;
			await deps.sleep(waitS * 1000 + deps.random() * 500, signal);
		}
	};

	return {
		address,
		translate: async ({ texts, to, parameters }, signal) => {
			const rows: HostedRow[] = [];
			let systems: string[] = [];
			for (const part of parts(texts, to.length)) {
				const query = new URLSearchParams({
					'api-version': '3.0',
					...defined({ category: options.category }),
					...parameters,
				});
				for (const language of to) query.append('to', language);
				const body = JSON.stringify(part.map((Text) => ({ Text })));
				const response = await send(`${address.base}/translate?${query}`, body, signal);
				systems = (response.headers.get('x-mt-system') ?? '').split(',').filter(Boolean);
				rows.push(...parseRows(await response.json(), part.length, to.length, place));
			}
			return { rows, systems };
		},
	};
}

/** Texts in groups that fit a request. A text that fits none goes alone: the service says so. */
export function parts(texts: readonly string[], targets: number): string[][] {
	const characters = translateLimits.characters / Math.max(1, targets);
	return [...textBatches(texts, { ...translateLimits, characters })];
}

function parseRows(value: unknown, items: number, targets: number, place: string): HostedRow[] {
	const rows = Array.isArray(value) ? (value as HostedRow[]) : [];
	const whole =
		rows.length === items &&
		rows.every(
			(row) =>
				Array.isArray(row?.translations) &&
				row.translations.length === targets &&
				row.translations.every(({ text }) => typeof text === 'string'),
		);
	if (!whole)
		throw new AppError(
			'upstream_failed',
			`The translator at ${place} sent an answer that is not understood: ${items} texts asked, ${rows.length} answered.`,
		);
	return rows;
}
