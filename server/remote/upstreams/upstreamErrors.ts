/** What an engine elsewhere refuses or fails at, in sentences that say whose fault it is. */

import { isRecord } from '../../protocol/errorBody.ts';
import { AppError, type ErrorCode, errorKinds } from '../../protocol/index.ts';
import { unsent } from '../../protocol/unsent.ts';
import { retryAfter } from '../hostedErrors.ts';
import type { UpstreamEntry } from './upstreamFile.ts';

/** Codes that mean the same there as here. Others would speak of this server. */
const shared: readonly ErrorCode[] = [
	'invalid_request',
	'context_length_exceeded',
	'unsupported_parameter',
	'model_not_found',
	'payload_too_large',
	'rate_limited',
	'overloaded',
	'out_of_memory',
	'model_loading',
	'timeout',
];
const byStatus: Readonly<Record<number, ErrorCode>> = {
	400: 'invalid_request',
	404: 'model_not_found',
	408: 'timeout',
	413: 'payload_too_large',
	422: 'invalid_request',
	429: 'rate_limited',
	503: 'overloaded',
	504: 'timeout',
};
const maxQuoted = 300;

/** `The engine 'lab' (vllm.lab:8000)`: how it is called in messages. */
export const shownUpstream = (entry: Pick<UpstreamEntry, 'name' | 'url'>): string =>
	`The ${shownInside(entry).slice('the '.length)}`;

/** The same within a sentence. */
export const shownInside = ({ name, url }: Pick<UpstreamEntry, 'name' | 'url'>): string =>
	`the engine '${name}' (${new URL(url).host})`;

/**
 * Why no connection came about, and what to do.
 * @param code of the system, or of TLS
 * @param words what a code of the system says
 */
export function noConnection(entry: UpstreamEntry, code: string, words?: string): string {
	const who = shownUpstream(entry);
	if (/ALTNAME/.test(code))
		return `${who} shows a certificate for another name (${code}). Give its address with the name that the certificate is for.`;
	if (/EXPIRED|NOT_YET_VALID/.test(code))
		return `${who} shows a certificate that is not valid today (${code}). It has to be renewed there, or the clock here is wrong.`;
	if (/CERT|SELF_SIGNED|ISSUER|LEAF_SIGNATURE/.test(code))
		return `${who} shows a certificate that is not trusted here (${code}). If it is your own, or of your own authority, name its file in NEARGLOT_CA_FILE for the model server.`;
	if (/SSL|EPROTO/.test(code))
		return `${who} does not speak TLS there (${code}). Check the port; an address without encryption begins with http://.`;
	const reason = words === undefined ? code : `${words}: ${code}`;
	return `${who} cannot be reached (${reason}). Check its address, and whether it runs.`;
}

/** Whether an error says that the engine does not work, rather than that it refuses this request. */
export const isFault = ({ code }: AppError): boolean =>
	code === 'upstream_failed' || code === 'timeout';

/** The engine refuses the key that was shown for everybody; how it works is another question. */
export class KeyRefusal extends AppError {}

/** What an engine says itself stands at the end of the message, after a colon. */
export class WordsOfEngine extends AppError {
	/** Empty where it says nothing. */
	readonly words: string;

	constructor(words: string, code: ErrorCode, message: string, retryAfterS?: number) {
		super(code, message, retryAfterS === undefined ? {} : { retryAfterS });
		this.words = words;
	}
}

/** A list of models that is not there: mostly the address lacks its end. */
export const noList = (entry: UpstreamEntry, cause: AppError): AppError =>
	new AppError(
		'upstream_failed',
		`${shownUpstream(entry)} has no list of models at ${entry.url}/models (404). Check its address: most end with /v1. An engine without a list answers for the names of its models all the same.`,
		{ cause },
	);

/** An answer outside 2xx. @param secret the key, which no message holds */
export function refusalOf(
	entry: UpstreamEntry,
	status: number,
	headers: Headers,
	text: string,
	secret: string | undefined,
): AppError {
	if (status === 401 || status === 403) return keyRefusal(entry, status);
	const who = shownUpstream(entry);
	if (status >= 300 && status < 400)
		return new AppError(
			'upstream_failed',
			`${who} sends requests on to another address (${status}). Nothing was sent there: add that address if it is right.`,
			unsent,
		);
	return ofBody(entry, status, text, secret, retryAfter(headers));
}

const keyRefusal = (entry: UpstreamEntry, status: number): AppError =>
	new KeyRefusal(
		'upstream_failed',
		`${shownUpstream(entry)} refuses its key (${status}). ${keyAdvice(entry)}`,
		unsent,
	);

function keyAdvice({ name, keyFile, isKeyInEditor }: UpstreamEntry): string {
	if (keyFile !== undefined) return `Check ${keyFile}.`;
	return isKeyInEditor
		? 'Give it another one in the editor: "Nearglot: Engines on Other Machines".'
		: `It has none: nearglot upstreams add ${name} … --key-file FILE.`;
}

/** An error that comes as an answer, or in the midst of a stream. */
export const failureOf = (entry: UpstreamEntry, event: unknown, secret: string | undefined) =>
	ofBody(entry, undefined, JSON.stringify(event), secret, undefined);

/** @param given the status of the answer; absent where the body alone may say one */
function ofBody(
	entry: UpstreamEntry,
	given: number | undefined,
	text: string,
	secret: string | undefined,
	retryAfterS: number | undefined,
): AppError {
	const { message, code } = errorFields(text);
	const known = shared.find((each) => each === code);
	const status = given ?? statusIn(code);
	if (status === 401 || status === 403) return keyRefusal(entry, status);
	// What an engine says when its answer has begun is a failure, unless it clearly speaks of the request.
	const isRefused = status < 500 && given !== undefined;
	const own = known ?? byStatus[status] ?? (isRefused ? 'invalid_request' : 'upstream_failed');
	const said = quoted(message ?? text, secret);
	const shownStatus = given === undefined && status === 500 ? '' : ` (${status})`;
	return new WordsOfEngine(
		said,
		own,
		`${shownUpstream(entry)} ${own === 'upstream_failed' ? 'failed' : 'refuses the request'}${shownStatus}${said === '' ? `: ${errorKinds[own].sentence}` : `: ${said}`}`,
		retryAfterS,
	);
}

/** Engines put the status they would have answered with into the error, where the answer has begun. */
function statusIn(code: unknown): number {
	const status = Number(code);
	return Number.isInteger(status) && status >= 400 && status < 600 ? status : 500;
}

function errorFields(text: string): { readonly message?: string; readonly code?: unknown } {
	try {
		const body: unknown = JSON.parse(text);
		if (!isRecord(body)) return {};
		const error = isRecord(body['error']) ? body['error'] : body;
		const message = error['message'] ?? body['detail'] ?? body['error'];
		return { code: error['code'], ...(typeof message === 'string' ? { message } : {}) };
	} catch {
		return {};
	}
}

/** One line of what a stranger wrote, without the key should it be in there. */
function quoted(text: string, secret: string | undefined): string {
	const plain = secret === undefined ? text : text.replaceAll(secret, '…');
	return plain
		.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
		.trim()
		.slice(0, maxQuoted);
}
