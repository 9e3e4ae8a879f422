/**
 * Answers questions about whole folders. The index of a folder is made by the first question and kept as the files
 * are from then on; vectors are made in the background while words are searched already.
 */

import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
	AppError,
	asAppError,
	type WorkspaceProgress,
	type WorkspaceSearchParams,
	type WorkspaceSearchResult,
} from '../../protocol/index.ts';
import type { Client } from '../../protocol/routeClient.ts';
import { untilAborted } from '../../services/untilAborted.ts';
import { removeDatabase } from '../../store/openSqlite.ts';
import { languageOf } from './chunkText.ts';
import type { FoundPiece } from './folderIndex.ts';
import type { IndexCounts } from './indexDatabase.ts';
import { IndexThread } from './indexThread.ts';
import { embedTexts, rerankTexts, vectorModels } from './vectorModels.ts';

export interface WorkspaceIndexesDeps {
	readonly client: Client;
	/** Folder of the databases. */
	readonly folder: string;
	readonly warn: (sentence: string) => void;
}

/** Chunks sent to the model at once. */
const batchSize = 32;
/** Changes within this time are read together. */
const gatherMs = 150;
/** Pieces a reranker reads. */
const rerankCandidates = 24;
/** Indexes nobody has used for so long are removed. */
const keptMs = 90 * 24 * 3600 * 1000;

interface OpenIndex {
	readonly folder: string;
	readonly thread: IndexThread;
	/** Files as they were when the first question came. */
	ready: Promise<unknown>;
	counts: IndexCounts;
	changed: Set<string>;
	timer?: NodeJS.Timeout;
	embedding?: Promise<void>;
}

/** One per language server. */
export class WorkspaceIndexes {
	readonly #deps: WorkspaceIndexesDeps;
	readonly #open = new Map<string, OpenIndex>();
	readonly #closed = new AbortController();

	constructor(deps: WorkspaceIndexesDeps) {
		this.#deps = deps;
	}

