/** What a hub says of a repository: its commit and its files with sizes and hashes. */

import { AppError } from '../protocol/index.ts';
import { visibleLine } from '../protocol/visibleText.ts';
import { type HubHttp, otherHub } from './http.ts';
import { repositoryPattern, revisionPattern, usablePaths } from './names.ts';
import { discard, type HubResponse, piecesOf } from './responseBody.ts';
import { Retry, type RetryOptions, retryAfterMs, withRetries } from './retry.ts';
import type { WaitNotices } from './waitNotices.ts';

export interface HubFile {
	readonly path: string;
	readonly sizeBytes: number;
	/** SHA-256 of the content (large files), as the hub gives it. */
	readonly sha256?: string;
	/** Git blob id (SHA-1 over a header and the content) of small files. */
	readonly gitSha1?: string;
}

export interface HubRepository {
	readonly repository: string;
	/** Full commit, so that all files come from one state. */
	readonly commit: string;
	readonly files: readonly HubFile[];
	readonly license?: string;
	/** Hub id of the model that this one was made from. */
	readonly parent?: string;
}

interface TreeEntry {
	readonly type?: unknown;
	readonly path?: unknown;
	readonly size?: unknown;
	readonly oid?: unknown;
	readonly lfs?: { readonly oid?: unknown; readonly size?: unknown };
}

/** How patiently the hub is asked. */
export type RepositoryRetries = Pick<RetryOptions, 'tries' | 'backoffMs'> & {
	/** Milliseconds without a byte after which a connection is given up; default 30 s. */
	readonly stallTimeoutMs?: number;
	/** Milliseconds that one page of a list may take; default 2 minutes. */
	readonly listMs?: number;
};

/** Asks the hub for a repository at a revision. 401/403/404 become advice; what may pass is tried again. */
export async function readRepository(
	http: HubHttp,
	repository: string,
	revision: string,
	signal: AbortSignal,
	retries: RepositoryRetries = {},
): Promise<HubRepository> {
	if (!repositoryPattern.test(repository))
		throw new AppError(
			'invalid_request',
			`${JSON.stringify(repository)} is not a hub id (owner/name).`,
		);
	if (!revisionPattern.test(revision))
		throw new AppError('invalid_request', `${JSON.stringify(revision)} is not a revision.`);
	const base = `${http.endpoint.href.replace(/\/$/, '')}/api/models/${repository}`;
	const info = await hubJson(
		http,
		`${base}/revision/${encodeURIComponent(revision)}`,
		revision === 'main' ? repository : `${repository} with the revision ${revision}`,
		signal,
		retries,
	);
	const { sha, cardData } = (info.value ?? {}) as {
		sha?: unknown;
		cardData?: { license?: unknown; base_model?: unknown } | null;
	};
	if (typeof sha !== 'string' || !/^[0-9a-f]{40}$/.test(sha))
		throw new AppError(
			'download_failed',
			`${base} names no commit of ${repository}, so it is not a hub. ${otherHub}`,
		);
	const files: HubFile[] = [];
	let page: string | undefined = `${base}/tree/${sha}?recursive=true`;
	for (let count = 0; page !== undefined; count++) {
		if (count > 100)
			throw new AppError(
				'download_failed',
				`The list of ${repository} at ${page} has no end. ${otherHub}`,
			);
		const answer: Answer = await hubJson(http, page, repository, signal, retries);
		if (!Array.isArray(answer.value))
			throw new AppError(
				'download_failed',
				`The list of ${repository} at ${page} is not a list. ${otherHub}`,
			);
		for (const entry of answer.value as (TreeEntry | null)[]) {
			const file = parseEntry(entry);
			if (file !== undefined) files.push(file);
		}
		page = answer.next;
	}
	const usable = usablePaths(files.map((file) => file.path));
	const license = cardData?.license;
	const made = cardData?.base_model;
	const parent: unknown = Array.isArray(made) ? made[0] : made;
	return {
		repository,
		commit: sha,
		files: files.filter(({ path }) => usable.has(path)),
		...(typeof license === 'string' ? { license: visibleLine(license).slice(0, 200) } : {}),
		...(typeof parent === 'string' && repositoryPattern.test(parent) ? { parent } : {}),
	};
}

function parseEntry(entry: TreeEntry | null): HubFile | undefined {
	if (entry?.type !== 'file' || typeof entry.path !== 'string') return undefined;
	const size = entry.lfs?.size ?? entry.size;
	if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
		throw new AppError(
			'download_failed',
			`The hub gives no size for ${JSON.stringify(entry.path)}.`,
		);
	const large = entry.lfs?.oid;
	if (typeof large === 'string' && /^[0-9a-f]{64}$/.test(large))
		return { path: entry.path, sizeBytes: size, sha256: large };
	const small = entry.oid;
	return typeof small === 'string' && /^[0-9a-f]{40}$/.test(small)
		? { path: entry.path, sizeBytes: size, gitSha1: small }
		: { path: entry.path, sizeBytes: size };
}

