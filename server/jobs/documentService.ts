/** Batches of documents: what is asked becomes one line for each document and language, and rows become their states. */

import { hash, randomUUID } from 'node:crypto';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import { LruMap } from '../protocol/lruMap.ts';
import {
	type DocumentBatchRequest,
	type DocumentCounts,
	documentBatchLimits,
} from '../protocol/routes/documentBatches.ts';
import { translatedFileName } from '../protocol/translatedFileName.ts';
import { canonicalLanguage, unknownLanguage } from '../translate/languageCodes.ts';
import { maxLineBytes } from './batchManifest.ts';
import {
	documentPlace,
	type FoundDocument,
	placeIn,
	shownUrl,
	urlOf,
} from './documentAddresses.ts';
import type { DocumentStores } from './documentStores.ts';
import type { OpenJobs } from './jobService.ts';
import { documentEndpoint, type JobOwner, keys } from './jobTypes.ts';
import { fileLines } from './lines.ts';
import { type Again, type BatchView, translationsField } from './personBatches.ts';
import { timedId } from './storedFiles.ts';

/** One document into one language, as a line of the batch's file has it. */
export interface DocumentWork {
	readonly source: { readonly url: string; readonly name: string };
	readonly target: { readonly url: string; readonly name: string; readonly fileId: string };
	readonly glossary?: { readonly url: string; readonly format?: string };
	/** Which batch it is of; the same for all of its lines. */
	readonly group: string;
	readonly to: string;
	/** Of this server, as the caller knows it. */
	readonly origin: string;
}

/** What a row says of it, once there is one. */
export interface DocumentOutcome {
	readonly path?: string;
	readonly characters?: number;
	readonly refused?: number;
	readonly texts?: DocumentCounts;
	readonly quality?: number;
	/** Milliseconds since 1970. */
	readonly at?: number;
	readonly error?: { readonly code: string; readonly message: string; readonly inner?: string };
	readonly isCancelled?: boolean;
}

export interface DocumentEntry {
	readonly id: string;
	readonly work: DocumentWork;
	readonly outcome?: DocumentOutcome;
}

/** Days that a batch of documents may take. */
const window = '7d';
/** Name of the mark by which a batch's documents know each other. */
export const groupField = 'documents';

const wrong = (message: string, param: string, documentCode = 'InvalidRequest'): AppError =>
	new AppError('invalid_request', message, { param, data: { documentCode } });

/** Documents under way in this process, by the group of their batch. */
const running = new Map<string, Set<string>>();

export function noteRunning(group: string, id: string): Disposable {
	const own = running.get(group) ?? new Set<string>();
	running.set(group, own.add(id));
	return {
		[Symbol.dispose]: () => {
			own.delete(id);
			if (own.size === 0) running.delete(group);
		},
	};
}
export const runningOf = (group: string): ReadonlySet<string> => running.get(group) ?? new Set();

interface Known {
	readonly entries: readonly Omit<DocumentEntry, 'outcome'>[];
	/** By line. */
	readonly outcomes: Map<number, DocumentOutcome>;
	readonly shards: Set<number>;
	isEnded: boolean;
}

export class DocumentBatches {
	readonly #open: () => Promise<OpenJobs>;
	readonly #stores: DocumentStores;
	readonly #allowed: readonly URL[];
	readonly #known = new LruMap<string, Known>(100_000, (_, { entries }) => entries.length);

	constructor(open: () => Promise<OpenJobs>, stores: DocumentStores, allowed: readonly URL[]) {
		this.#open = open;
		this.#stores = stores;
		this.#allowed = allowed;
	}

