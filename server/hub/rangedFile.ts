/**
 * A file of a repository that is read where it is needed, by ranged requests: what a model is built from
 * need not lie on the disk. Every answer must be a piece of the same copy.
 */

import { AppError } from '../protocol/index.ts';
import type { HubHttp } from './http.ts';
import { fileUrl, type HubFile, hubStatusError } from './repository.ts';
import { discard, piecesOf } from './responseBody.ts';
import { Retry, type RetryOptions, withRetries } from './retry.ts';

/** Bytes of one request; a longer piece is fetched in several. */
const maxRequestBytes = 16 * 1024 * 1024;

/** Bytes that can be read anywhere, as the builder of models wants them. */
export interface RangedFile extends AsyncDisposable {
	readonly name: string;
	/** In bytes, as the hub's list says. */
	readonly size: number;
	/**
	 * Exactly `length` bytes from `offset`.
	 * @throws RangeError beyond the end; AppError `download_failed`, `cancelled`, or the hub's own refusal
	 */
	read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
}

export interface RangedFileOptions extends Pick<RetryOptions, 'tries' | 'backoffMs'> {
	readonly repository: string;
	readonly commit: string;
	readonly file: HubFile;
	/** Milliseconds without a byte after which a connection is given up; default 30 s. */
	readonly stallTimeoutMs?: number;
	/** Told how many bytes have come with each piece. */
	readonly onBytes?: (bytes: number) => void;
}

export function rangedFile(http: HubHttp, options: RangedFileOptions): RangedFile {
	const { path, sizeBytes } = options.file;
	const copy: Copy = { etag: undefined };
	const closed = new AbortController();
	return {
		name: path.slice(path.lastIndexOf('/') + 1),
		size: sizeBytes,
		read: async (offset, length, signal) => {
			if (!(offset >= 0 && length >= 0 && offset + length <= sizeBytes))
				throw new RangeError(`Bytes ${offset} to ${offset + length} of ${sizeBytes}`);
			const stop = signal === undefined ? closed.signal : AbortSignal.any([signal, closed.signal]);
			const bytes = new Uint8Array(length);
			for (let at = 0; at < length; at += maxRequestBytes) {
				const piece = bytes.subarray(at, Math.min(length, at + maxRequestBytes));
				await fetchPiece(http, options, copy, { from: offset + at, piece }, stop);
			}
			return bytes;
		},
		[Symbol.asyncDispose]: async () => closed.abort(),
	};
}

/** What tells the server's copy of the file from another one. */
interface Copy {
	etag: string | undefined;
}

interface Wanted {
	readonly from: number;
	readonly piece: Uint8Array;
}

async function fetchPiece(
	http: HubHttp,
	options: RangedFileOptions,
	copy: Copy,
	{ from, piece }: Wanted,
	signal: AbortSignal,
): Promise<void> {
	const { file, tries, backoffMs } = options;
	let filled = 0;
	const work = async () => {
		const url = fileUrl(http, options.repository, options.commit, file.path);
		const range = `bytes=${from + filled}-${from + piece.length - 1}`;
		const headers = { range, ...(copy.etag === undefined ? {} : { 'if-range': copy.etag }) };
		const response = await http.get(url, headers, signal);
		if (response.status !== 206) {
			await discard(response);
			throw refusal(response.status, options, copy) ?? failure(response, options, http);
		}
		const found = response.headers.get('content-range')?.match(/^bytes (\d+)-\d+\/(\d+|\*)$/);
		const fits =
			found?.[1] === String(from + filled) &&
			(found[2] === '*' || found[2] === String(file.sizeBytes));
		if (!fits) {
			await discard(response);
			throw unusable(options, 'sends other pieces than were asked for');
		}
		const etag = response.headers.get('etag');
		const isStrong = etag !== null && !etag.startsWith('W/');
		if (isStrong && copy.etag !== undefined && etag !== copy.etag) {
			await discard(response);
			throw unusable(options, otherCopy);
		}
		if (isStrong) copy.etag = etag;
		for await (const chunk of piecesOf(
			response,
			signal,
			options.stallTimeoutMs,
			http.waitNotices,
		)) {
			const take = chunk.subarray(0, piece.length - filled);
			piece.set(take, filled);
			filled += take.length;
			options.onBytes?.(take.length);
			if (filled === piece.length) return;
		}
		throw new Retry('the server closed too early.');
	};
	await withRetries(
		work,
		{
			what: file.path,
			waitNotices: http.waitNotices,
			arrived: () => filled,
			...(tries === undefined ? {} : { tries }),
			...(backoffMs === undefined ? {} : { backoffMs }),
		},
		signal,
	);
}

const otherCopy = 'has another copy of it now than when it was begun';

/** A whole file in the place of a piece. */
function refusal(status: number, options: RangedFileOptions, { etag }: Copy): AppError | undefined {
	if (status === 416) return unusable(options, 'refuses the piece that was asked for');
	if (status !== 200) return undefined;
	return unusable(
		options,
		etag === undefined
			? 'sends whole files only, so a model cannot be built from it piece by piece'
			: otherCopy,
	);
}

function failure(
	response: Parameters<typeof hubStatusError>[0],
	{ repository, file }: RangedFileOptions,
	http: HubHttp,
): AppError | Retry {
	return hubStatusError(response, `${repository}/${file.path}`, http.endpoint);
}

function unusable({ file }: RangedFileOptions, what: string): AppError {
	return new AppError(
		'download_failed',
		`${file.path}: the server ${what}. Try again, use another hub or mirror, or download the file and run 'nearglot models import'.`,
	);
}