	/** @throws AppError `invalid_request` for what is no local folder */
	async search(
		{ folders, question, limit = 8 }: WorkspaceSearchParams,
		report: (progress: WorkspaceProgress) => void,
		signal: AbortSignal,
	): Promise<WorkspaceSearchResult> {
		const wanted = Math.min(50, Math.max(1, limit));
		const indexes = folders.map((uri) => this.#index(pathOf(uri)));
		if (indexes.length === 0)
			throw new AppError(
				'invalid_request',
				'No folder is open. Open the folder that the question is about.',
			);
		const followed = indexes.map(({ thread }) =>
			thread.subscribe((files, of) => report({ files, of })),
		);
		try {
			await untilAborted(Promise.all(indexes.map(({ ready }) => ready)), signal);
		} finally {
			for (const end of followed) end();
		}
		const models = await vectorModels(this.#deps.client, signal).catch((error: unknown) => {
			this.#deps.warn(`workspace: ${asAppError(error).message}`);
			return {} as { embedder?: string; reranker?: string };
		});
		const { embedder, reranker } = models;
		const vector = embedder && (await this.#vectorOf(embedder, question, signal));
		const candidates = reranker ? Math.max(wanted, rerankCandidates) : wanted;
		const found = await Promise.all(
			indexes.map(async ({ folder, thread }) => {
				const pieces = await thread.request('search', question, vector || undefined, candidates);
				return pieces.map((piece) => ({ ...piece, folder }));
			}),
		);
		const merged = found.flat().sort((a, b) => b.score - a.score);
		const ordered = await this.#reranked(reranker, question, merged, wanted, signal);
		for (const index of indexes) this.#embed(index, embedder);
		const sum = (field: keyof IndexCounts) =>
			indexes.reduce((total, { counts }) => total + counts[field], 0);
		return {
			pieces: ordered.pieces.map(({ folder, path, startLine, endLine, text, by }) => {
				const uri = pathToFileURL(join(folder, path)).href;
				return { uri, path, language: languageOf(path), startLine, endLine, text, by };
			}),
			...{ files: sum('files'), chunks: sum('chunks'), embedded: sum('embedded') },
			...(vector && embedder ? { embedder } : {}),
			...(ordered.by ? { reranker: ordered.by } : {}),
		};
	}

	/** Files or folders that were made, saved or removed; those of folders nobody asked about say nothing. */
	changed(uris: readonly string[]): void {
		for (const uri of uris) {
			if (!uri.startsWith('file:')) continue;
			const path = fileURLToPath(uri);
			for (const index of this.#open.values()) {
				const own = relative(index.folder, path).replaceAll('\\', '/');
				if (own === '' || own.startsWith('..') || isAbsolute(own)) continue;
				index.changed.add(own);
				index.timer ??= setTimeout(() => void this.#update(index), gatherMs);
			}
		}
	}

	/** Removes what is known of folders; the next question begins anew. */
	async forget(folders: readonly string[]): Promise<void> {
		for (const uri of folders) {
			const folder = pathOf(uri);
			const index = this.#open.get(folder);
			this.#open.delete(folder);
			clearTimeout(index?.timer);
			await index?.thread.close();
			await removeDatabase(this.#file(folder));
		}
	}

	/** Resolves when the vectors of all folders are made, or cannot be made now. */
	async settled(): Promise<void> {
		for (const index of this.#open.values()) {
			await index.ready;
			await index.embedding;
		}
	}

	async close(): Promise<void> {
		this.#closed.abort();
		await Promise.all(
			[...this.#open.values()].map(({ thread, timer }) => {
				clearTimeout(timer);
				return thread.close();
			}),
		);
		this.#open.clear();
	}

	#file(folder: string): string {
		const id = createHash('sha256').update(folder).digest('hex').slice(0, 24);
		return join(this.#deps.folder, `${id}.db`);
	}

	#index(folder: string): OpenIndex {
		const known = this.#open.get(folder);
		if (known?.thread.isRunning) return known;
		if (this.#open.size === 0) void this.#sweep();
		const thread = new IndexThread({ folder, path: this.#file(folder) });
		const index: OpenIndex = {
			...{ folder, thread, changed: new Set<string>() },
			counts: { files: 0, chunks: 0, embedded: 0 },
			ready: Promise.resolve(),
		};
		index.ready = thread.request('synchronise').then((counts) => {
			index.counts = counts;
		});
		// Whoever asked is told; nobody else waits for it.
		index.ready.catch(() => this.#open.delete(folder));
		this.#open.set(folder, index);
		return index;
	}

	async #update(index: OpenIndex): Promise<void> {
		delete index.timer;
		const paths = [...index.changed];
		index.changed.clear();
		const updated = index.ready.then(() => index.thread.request('update', paths));
		index.ready = updated.then(
			(counts) => {
				index.counts = counts;
			},
			(error: unknown) => this.#deps.warn(`workspace: ${asAppError(error).message}`),
		);
		await index.ready;
		const { signal } = this.#closed;
		const models = await vectorModels(this.#deps.client, signal).catch(() => undefined);
		this.#embed(index, models?.embedder);
	}

	async #vectorOf(
		model: string,
		question: string,
		signal: AbortSignal,
	): Promise<Float32Array | undefined> {
		try {
			const request = { model, texts: [question], are: 'question' } as const;
			return (await embedTexts(this.#deps.client, request, signal))[0];
		} catch (error) {
			// Words find most of what is looked for.
			if (signal.aborted) throw error;
			this.#deps.warn(`workspace: ${asAppError(error).message}`);
			return undefined;
		}
	}

	async #reranked<P extends FoundPiece>(
		model: string | undefined,
		question: string,
		pieces: readonly P[],
		limit: number,
		signal: AbortSignal,
	): Promise<{ readonly pieces: readonly P[]; readonly by?: string }> {
		if (model === undefined || pieces.length < 2) return { pieces: pieces.slice(0, limit) };
		const texts = pieces.map(({ path, text }) => `${path}\n${text}`);
		try {
			const order = await rerankTexts(this.#deps.client, { model, question, texts, limit }, signal);
			return { pieces: order.flatMap((at) => pieces[at] ?? []), by: model };
		} catch (error) {
			if (signal.aborted) throw error;
			this.#deps.warn(`workspace: ${asAppError(error).message}`);
			return { pieces: pieces.slice(0, limit) };
		}
	}

	/** Makes the vectors that are missing, one batch after the other, until there is none or it fails. */
	#embed(index: OpenIndex, model: string | undefined): void {
		if (model === undefined || index.embedding || this.#closed.signal.aborted) return;
		const { signal } = this.#closed;
		const work = async () => {
			for (;;) {
				const texts = await index.thread.request('toEmbed', model, batchSize);
				if (texts.length === 0 || signal.aborted) return;
				const request = { model, texts: texts.map(({ text }) => text), are: 'passage' } as const;
				const vectors = await embedTexts(this.#deps.client, request, signal);
				index.counts = await index.thread.request(
					'embed',
					texts.flatMap(({ id }, at) => {
						const vector = vectors[at];
						return vector ? [{ id, vector }] : [];
					}),
				);
			}
		};
		index.embedding = work()
			.catch((error: unknown) => {
				if (!signal.aborted) this.#deps.warn(`workspace: ${asAppError(error).message}`);
			})
			.finally(() => delete index.embedding);
	}

	async #sweep(): Promise<void> {
		const { folder, warn } = this.#deps;
		try {
			for (const name of await readdir(folder).catch(() => [])) {
				if (!name.endsWith('.db')) continue;
				const path = join(folder, name);
				const { mtimeMs } = await stat(path);
				if (Date.now() - mtimeMs > keptMs) await removeDatabase(path);
			}
		} catch (error) {
			warn(`workspace: ${asAppError(error).message}`);
		}
	}
}

function pathOf(uri: string): string {
	if (!uri.startsWith('file:'))
		throw new AppError(
			'invalid_request',
			`'${uri}' is not on this computer: only local folders can be searched.`,
		);
	return fileURLToPath(uri);
}
