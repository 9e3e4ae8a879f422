/**
 * Documents in stores that are reached over HTTP: read with GET and written with PUT, as blob stores and signed addresses
 * take it; folders are containers of the blob interface. Nothing is followed elsewhere.
 */

import { Parser } from 'htmlparser2';
import type { Fetch, FetchOptions } from '../net/outbound.ts';
import { AppError, errno, systemReason } from '../protocol/index.ts';
import {
	type FoundDocument,
	placeIn,
	shownUrl,
	targetExists,
	tooLarge,
} from './documentAddresses.ts';

/** For a request and its answer; documents have some megabytes. */
const timeoutMs = 120_000;
/** Without a byte of an answer; what is sent takes a second more for so many bytes. */
const silenceMs = 20_000;
const sentBytesPerS = 100_000;
const maxListBytes = 16 * 2 ** 20;
/** Pages of a list; each has up to 5000 names. */
const maxPages = 100;

export class WebDocuments {
	readonly #fetch: Fetch;

	constructor(fetch: Fetch) {
		this.#fetch = fetch;
	}

	async read(url: URL, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
		return this.#ask(url, { method: 'GET' }, maxBytes, signal);
	}

	async write(url: URL, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
		const headers = {
			'content-type': 'application/octet-stream',
			'x-ms-blob-type': 'BlockBlob',
			'if-none-match': '*',
		};
		try {
			const put = { method: 'PUT', headers, body: new Uint8Array(bytes) };
			await this.#ask(url, put, maxListBytes, signal);
		} catch (error) {
			if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
			// The signature may allow no reading: then it is another's.
			const there = await this.read(url, bytes.length, signal).catch((failed: unknown) => {
				signal.throwIfAborted();
				if (!(failed instanceof AppError)) throw failed;
				return undefined;
			});
			if (!there || Buffer.compare(there, bytes) !== 0) throw error;
		}
	}

	/** The blobs of a container. */
	async *list(container: URL, prefix: string, signal: AbortSignal): AsyncIterable<FoundDocument> {
		let marker = '';
		for (let page = 0; page < maxPages; page++) {
			const url = new URL(container);
			url.pathname = url.pathname.replace(/\/$/, '');
			url.searchParams.set('restype', 'container');
			url.searchParams.set('comp', 'list');
			if (prefix !== '') url.searchParams.set('prefix', prefix);
			if (marker !== '') url.searchParams.set('marker', marker);
			const bytes = await this.#ask(url, { method: 'GET' }, maxListBytes, signal);
			const { names, next } = listOf(new TextDecoder().decode(bytes), url);
			for (const name of names)
				yield { name, place: placeIn({ kind: 'web', url: container }, name) };
			if (next === '' || next === marker) return;
			marker = next;
		}
	}

	/** What is closed unanswered is asked once more by `fetch` alone. */
	async #ask(
		url: URL,
		options: FetchOptions,
		maxBytes: number,
		signal: AbortSignal,
	): Promise<Uint8Array> {
		const where = shownUrl(url.href);
		const silent = new AbortController();
		const sent = options.body instanceof Uint8Array ? options.body.length : 0;
		const firstMs = silenceMs + (1000 * sent) / sentBytesPerS;
		let timer = setTimeout(() => silent.abort(), firstMs);
		const heard = () => {
			clearTimeout(timer);
			timer = setTimeout(() => silent.abort(), silenceMs);
		};
		const limit = AbortSignal.any([signal, silent.signal, AbortSignal.timeout(timeoutMs)]);
		let hasBegun = false;
		try {
			const response = await this.#fetch(url, { ...options, redirect: 'manual', signal: limit });
			hasBegun = true;
			heard();
			if (!response.ok) {
				await response.body?.cancel();
				throw refusal(response.status, where, options.method === 'PUT');
			}
			const parts: Uint8Array[] = [];
			let size = 0;
			for await (const part of response.body ?? []) {
				heard();
				size += part.byteLength;
				if (size > maxBytes) throw tooLarge(maxBytes);
				parts.push(part);
			}
			const whole = Buffer.concat(parts);
			return whole;
		} catch (error) {
			signal.throwIfAborted();
			if (error instanceof AppError) throw error;
			const how = silent.signal.aborted
				? `has sent nothing for ${Math.round(firstMs / 1000)} s`
				: limit.aborted
					? `took longer than ${timeoutMs / 1000} s`
					: `${hasBegun ? 'broke off in the middle of its answer' : 'does not answer'}${reasonIn(error)}`;
			throw new AppError('upstream_failed', `The store at ${where} ${how}.`, { cause: error });
		} finally {
			clearTimeout(timer);
		}
	}
}

/** In parentheses, where there is one. */
function reasonIn(error: unknown): string {
	const reason = systemReason(error) ?? errno(error);
	return reason === undefined ? '' : ` (${reason})`;
}

function refusal(status: number, where: string, isWritten: boolean): AppError {
	if (status >= 500 || status === 429 || status === 408)
		return new AppError('upstream_failed', `The store at ${where} answered with ${status}.`);
	if (isWritten && (status === 409 || status === 412)) return targetExists(where);
	if (status === 404) return new AppError('not_found', `There is nothing at ${where}.`);
	const what = isWritten ? 'written' : 'read';
	if (status === 401 || status === 403)
		return new AppError(
			'forbidden',
			`The store does not let ${where} be ${what}. Its address needs a signature that allows it and has not run out.`,
		);
	return new AppError(
		'invalid_request',
		`${where} cannot be ${what}: the store answered with ${status}.`,
	);
}

function listOf(
	text: string,
	url: URL,
): { readonly names: readonly string[]; readonly next: string } {
	const names: string[] = [];
	let next = '';
	let isList = false;
	const open: string[] = [];
	let own = '';
	const parser = new Parser(
		{
			onopentag: (name) => {
				open.push(name);
				own = '';
				isList ||= name === 'EnumerationResults';
			},
			ontext: (part) => {
				own += part;
			},
			onclosetag: (name) => {
				if (name === 'Name' && open.at(-2) === 'Blob') names.push(own);
				if (name === 'NextMarker') next = own;
				open.pop();
				own = '';
			},
		},
		{ xmlMode: true, decodeEntities: true },
	);
	parser.end(text);
	if (isList) return { names, next };
	throw new AppError(
		'invalid_request',
		`${shownUrl(url.href)} is no container whose documents can be listed. Name documents one by one, with storageType File.`,
	);
}