	/**
	 * With a key of idempotency the same request makes one batch, however often it is sent.
	 * @throws AppError for places that are not allowed or not there, languages nobody knows, too much
	 */
	async start(
		owner: JobOwner,
		request: DocumentBatchRequest,
		origin: string,
		signal: AbortSignal,
		idempotencyKey?: string,
	): Promise<BatchView> {
		const { inputs } = request;
		const { batches } = await this.#open();
		const again: Again | undefined =
			idempotencyKey === undefined
				? undefined
				: { key: idempotencyKey, request: hash('sha256', JSON.stringify(request), 'hex') };
		const made = again && (await batches.made(owner, again));
		if (made !== undefined) return made;
		const group = randomUUID();
		const lines: string[] = [];
		const taken = new Set<string>();
		let documents = 0;
		for (const [index, { source, targets, storageType = 'Folder' }] of inputs.entries()) {
			const at = `inputs[${index}]`;
			const from = source.language && knownLanguage(source.language, `${at}.source.language`);
			const found = await this.#found(owner.person, source, storageType, origin, at, signal);
			documents += found.length;
			if (documents > documentBatchLimits.documents)
				throw wrong(`A batch may have ${documentBatchLimits.documents} documents.`, at);
			for (const [number, target] of targets.entries()) {
				const param = `${at}.targets[${number}]`;
				const to = knownLanguage(target.language, `${param}.language`);
				const place = documentPlace(target.targetUrl, origin, this.#allowed, `${param}.targetUrl`);
				const [glossary] = target.glossaries ?? [];
				if (glossary !== undefined)
					documentPlace(glossary.glossaryUrl, origin, this.#allowed, `${param}.glossaries`);
				const query = new URLSearchParams({ 'api-version': '2024-05-01', targetLanguage: to });
				if (from !== undefined) query.set('sourceLanguage', from);
				if (target.category !== undefined) query.set('category', target.category);
				for (const document of found) {
					const own = storageType === 'File' ? place : placeIn(place, document.name);
					if (own.kind === 'own' && own.id !== undefined)
						throw wrong(
							'A file that is there is not changed: name /v1/files.',
							`${param}.targetUrl`,
						);
					const where = own.kind === 'web' ? own.url.href : urlOf(own, origin);
					if (own.kind !== 'own' && taken.has(where))
						throw wrong(
							`Two translations would become ${shownUrl(where)}. Give each language a targetUrl of its own.`,
							`${param}.targetUrl`,
						);
					taken.add(where);
					if (lines.length === documentBatchLimits.translations)
						throw wrong(`A batch may have ${documentBatchLimits.translations} translations.`, at);
					const name =
						own.kind !== 'own'
							? ''
							: storageType === 'File' && own.name !== undefined
								? own.name
								: translatedFileName(document.name.slice(document.name.lastIndexOf('/') + 1), to);
					const fileId = timedId('file-', Date.now());
					const body: DocumentWork = {
						source: {
							url:
								document.place.kind === 'web'
									? document.place.url.href
									: urlOf(document.place, origin),
							name: document.name,
						},
						target: { url: own.kind === 'own' ? `${origin}/v1/files` : where, name, fileId },
						...(glossary === undefined
							? {}
							: {
									glossary: {
										url: new URL(glossary.glossaryUrl, `${origin}/`).href,
										...(glossary.format === undefined ? {} : { format: glossary.format }),
									},
								}),
						...{ group, to, origin },
					};
					const url = `${documentEndpoint}?${query}`;
					const line = { custom_id: randomUUID(), method: 'POST', url, body };
					lines.push(`${JSON.stringify(line)}\n`);
				}
			}
		}
		if (lines.length === 0)
			throw wrong('There is no document there, or none that the filter lets through.', 'inputs');
		const content = (async function* () {
			for (const line of lines) yield Buffer.from(line);
		})();
		const file = {
			filename: `documents-${group}.jsonl`,
			bytes: lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0),
		};
		const asked = {
			...({ endpoint: documentEndpoint, completionWindow: window } as const),
			metadata: { [groupField]: group, [translationsField]: String(lines.length) },
		};
		return batches.createOf(owner, content, file, asked, again);
	}

	async #found(
		person: string,
		{ sourceUrl, filter = {} }: DocumentBatchRequest['inputs'][number]['source'],
		storageType: string,
		origin: string,
		at: string,
		signal: AbortSignal,
	): Promise<readonly FoundDocument[]> {
		const param = `${at}.source.sourceUrl`;
		const place = documentPlace(sourceUrl, origin, this.#allowed, param);
		if (storageType === 'File') return [{ place, name: await this.#stores.nameOf(place, person) }];
		if (place.kind === 'own' && (place.id !== undefined || place.name !== undefined))
			throw wrong('This is a file: say storageType File, or name the folder /v1/files.', param);
		return this.#stores.list(place, filter, person, documentBatchLimits.documents, signal);
	}

	/** Batches of documents, newest first. */
	async list(person: string): Promise<BatchView[]> {
		const { batches } = await this.#open();
		const found: BatchView[] = [];
		for (let after: string | undefined; ; ) {
			const range = {
				limit: 100,
				order: 'desc',
				...(after === undefined ? {} : { after }),
			} as const;
			const { items, hasMore } = await batches.list(person, range);
			for (const view of items) if (view.record.endpoint === documentEndpoint) found.push(view);
			after = items.at(-1)?.record.id;
			if (!hasMore || after === undefined) return found;
		}
	}

	/** @throws AppError `not_found` */
	async get(person: string, id: string): Promise<BatchView> {
		const { batches } = await this.#open();
		const view = await batches.get(person, id);
		if (view.record.endpoint === documentEndpoint) return view;
		throw new AppError('not_found', `There is no batch of documents '${id.slice(0, 100)}'.`);
	}

	/** @throws AppError `not_found`, `conflict` for one that has ended */
	async cancel(person: string, id: string): Promise<BatchView> {
		await this.get(person, id);
		const { batches } = await this.#open();
		return batches.cancel(person, id);
	}

	/** What became of each document, in the order they were named. */
	async entries(person: string, view: BatchView): Promise<DocumentEntry[]> {
		const { files, store } = await this.#open();
		const { record, end, open } = view;
		let known = this.#known.get(record.id);
		if (known === undefined) {
			const entries: Omit<DocumentEntry, 'outcome'>[] = [];
			const content = await files.content(person, record.inputFileId).catch(listGone);
			for await (const { bytes } of fileLines(content, maxLineBytes)) {
				const { custom_id: id, body } = JSON.parse(bytes?.toString('utf8') ?? '');
				entries.push({ id, work: body });
			}
			known = { entries, outcomes: new Map(), shards: new Set(), isEnded: false };
			this.#known.set(record.id, known);
		}
		const { outcomes, shards, entries } = known;
		const take = async (content: AsyncIterable<Uint8Array>): Promise<void> => {
			for await (const { bytes } of fileLines(content, 16 * maxLineBytes)) {
				if (bytes === undefined) continue;
				const row = JSON.parse(bytes.toString('utf8')) as Row;
				outcomes.set(row.line - 1, outcomeOf(row));
			}
		};
		if (end !== undefined && !known.isEnded) {
			// After their time the files are gone, and what is known is how it ended.
			for (const id of [end.outputFileId, end.errorFileId])
				if (id !== undefined) await take(await files.content(person, id)).catch(ignoreMissing);
			known.isEnded = true;
		} else if (open?.manifest !== undefined)
			for (const { number } of open.manifest.shards) {
				const head = open.done.get(number);
				if (head === undefined || shards.has(number)) continue;
				await take(store.read(keys.shard({ batch: record.id, shard: number }), head.from));
				shards.add(number);
			}
		return entries.map((entry, line) => {
			const outcome = outcomes.get(line);
			if (outcome !== undefined) return { ...entry, outcome };
			return end === undefined ? entry : { ...entry, outcome: { isCancelled: true } };
		});
	}
}

const ignoreMissing = (error: unknown): void => {
	if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
};

/** @throws AppError always */
function listGone(error: unknown): never {
	if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
	throw new AppError(
		'not_found',
		'The list of the documents of this batch was deleted, so nothing is known of each of them. Their translations are among your files.',
	);
}

interface Row {
	readonly line: number;
	readonly response: {
		readonly status_code: number;
		readonly body: {
			readonly path?: string;
			readonly at?: number;
			readonly refused?: number;
			readonly texts?: DocumentCounts;
			readonly quality?: number;
			readonly usage?: { readonly characters: number };
			readonly error?: {
				readonly code: string;
				readonly message: string;
				readonly innerError?: { readonly code: string };
			};
		};
	} | null;
	readonly error: { readonly code: string; readonly message: string } | null;
}

function outcomeOf({ response, error }: Row): DocumentOutcome {
	const failed = error ?? response?.body.error;
	if (failed !== undefined && failed !== null) {
		const inner = response?.body.error?.innerError?.code;
		const { code, message } = failed;
		return { error: { code, message, ...(inner === undefined ? {} : { inner }) } };
	}
	const { path, at, usage, refused, texts, quality } = response?.body ?? {};
	return defined({ path, at, refused, texts, quality, characters: usage?.characters });
}

function knownLanguage(written: string, param: string): string {
	const known = canonicalLanguage(written);
	if (known !== undefined) return known;
	const code = param.includes('source') ? 'InvalidSourceLanguage' : 'InvalidTargetLanguage';
	throw wrong(unknownLanguage(written), param, code);
}
