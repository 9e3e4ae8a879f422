/** Fetches one file: several ranged parts side by side, resumed, retried and verified. */

import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../protocol/index.ts';
import { discard, type HubHttp } from './http.ts';
import { type Part, PartFile } from './partFile.ts';
import { fileUrl, type HubFile, hubStatusError } from './repository.ts';

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

/** The server sent another copy than the one that was begun. */
class Changed extends Error {}
/** Worth another try: stall, reset, truncation, 429, 5xx. */
class Retry extends Error {
	readonly waitMs: number | undefined;
	constructor(message: string, waitMs?: number, cause?: unknown) {
		super(message, { cause });
		this.waitMs = waitMs;
	}
}

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
				if (!(error instanceof Changed) || round >= 3) throw error;
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
		throw (
			diskError(error, options.file.path) ?? (signal.aborted ? new AppError('cancelled') : error)
		);
	} finally {
		if (!finished) await part.close();
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
	const most = options.tries ?? 6;
	for (let failures = 0; part.done < part.length || part.length === 0; ) {
		const before = part.done;
		try {
			await requestPart(http, file, part, options, signal);
			if (part.length === 0) return;
		} catch (error) {
			if (signal.aborted) throw new AppError('cancelled');
			const retry =
				error instanceof Retry ||
				(error instanceof AppError &&
					error.code === 'download_failed' &&
					error.cause !== undefined);
			if (!retry) throw error;
			failures = part.done > before ? 1 : failures + 1;
			if (failures >= most)
				throw new AppError(
					'download_failed',
					`${options.file.path}: ${(error as Error).message} Given up after ${most} tries; run it again to resume.`,
					{ cause: error },
				);
			const pause = (options.backoffMs ?? 500) * 2 ** (failures - 1) * (0.75 + Math.random() / 2);
			const wait = Math.min((error instanceof Retry ? error.waitMs : undefined) ?? pause, 60_000);
			await sleep(wait, undefined, { signal }).catch(() => {
				throw new AppError('cancelled');
			});
		}
	}
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
	const stall = new AbortController();
	const both = AbortSignal.any([signal, stall.signal]);
	const response = await http.get(
		url,
		{
			range: `bytes=${from}-${part.start + part.length - 1}`,
			...(file.etag === undefined ? {} : { 'if-range': file.etag }),
		},
		both,
	);
	const offset = await positionOf(response, file, from, options, http);
	// A server without ranges sends the whole file once; it fills all parts.
	const parts = response.status === 206 ? [part] : file.parts;
	const etag = response.headers.get('etag');
	if (file.etag === undefined && etag !== null && !etag.startsWith('W/')) await file.setEtag(etag);
	const stallMs = options.stallTimeoutMs ?? 30_000;
	let timer = setTimeout(() => stall.abort(), stallMs);
	const body = response.body as unknown as AsyncIterable<Buffer> & { destroy(): void };
	try {
		await copyBody(body, offset, parts, file, options, () => {
			clearTimeout(timer);
			timer = setTimeout(() => stall.abort(), stallMs);
		});
	} catch (error) {
		if (signal.aborted) throw new AppError('cancelled');
		if (stall.signal.aborted) throw new Retry(`no byte for ${stallMs / 1000} s.`);
		if (error instanceof AppError || diskError(error, '') !== undefined) throw error;
		throw new Retry('the connection broke.', undefined, error);
	} finally {
		clearTimeout(timer);
		body.destroy();
	}
	if (part.done < part.length) throw new Retry('the server closed too early.');
}

/** Checks the status; resolves to the offset in the file of the first byte of the body. */
async function positionOf(
	response: Awaited<ReturnType<HubHttp['get']>>,
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
		await discard(response);
		throw new Changed();
	}
	if (response.status === 200) {
		const length = response.headers.get('content-length');
		const same = length === null || length === String(options.file.sizeBytes);
		const etag = response.headers.get('etag');
		if (file.etag !== undefined && etag !== null && etag !== file.etag && file.doneBytes > 0) {
			await discard(response);
			throw new Changed();
		}
		if (!same) {
			await discard(response);
			throw new AppError(
				'download_failed',
				`${options.file.path}: the server sends ${length} bytes where the hub's list says ${options.file.sizeBytes}.`,
			);
		}
		return 0;
	}
	await discard(response);
	if (response.status === 416) throw new Changed();
	if (response.status === 429 || response.status >= 500) {
		const after = Number(response.headers.get('retry-after'));
		throw new Retry(
			`${http.endpoint.host} answered ${response.status}.`,
			Number.isFinite(after) && after > 0 ? after * 1000 : undefined,
		);
	}
	throw hubStatusError(
		response.status,
		`${options.repository}/${options.file.path}`,
		http.endpoint,
	);
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
	alive: () => void,
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
			alive();
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

/** A full disk or a missing permission as advice; `undefined` for anything else. */
export function diskError(error: unknown, what: string): AppError | undefined {
	const code = (error as NodeJS.ErrnoException | undefined)?.code;
	if (code === 'ENOSPC' || code === 'EDQUOT')
		return new AppError(
			'disk_full',
			`The disk is full while writing ${what}. Free some space or choose another model folder; nothing unfinished was left.`,
			{ cause: error },
		);
	if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
		return new AppError(
			'forbidden',
			`${what} cannot be written: ${code}. Check the model folder's permissions.`,
			{
				cause: error,
			},
		);
	return undefined;
}
