/** Fetches one file: several ranged parts side by side, resumed, retried and verified. */

import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '../protocol/defined.ts';
import { AppError, systemError } from '../protocol/index.ts';
import type { HubHttp } from './http.ts';
import { type Part, PartFile, removeParts } from './partFile.ts';
import { fileUrl, type HubFile, hubStatusError } from './repository.ts';
import { discard, type HubResponse, piecesOf } from './responseBody.ts';
import { Retry, type RetryOptions, withRetries } from './retry.ts';

export interface DownloadFileOptions {
	readonly repository: string;
	readonly commit: string;
	readonly file: HubFile;
	/** Where the finished file goes. */
	readonly target: string;
	/** Parts fetched side by side; default 4. */
	readonly connections?: number;
	/** Milliseconds without a byte after which a connection is given up; default 30 s. */
	readonly stallTimeoutMs?: number;
	/** Tries of a part without a byte of progress; default 6. */
	readonly tries?: number;
	/** First pause between tries, doubled each time; default 500 ms. */
	readonly backoffMs?: number;
	/** Bytes per write; default 64 KiB. */
	readonly bufferBytes?: number;
	readonly onProgress?: (doneBytes: number) => void;
}

/** A further connection joins after each such time. */
const rampMs = 1500;

/** The server sent another copy than the one that was begun, or another piece than was asked for. */
class Changed extends Error {}

/**
 * Resolves when the file is complete under its name. Throws `download_failed` (damaged, given up),
 * `disk_full`, `cancelled`, or the hub's own refusal. What was fetched stays for the next call.
 */
export async function downloadFile(
	http: HubHttp,
	options: DownloadFileOptions,
	signal: AbortSignal,
): Promise<void> {
	const part = await PartFile.open(options.target, options.file);
	let finished = false;
	try {
		for (let round = 0; ; round++) {
			try {
				await fetchParts(http, part, options, signal);
			} catch (error) {
				if (!(error instanceof Changed)) throw error;
				if (round >= 3) throw keepsChanging(options, error);
				await part.reset();
				continue;
			}
			if (await part.verify(signal)) break;
			await part.reset();
			options.onProgress?.(0);
			if (round >= 1)
				throw new AppError(
					'download_failed',
					`${options.file.path} arrived damaged twice: its hash is not the one the hub states. The file was thrown away; try again later or use another mirror.`,
				);
		}
		await part.finish();
		finished = true;
	} catch (error) {
		throw signal.aborted ? new AppError('cancelled') : (diskError(error, options.target) ?? error);
	} finally {
		if (!finished) await leave(part);
	}
}

/** Closes what is not finished. Parts without a byte go; those that cannot be removed now are used or removed later. */
async function leave(part: PartFile): Promise<void> {
	try {
		await part.close();
		if (part.doneBytes === 0) await removeParts(part.target);
	} catch {
		// Why the download ended is what matters.
	}
}

async function fetchParts(
	http: HubHttp,
	file: PartFile,
	options: DownloadFileOptions,
	signal: AbortSignal,
): Promise<void> {
	const waiting = file.parts.filter((part) => part.done < part.length);
	if (waiting.length === 0) return;
	const stop = new AbortController();
	const ramp = new AbortController();
	const abort = () => stop.abort();
	signal.addEventListener('abort', abort, { once: true });
	if (signal.aborted) abort();
	const worker = async () => {
		for (let part = waiting.shift(); part !== undefined; part = waiting.shift())
			if (part.done < part.length) await fetchPart(http, file, part, options, stop.signal);
	};
	try {
		// The first part alone decides on the validator and on whether the server knows ranges.
		const first = waiting.shift();
		if (first !== undefined) await fetchPart(http, file, first, options, stop.signal);
		const count = Math.min(options.connections ?? 4, waiting.length);
		// One connection fills a fast network; the others join when the file takes its time.
		const workers = Array.from({ length: count }, async (_, index) => {
			await sleep(index * rampMs, undefined, {
				signal: AbortSignal.any([stop.signal, ramp.signal]),
			}).catch(() => undefined);
			if (waiting.length > 0) await worker();
		});
		const results = await Promise.allSettled(
			workers.map((work) =>
				work.then(
					() => {
						if (waiting.length === 0) ramp.abort();
					},
					(error: unknown) => {
						stop.abort();
						throw error;
					},
				),
			),
		);
		const reasons = results.flatMap((result) =>
			result.status === 'rejected' ? [result.reason] : [],
		);
		const own = reasons.find(
			(reason) => !(reason instanceof AppError && reason.code === 'cancelled'),
		);
		if (reasons.length > 0) throw own ?? reasons[0];
	} finally {
		signal.removeEventListener('abort', abort);
	}
}

async function fetchPart(
	http: HubHttp,
	file: PartFile,
	part: Part,
	options: DownloadFileOptions,
	signal: AbortSignal,
): Promise<void> {
	const { tries, backoffMs } = options;
	const retries: RetryOptions = {
		what: options.file.path,
		waitNotices: http.waitNotices,
		arrived: () => part.done,
		...defined({ tries, backoffMs }),
	};
	await withRetries(() => requestPart(http, file, part, options, signal), retries, signal);
}

