/** One line of a batch's file as a request, and its answer as a row of the output or of the errors. */

import { hash } from 'node:crypto';
import { defined } from '../protocol/defined.ts';
import { isRecord, retryAfterOf } from '../protocol/errorBody.ts';
import { AppError, errorBody } from '../protocol/index.ts';
import { errorCodeHeader, unsentHeader } from '../protocol/unsent.ts';
import { isWholeJson, utf8Text } from '../work/wholeText.ts';
import type { BatchEndpoint, JobOwner } from './jobTypes.ts';
import type { Outside } from './workPlaces.ts';

/** What an item asks for. */
export interface ItemCall {
	readonly owner: JobOwner;
	/** Path with its query. */
	readonly url: string;
	readonly body: unknown;
}

export interface ItemAnswer {
	readonly status: number;
	readonly requestId: string;
	readonly body: unknown;
	/** What a server that has too much to do asks for. */
	readonly retryAfterS?: number;
	/** Nothing was said of the item: see `unsent`. */
	readonly isUnsent?: true;
	/** Of an error whose body has another interface's. */
	readonly code?: string;
}

/**
 * Asks for an item's work; it gives way to people who wait. Rejects only when the signal is aborted.
 *
 * @param outside for what is only waited for, such as the store of a document
 */
export type RunItem = (
	call: ItemCall,
	signal: AbortSignal,
	outside?: Outside,
) => Promise<ItemAnswer>;

export interface ItemLine {
	readonly customId: string | null;
	/** What is to be asked, or why nothing is. */
	readonly call: Omit<ItemCall, 'owner'> | AppError;
}

const maxIdLength = 512;

/** What makes a route answer in pieces, or later: neither is an answer that fits into a row. */
const withoutAnswer = ['stream', 'background'] as const;
/** As forms have it, too, where everything is a text. */
const isSet = (value: unknown): boolean =>
	value === true || (value !== null && /^(?:true|1)$/i.test(String(value).trim()));

/** Reads a line. What is wrong with it becomes a row, never an exception. */
export function readItem(
	bytes: Buffer | undefined,
	endpoint: BatchEndpoint,
	isDoubled: boolean,
): ItemLine {
	if (bytes === undefined)
		return refused(null, new AppError('payload_too_large', 'The line is longer than 4 MB.'));
	let value: unknown;
	try {
		const text = utf8Text(bytes);
		value = JSON.parse(text);
		if (!isWholeJson(value, text)) throw new SyntaxError('Half of a surrogate pair.');
	} catch {
		return refused(null, new AppError('invalid_json', 'The line is not valid JSON in UTF-8.'));
	}
	if (!isRecord(value)) return refused(null, invalid('The line must be an object.'));
	const { custom_id: id, method = 'POST', url, body } = value as Record<string, unknown>;
	if (typeof id !== 'string' || id === '' || id.length > maxIdLength)
		return refused(
			null,
			invalid(`'custom_id' must be a text of 1 to ${maxIdLength} characters.`, 'custom_id'),
		);
	if (isDoubled)
		return refused(
			id,
			invalid(
				'An earlier line of the file has the same custom_id, so this one was not run.',
				'custom_id',
			),
		);
	if (method !== 'POST') return refused(id, invalid("'method' must be 'POST'.", 'method'));
	if (typeof url !== 'string' || !/^\/[^\s#]*$/.test(url) || url.split('?', 1)[0] !== endpoint)
		return refused(id, invalid(`'url' must be the endpoint of the batch, '${endpoint}'.`, 'url'));
	if (typeof body !== 'object' || body === null)
		return refused(id, invalid("'body' must be the body of the request.", 'body'));
	const name = withoutAnswer.find((field) => isSet((body as Record<string, unknown>)[field]));
	if (name !== undefined)
		return refused(id, invalid(`'${name}' is not possible in a batch.`, `body.${name}`));
	return { customId: id, call: { url, body } };
}

const invalid = (message: string, param?: string): AppError =>
	new AppError('invalid_request', message, param === undefined ? {} : { param });

const refused = (customId: string | null, call: AppError): ItemLine => ({ customId, call });

/** The body of an item as it is sent. @throws AppError `invalid_json` for one that is nested deeper than can be written */
export function bodyText(body: unknown): string {
	try {
		return JSON.stringify(body);
	} catch {
		throw new AppError('invalid_json', 'The body of the line is nested too deeply.');
	}
}

/** Fields of an item as a form has them; lists as `name[]`. */
export function formOfFields(fields: Readonly<Record<string, unknown>>): FormData {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) {
		if (Array.isArray(value)) for (const each of value) form.append(`${name}[]`, String(each));
		else form.append(name, String(value));
	}
	return form;
}

/** What the headers of an answer say of an item that has failed. */
export function failureHeaders(
	headers: Headers,
): Pick<ItemAnswer, 'code' | 'isUnsent' | 'retryAfterS'> {
	const code = headers.get(errorCodeHeader) ?? undefined;
	return {
		...defined({ code, retryAfterS: retryAfterOf(headers) }),
		...(headers.has(unsentHeader) ? { isUnsent: true } : {}),
	};
}

/** An error as an item would have got it as its answer. */
export const errorAnswer = (error: AppError, requestId = ''): ItemAnswer => ({
	status: error.kind.httpStatus,
	requestId,
	body: errorBody(error),
});

export const isGood = ({ status }: ItemAnswer): boolean => status >= 200 && status < 300;

/** A row as the interface writes it, with its end. Its id depends on the place of the line alone. */
export function rowOf(
	batch: string,
	line: number,
	customId: string | null,
	{ status, requestId, body }: ItemAnswer,
): string {
	const response = { status_code: status, request_id: requestId, body };
	return `${JSON.stringify({ id: rowId(batch, line), custom_id: customId, response, error: null, line: line + 1 })}\n`;
}

/** Where the number of its line stands in a row. */
const lineInRow = /"line":(\d{1,15})\}\s*$/;
const maxEnd = 40;

/** Which line a row is of, from 0; however long it is, only its end is read. */
export function lineOfRow(row: Buffer): number {
	const end = row.subarray(-maxEnd).toString('latin1');
	return Number(lineInRow.exec(end)?.[1] ?? 0) - 1;
}

/** The same row as that of another line; all else stays byte for byte. */
export function rowWithLine(row: Buffer, line: number): Buffer {
	const from = Math.max(0, row.length - maxEnd);
	const end = row.subarray(from).toString('latin1');
	const changed = end.replace(lineInRow, `"line":${line + 1}}`);
	return Buffer.concat([row.subarray(0, from), Buffer.from(changed, 'latin1')]);
}

/** The row of an item that was not run. */
export const unrunRow = (
	batch: string,
	line: number,
	customId: string | null,
	error: { readonly code: string; readonly message: string },
): string =>
	`${JSON.stringify({ id: rowId(batch, line), custom_id: customId, response: null, error, line: line + 1 })}\n`;

const rowId = (batch: string, line: number): string =>
	`batch_req_${hash('sha256', `${batch} ${line}`, 'hex').slice(0, 32)}`;

/** Tokens that an answer says it took. */
export function itemTokens({ body }: ItemAnswer): { input: number; output: number } {
	const usage = isRecord(body) && isRecord(body['usage']) ? body['usage'] : {};
	const count = (...names: string[]): number => {
		for (const name of names) if (typeof usage[name] === 'number') return usage[name];
		return 0;
	};
	return {
		input: count('prompt_tokens', 'input_tokens', 'characters'),
		output: count('completion_tokens', 'output_tokens'),
	};
}
