/** Batches of texts to be embedded, found again by what they are of. */

import { hash } from 'node:crypto';
import type { DaemonConnection } from '../daemon/daemonConnection.ts';
import { AppError, setFormFile } from '../protocol/index.ts';
import {
	createBatch,
	deleteFile,
	fileContent,
	listBatches,
	uploadFile,
} from '../protocol/routeAddresses.ts';
import type { BatchAnswer } from '../protocol/routes/batches.ts';
import { followedBatch } from './followedBatch.ts';

/** Texts that make one batch. */
export interface TextPart {
	readonly ids: readonly (string | number)[];
	readonly texts: readonly string[];
	/** Of these texts and those before them. */
	readonly mark: string;
}

export interface EmbeddedPart {
	/** Base64 of little-endian 32-bit floats, or `undefined` for a text that failed. */
	readonly vectors: readonly (string | undefined)[];
	/** How many texts lost their end. */
	readonly truncated: number;
	/** Why texts failed, by their place. */
	readonly problems: ReadonlyMap<number, string>;
}

export interface EmbeddingBatchesOptions {
	readonly daemon: DaemonConnection;
	readonly signal: AbortSignal;
	/** Shown in the list of batches. */
	readonly name: string;
	/** Body of every request, without its texts. */
	readonly body: { readonly model: string } & Readonly<Record<string, unknown>>;
}

const endpoint = '/v1/embeddings' as const;
const requestTexts = 16;
const keepS = 7 * 86_400;

interface Row {
	readonly custom_id: string;
	readonly response: {
		readonly body: {
			readonly data?: readonly { readonly index: number; readonly embedding: string }[];
			readonly truncated?: readonly number[];
			readonly error?: { readonly message?: string };
		};
	} | null;
	readonly error?: { readonly message?: string } | null;
}

export class EmbeddingBatches {
	readonly #options: EmbeddingBatchesOptions;
	/** By their marks; those that need not be run again. */
	#known: Map<string, BatchAnswer> | undefined;
	readonly #open = new Set<string>();
	readonly #files = new Set<string>();
	#isBeginning = false;

	constructor(options: EmbeddingBatchesOptions) {
		this.#options = options;
	}

	/** Whether batches are under way that nobody has taken yet. */
	get isBusy(): boolean {
		return this.#isBeginning || this.#open.size > 0;
	}

	/** @returns id of the batch of these texts that was begun before, or of a new one */
	async begin(part: TextPart): Promise<string> {
		const { daemon, signal, name, body } = this.#options;
		const mark = hash('sha256', `${JSON.stringify(body)} ${part.mark}`, 'hex');
		const known = (await this.#batches()).get(mark);
		let id = known?.id;
		if (id === undefined) {
			const form = new FormData();
			form.append('purpose', 'batch');
			form.append('expires_after[anchor]', 'created_at');
			form.append('expires_after[seconds]', String(keepS));
			setFormFile(form, new Blob(requests(part.texts, body)), `${name}.jsonl`);
			const file = await daemon.call(uploadFile, { body: form }, { signal });
			const asked = {
				...{ input_file_id: file.id, endpoint, completion_window: '7d' },
				metadata: { name: name.slice(0, 200), texts: mark },
			};
			this.#isBeginning = true;
			({ id } = await daemon.call(createBatch, { body: asked }, { signal }));
			this.#isBeginning = false;
		}
		this.#open.add(id);
		return id;
	}

	/**
	 * Waits for a batch and fetches its vectors.
	 * @param onProgress told how many texts are done, more or less
	 */
	async take(id: string, onProgress: (texts: number) => void): Promise<EmbeddedPart> {
		const { daemon, signal } = this.#options;
		let last: BatchAnswer | undefined;
		for await (const batch of followedBatch(daemon, id, signal)) {
			last = batch;
			const { completed, failed } = batch.request_counts;
			onProgress((batch.progress?.items ?? completed + failed) * requestTexts);
		}
		if (last?.status !== 'completed')
			throw new AppError(
				'conflict',
				`The batch ${id} is ${last?.status ?? 'gone'}${last?.errors?.data[0] === undefined ? '' : `: ${last.errors.data[0].message}`}. The same command begins it anew.`,
			);
		this.#open.delete(id);
		const vectors: (string | undefined)[] = [];
		const problems = new Map<number, string>();
		let truncated = 0;
		for (const file of [last.output_file_id, last.error_file_id])
			for (const { custom_id, response, error } of await this.#rows(file)) {
				const from = Number(custom_id);
				for (const { index, embedding } of response?.body.data ?? [])
					vectors[from + index] = embedding;
				truncated += response?.body.truncated?.length ?? 0;
				const said = response?.body.error?.message ?? error?.message;
				if (said !== undefined)
					for (let at = from; at < from + requestTexts; at++) problems.set(at, said);
			}
		for (const file of [last.input_file_id, last.output_file_id, last.error_file_id])
			if (file !== null) this.#files.add(file);
		return { vectors, truncated, problems };
	}

	/** What the server need not keep any more; it would go by itself after a week. */
	async remove(): Promise<void> {
		const { daemon, signal } = this.#options;
		for (const id of this.#files)
			await daemon.call(deleteFile, { params: { id } }, { signal }).catch(() => {});
	}

	async #rows(id: string | null): Promise<readonly Row[]> {
		if (id === null) return [];
		const { daemon, signal } = this.#options;
		const answer = await daemon.open(fileContent, { params: { id } }, { signal });
		const lines = (await answer.text()).split('\n').filter((line) => line !== '');
		return lines.map((line) => JSON.parse(line) as Row);
	}

	/** Batches that are under way, and those all of whose rows are there. */
	async #batches(): Promise<Map<string, BatchAnswer>> {
		if (this.#known !== undefined) return this.#known;
		const { daemon, signal } = this.#options;
		const known = new Map<string, BatchAnswer>();
		for (let after: string | undefined; ; ) {
			const query = { limit: '100', ...(after === undefined ? {} : { after }) };
			const page = await daemon.call(listBatches, { query }, { signal });
			for (const batch of page.data) {
				const mark = batch.metadata?.['texts'];
				// One that tries another again has only what had failed.
				const isWhole = batch.metadata?.['retry_of'] === undefined;
				if (mark !== undefined && isWhole && !known.has(mark) && (await this.#isOfUse(batch)))
					known.set(mark, batch);
			}
			after = page.last_id ?? undefined;
			if (!page.has_more || after === undefined) break;
		}
		this.#known = known;
		return known;
	}

	async #isOfUse(batch: BatchAnswer): Promise<boolean> {
		if (['failed', 'expired', 'cancelled', 'cancelling'].includes(batch.status)) return false;
		if (batch.status !== 'completed') return true;
		const { daemon, signal } = this.#options;
		if (batch.request_counts.failed > 0 || batch.output_file_id === null) return false;
		const params = { id: batch.output_file_id };
		const isThere = await daemon
			.open(fileContent, { params }, { signal })
			.then((answer) => answer.body?.cancel())
			.then(() => true)
			.catch(() => false);
		return isThere;
	}
}

/** Lines of the file of a batch. */
function requests(texts: readonly string[], body: Readonly<Record<string, unknown>>): string[] {
	const lines: string[] = [];
	for (let from = 0; from < texts.length; from += requestTexts)
		lines.push(
			`${JSON.stringify({
				...{ custom_id: String(from), method: 'POST', url: endpoint },
				body: { ...body, input: texts.slice(from, from + requestTexts) },
			})}\n`,
		);
	return lines;
}