async function requestPart(
	http: HubHttp,
	file: PartFile,
	part: Part,
	options: DownloadFileOptions,
	signal: AbortSignal,
): Promise<void> {
	if (part.length === 0) return;
	const from = part.start + part.done;
	const url = fileUrl(http, options.repository, options.commit, options.file.path);
	const response = await http.get(
		url,
		{
			range: `bytes=${from}-${part.start + part.length - 1}`,
			...defined({ 'if-range': file.etag }),
		},
		signal,
	);
	const offset = await positionOf(response, file, from, options, http);
	// A server without ranges sends the whole file once; it fills all parts.
	const parts = response.status === 206 ? [part] : file.parts;
	const etag = response.headers.get('etag');
	if (file.etag === undefined && etag !== null && !etag.startsWith('W/')) await file.setEtag(etag);
	const pieces = piecesOf(response, signal, options.stallTimeoutMs, http.waitNotices);
	await copyBody(pieces, offset, parts, file, options);
	if (part.done < part.length) throw new Retry('the server closed too early.');
}

/** Checks the status; resolves to the offset in the file of the first byte of the body. */
async function positionOf(
	response: HubResponse,
	file: PartFile,
	from: number,
	options: DownloadFileOptions,
	http: HubHttp,
): Promise<number> {
	if (response.status === 206) {
		const range = response.headers.get('content-range')?.match(/^bytes (\d+)-\d+\/(\d+|\*)$/);
		const fits =
			range?.[1] === String(from) &&
			(range[2] === '*' || range[2] === String(options.file.sizeBytes));
		if (fits) return from;
		discard(response);
		throw new Changed('it sends other pieces than were asked for');
	}
	if (response.status === 200) {
		const length = response.headers.get('content-length');
		const same = length === null || length === String(options.file.sizeBytes);
		const etag = response.headers.get('etag');
		if (file.etag !== undefined && etag !== null && etag !== file.etag && file.doneBytes > 0) {
			discard(response);
			throw new Changed('its copy changes while it is fetched');
		}
		if (!same) {
			discard(response);
			throw new AppError(
				'download_failed',
				`${options.file.path}: the server sends ${length} bytes where the hub's list says ${options.file.sizeBytes}.`,
			);
		}
		return 0;
	}
	discard(response);
	if (response.status === 416) throw new Changed('it refuses the piece that was asked for');
	throw hubStatusError(response, `${options.repository}/${options.file.path}`, http.endpoint);
}

/**
 * Writes a body that begins at `offset` of the file into the given parts, in order, leaving out what
 * they have already.
 */
async function copyBody(
	body: AsyncIterable<Buffer>,
	offset: number,
	parts: readonly Part[],
	file: PartFile,
	options: DownloadFileOptions,
): Promise<void> {
	const bufferBytes = options.bufferBytes ?? 64 * 1024;
	let index = 0;
	let held: Buffer[] = [];
	let heldBytes = 0;
	const flush = async () => {
		const part = parts[index];
		if (heldBytes === 0 || part === undefined) return;
		const bytes = held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held);
		held = [];
		heldBytes = 0;
		await file.write(part, bytes);
		options.onProgress?.(file.doneBytes);
	};
	try {
		for await (let chunk of body) {
			while (chunk.length > 0) {
				const part = parts[index];
				if (part === undefined) return;
				const wanted = part.start + part.done + heldBytes;
				const before = Math.min(chunk.length, Math.max(0, wanted - offset));
				const take = Math.min(chunk.length - before, part.start + part.length - wanted);
				if (take > 0) held.push(chunk.subarray(before, before + take));
				heldBytes += take;
				offset += before + take;
				chunk = chunk.subarray(before + take);
				const full = part.done + heldBytes >= part.length;
				if (full || heldBytes >= bufferBytes) await flush();
				if (full) index++;
			}
			if (index >= parts.length) return;
		}
	} finally {
		await flush();
	}
}

function keepsChanging({ file }: DownloadFileOptions, error: Changed): AppError {
	return new AppError(
		'download_failed',
		`${file.path} cannot be fetched from this server: ${error.message}, four times in a row. Try again later or use another hub or mirror.`,
		{ cause: error },
	);
}

/** What the disk refused, with what becomes of a download; `undefined` for any other error. */
export function diskError(error: unknown, path: string): AppError | undefined {
	const known = systemError(error, {
		path,
		verb: 'written',
		elsewhere:
			"Give this user the right to write there, or keep models in another folder: 'nearglot models move FOLDER'.",
	});
	if (known?.code !== 'disk_full') return known;
	const kept = 'What has arrived is kept, and the next try goes on from there.';
	return new AppError('disk_full', `${known.message} ${kept}`, { cause: error });
}