interface Answer {
	readonly value: unknown;
	/** Address of the next page. */
	readonly next: string | undefined;
}

/** Asks a hub for JSON; what may pass is tried again. */
export async function hubJson(
	http: HubHttp,
	url: string,
	repository: string,
	signal: AbortSignal,
	retries: RepositoryRetries,
): Promise<Answer> {
	const ask = async (): Promise<Answer> => {
		const response = await http.get(url, { accept: 'application/json' }, signal);
		if (!response.ok) {
			discard(response);
			throw hubStatusError(response, repository, http.endpoint);
		}
		const link = response.headers.get('link')?.match(/<([^>]+)>;\s*rel="next"/)?.[1];
		const next = link === undefined ? null : URL.parse(link, url);
		const text = await boundedText(response, signal, http.waitNotices, retries);
		try {
			return { value: JSON.parse(text) as unknown, next: next?.href };
		} catch (error) {
			throw new AppError('download_failed', `The answer of ${url} is not JSON. ${otherHub}`, {
				cause: error,
			});
		}
	};
	// A person waits for the list; for files there is more patience.
	return withRetries(
		ask,
		{ what: `The list of ${repository}`, waitNotices: http.waitNotices, tries: 3, ...retries },
		signal,
	);
}

/** A page of a listing has at most a thousand files. */
const maxAnswerBytes = 32 << 20;

async function boundedText(
	response: HubResponse,
	signal: AbortSignal,
	waitNotices: WaitNotices,
	options: RepositoryRetries,
): Promise<string> {
	const { origin } = new URL(response.url);
	const limitS = (options.listMs ?? 120_000) / 1000;
	const words = `Waiting for a list of ${origin}, which comes slowly, for up to ${limitS} s.`;
	return waitNotices.during(words, readText(response, signal, waitNotices, options));
}

async function readText(
	response: HubResponse,
	signal: AbortSignal,
	waitNotices: WaitNotices,
	{ stallTimeoutMs, listMs = 120_000 }: RepositoryRetries,
): Promise<string> {
	const chunks: Buffer[] = [];
	let length = 0;
	const { origin } = new URL(response.url);
	const started = performance.now();
	for await (const chunk of piecesOf(response, signal, stallTimeoutMs, waitNotices)) {
		if (performance.now() - started > listMs)
			throw new AppError(
				'download_failed',
				`A list of ${origin} has not come within ${listMs / 1000} s. Check the network, or use another hub or mirror (HF_ENDPOINT).`,
			);
		chunks.push(chunk);
		length += chunk.length;
		if (length > maxAnswerBytes)
			throw new AppError(
				'download_failed',
				`An answer of ${origin} is longer than ${maxAnswerBytes >> 20} MB, so it is not read. Check the hub address in the settings.`,
			);
	}
	return Buffer.concat(chunks).toString('utf8');
}

/** An HTTP status of a hub: advice, or a reason to try again. */
export function hubStatusError(
	response: HubResponse,
	what: string,
	endpoint: URL,
): AppError | Retry {
	const { host } = endpoint;
	const { status } = response;
	const from = new URL(response.url).host;
	if (status === 429 || status >= 500)
		return new Retry(
			status === 429 ? `${from} asks to slow down.` : `${from} answered ${status}.`,
			retryAfterMs(response.headers.get('retry-after'), Date.now()),
		);
	// The hub signs addresses of its stores for some minutes; asked anew, it gives another one.
	if ((status === 401 || status === 403 || status === 410) && from !== host)
		return new Retry(`${from} answered ${status}: its address may have expired.`);
	if (status === 401)
		return new AppError(
			'invalid_api_key',
			`${host} wants a token for ${what}: set a hub token, and accept the model's licence on its page.`,
		);
	if (status === 403)
		return new AppError(
			'forbidden',
			`${host} does not allow this token to read ${what}: accept its licence on its page, or use another token.`,
		);
	if (status === 404)
		return new AppError(
			'model_not_found',
			`${host} has no ${what}. Check the spelling (owner/name).`,
		);
	return new AppError('download_failed', `${from} answered ${status} for ${what}.`);
}

/** Address of one file at one commit. */
export function fileUrl(http: HubHttp, repository: string, commit: string, path: string): string {
	const encoded = path.split('/').map(encodeURIComponent).join('/');
	return `${http.endpoint.href.replace(/\/$/, '')}/${repository}/resolve/${commit}/${encoded}`;
}
