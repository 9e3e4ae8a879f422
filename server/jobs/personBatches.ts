/** Batches of people: made, listed, watched, paused, cancelled, tried again. Their work is done by whoever has the queue. */

import { hash } from 'node:crypto';
import { AppError } from '../protocol/index.ts';
import type { JobLimits } from './batchLimits.ts';
import { windowSeconds } from './completionWindow.ts';
import { noBatch } from './finishBatch.ts';
import {
	type BatchEnd,
	type BatchEndpoint,
	type BatchRecord,
	batchVersion,
	documentEndpoint,
	type JobOwner,
	keys,
} from './jobTypes.ts';
import { jsonContent, type ObjectStore, readJsonObject } from './objectStore.ts';
import { OpenBatch } from './openBatch.ts';
import { removeBatch } from './removeBatch.ts';
import { undoneLines } from './retryBatch.ts';
import {
	type ListPage,
	type ListRange,
	listPage,
	personFolder,
	type StoredFiles,
	timedId,
} from './storedFiles.ts';

export interface NewBatch {
	readonly inputFileId: string;
	readonly endpoint: BatchEndpoint;
	readonly completionWindow: string;
	readonly metadata?: Readonly<Record<string, string>>;
	/** See {@link BatchRecord.outputExpiresInS}. */
	readonly outputExpiresInS?: number;
}

/** What makes a request the same one however often it is sent. */
export interface Again {
	/** Of idempotency, as it was sent. */
	readonly key: string;
	/** Hash of what is asked. */
	readonly request: string;
}

/** A batch at this moment. */
export interface BatchView {
	readonly record: BatchRecord;
	readonly end?: BatchEnd;
	/** Of one that has not ended. */
	readonly open?: OpenBatch;
}

export interface BatchesDeps {
	readonly store: ObjectStore;
	readonly files: StoredFiles;
	readonly limits: JobLimits;
	/** Milliseconds since 1970. */
	readonly now: () => number;
	/** A batch was made, or is to go another way: whoever keeps them looks at once. */
	readonly onChange: () => void;
}

/** Of metadata: which batch it tries again; how many translations one of documents has. */
export const retryField = 'retry_of';
export const translationsField = 'translations';

/** The same for the same request, in whatever order its metadata was sent. */
const requestHash = ({ metadata, ...asked }: NewBatch): string => {
	const sorted = metadata && Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1));
	const same = { ...asked, ...(sorted && { metadata: Object.fromEntries(sorted) }) };
	return hash('sha256', JSON.stringify(same), 'hex');
};

const againKey = ({ person }: JobOwner, { key }: Again): string =>
	keys.again(personFolder(person), hash('sha256', key, 'hex'));

export class Batches {
	readonly #deps: BatchesDeps;
	readonly #open = new Map<string, OpenBatch>();

	constructor(deps: BatchesDeps) {
		this.#deps = deps;
	}

	/**
	 * Makes a batch. With a key of idempotency the same request makes one batch, however often it is sent.
	 * @throws AppError `not_found` for the file, `conflict` for a key that another request had, `batch_queue_full`
	 */
	create(owner: JobOwner, asked: NewBatch, idempotencyKey?: string): Promise<BatchView> {
		const again =
			idempotencyKey === undefined
				? undefined
				: { key: idempotencyKey, request: requestHash(asked) };
		return this.#make(owner, asked, again);
	}

	/** The batch that a request with this key has made. @throws AppError `conflict` */
	async made(owner: JobOwner, again: Again): Promise<BatchView | undefined> {
		const id = await this.#madeBy(owner, again);
		const record = id === undefined ? undefined : await this.#record(id);
		return record === undefined ? undefined : this.#viewOf(record);
	}

	async #make(owner: JobOwner, asked: NewBatch, again: Again | undefined): Promise<BatchView> {
		const { store, now } = this.#deps;
		const lastsS = windowSeconds(asked.completionWindow);
		const first = again && (await this.#madeBy(owner, again));
		let known = first === undefined ? undefined : await this.#record(first);
		if (known === undefined) await this.#checkNew(owner.person, asked.inputFileId);
		const id = first ?? (await this.#idFor(owner, again));
		known ??= await this.#record(id);
		if (known !== undefined && (await store.size(keys.end(id))) !== undefined)
			return this.#viewOf(known);
		const createdAt = Math.floor(now() / 1000);
		let record: BatchRecord = known ?? {
			...{ version: batchVersion, id, owner, ...asked },
			...{ createdAt, expiresAt: createdAt + lastsS },
		};
		const folder = personFolder(owner.person);
		try {
			// First whose it is, so that what is left of it is found whenever the server ends; then what it is, then that
			// there is work. Nobody sees it before the second.
			await store.put(keys.batchOf(folder, id), Buffer.from(' '));
			// The same request, sent twice at a moment, is what the first of them says.
			if (known === undefined && !(await store.putIfAbsent(keys.record(id), jsonContent(record))))
				record = (await this.#record(id)) ?? record;
			await store.put(keys.openBatch(id), Buffer.from(' '));
		} catch (error) {
			// Nobody is told of it. With a key the same request makes it whole.
			if (again === undefined) await removeBatch(store, folder, id).catch(() => {});
			throw error;
		}
		this.#deps.onChange();
		return this.#viewOf(record);
	}

	/**
	 * Makes a batch of requests that are written here. They are kept as long as what becomes of them, and not at all
	 * when there is no room for the batch.
	 * @throws AppError `batch_queue_full`, `payload_too_large`, `disk_full`
	 */
	async createOf(
		owner: JobOwner,
		lines: AsyncIterable<Uint8Array>,
		{ filename, bytes }: { readonly filename: string; readonly bytes: number },
		asked: Omit<NewBatch, 'inputFileId'>,
		again?: Again,
	): Promise<BatchView> {
		const { files, limits } = this.#deps;
		await this.#checkRoom(owner.person);
		const expiresInS = windowSeconds(asked.completionWindow) + limits.keepDays * 86_400;
		const file = { filename, purpose: 'batch', expiresInS };
		const { id: inputFileId } = await files.upload(owner.person, lines, bytes, file);
		let isUsed = false;
		try {
			const view = await this.#make(owner, { ...asked, inputFileId }, again);
			isUsed = view.record.inputFileId === inputFileId;
			return view;
		} finally {
			if (!isUsed) await files.discard(owner.person, inputFileId).catch(() => {});
		}
	}

	/** @throws AppError `not_found` */
	async get(person: string, id: string): Promise<BatchView> {
		const record = await this.#record(id);
		if (record === undefined || record.owner.person !== person) noBatch(id);
		return this.#viewOf(record);
	}

	list(person: string, range: ListRange): Promise<ListPage<BatchView>> {
		const prefix = keys.batchesOf(personFolder(person));
		return listPage(this.#deps.store, prefix, range, isBatchId, async (id) => {
			const record = await this.#record(id);
			if (record === undefined) return undefined;
			return this.#viewOf(record).catch((error: unknown) => {
				if (error instanceof AppError && error.code === 'not_found') return undefined;
				throw error;
			});
		});
	}

	/** Ends one; what is done can be downloaded. @throws AppError `not_found`, `conflict` for one that has ended */
	async cancel(person: string, id: string): Promise<BatchView> {
		const { store, now } = this.#deps;
		const { open } = await this.#unfinished(person, id, 'cancelled');
		const at = Math.floor(now() / 1000);
		await store.putIfAbsent(keys.cancel(id), jsonContent({ at }));
		open.cancelledAt ??= at;
		open.stop.abort();
		this.#deps.onChange();
		return this.get(person, id);
	}

	/** Lets one rest, or go on. @throws AppError `not_found`, `conflict` for one that has ended */
	async pause(person: string, id: string, isPaused: boolean): Promise<BatchView> {
		const { store } = this.#deps;
		const { open } = await this.#unfinished(person, id, isPaused ? 'paused' : 'resumed');
		if (isPaused) await store.put(keys.pause(id), jsonContent({}));
		else await store.remove(keys.pause(id));
		open.setPaused(isPaused);
		this.#deps.onChange();
		return this.get(person, id);
	}

	/**
	 * A new batch of the items that have failed, and of those that a cancelled one did not come to.
	 * @throws AppError as `undoneLines` has them
	 */
	async retry(owner: JobOwner, id: string): Promise<BatchView> {
		const { record, end } = await this.get(owner.person, id);
		const { lines, bytes, count } = await undoneLines(record, end, this.#deps.files);
		const { endpoint, completionWindow, metadata = {}, outputExpiresInS } = record;
		const file = { filename: `${id}_retry.jsonl`, bytes };
		return this.createOf(owner, lines(), file, {
			...{ endpoint, completionWindow },
			...(outputExpiresInS === undefined ? {} : { outputExpiresInS }),
			metadata: {
				...metadata,
				...(endpoint === documentEndpoint ? { [translationsField]: String(count) } : {}),
				[retryField]: id,
			},
		});
	}

	/** Whether there is one that has not ended, does not rest, waits for no limit, and has nothing in its way. */
	get isBusy(): boolean {
		return [...this.#open.values()].some(
			({ isPaused, problem, isWaiting }) => !isPaused && !isWaiting && problem === undefined,
		);
	}

	/** One that has not ended, kept in memory while that is so. */
	async open(id: string): Promise<OpenBatch | undefined> {
		const { store } = this.#deps;
		const known = this.#open.get(id);
		if (known !== undefined) return known;
		const record = await this.#record(id);
		if (record === undefined || (await store.size(keys.end(id))) !== undefined) return undefined;
		const made = new OpenBatch(record, store);
		const open = this.#open.get(id) ?? made;
		this.#open.set(id, open);
		return open;
	}

	/** How many batches of a person have not ended, as far as they are known here. */
	openOf(person: string): number {
		let count = 0;
		for (const { record } of this.#open.values()) if (record.owner.person === person) count++;
		return count;
	}

	/** Those who watch it are told by its end in the store. */
	forget(id: string): void {
		this.#open.get(id)?.stop.abort();
		this.#open.delete(id);
	}

	/** Forgets those that have ended, of all but these. */
	async forgetEnded(but: ReadonlySet<string>): Promise<void> {
		const { store } = this.#deps;
		for (const id of [...this.#open.keys()]) {
			if (but.has(id)) continue;
			// One whose person was forgotten has not even a record.
			const isOver =
				(await store.size(keys.end(id))) !== undefined ||
				(await store.size(keys.record(id))) === undefined;
			if (isOver) this.forget(id);
		}
	}

	async #viewOf(record: BatchRecord): Promise<BatchView> {
		const { store } = this.#deps;
		const end = await readJsonObject<BatchEnd>(store, keys.end(record.id));
		if (end !== undefined) return { record, end };
		const open = await this.open(record.id);
		if (open === undefined) {
			// It has ended at this moment, or was removed.
			const now = await readJsonObject<BatchEnd>(store, keys.end(record.id));
			return now === undefined ? noBatch(record.id) : { record, end: now };
		}
		if (record.version <= batchVersion) await open.load(store);
		return { record, open };
	}

	async #record(id: string): Promise<BatchRecord | undefined> {
		return isBatchId(id)
			? readJsonObject<BatchRecord>(this.#deps.store, keys.record(id))
			: undefined;
	}

	async #unfinished(
		person: string,
		id: string,
		what: string,
	): Promise<{ readonly open: OpenBatch }> {
		const { open, end } = await this.get(person, id);
		if (open !== undefined) {
			// Whoever made it may have ended before it said that there is work.
			await this.#deps.store.put(keys.openBatch(id), Buffer.from(' '));
			return { open };
		}
		throw new AppError('conflict', `This batch is ${end?.status}; it cannot be ${what} any more.`);
	}

	/** The id of a new batch; the same one for the same key. */
	async #idFor(owner: JobOwner, again: Again | undefined): Promise<string> {
		const { store, now } = this.#deps;
		const id = timedId('batch_', now());
		if (again === undefined) return id;
		const content = jsonContent({ id, request: again.request });
		if (await store.putIfAbsent(againKey(owner, again), content)) return id;
		return (await this.#madeBy(owner, again)) ?? id;
	}

	/** The id that a request with this key got. @throws AppError `conflict` for one that was another request's */
	async #madeBy(owner: JobOwner, again: Again): Promise<string | undefined> {
		const first = await readJsonObject<{ id: string; request: string }>(
			this.#deps.store,
			againKey(owner, again),
		);
		if (first === undefined || first.request === again.request) return first?.id;
		throw new AppError(
			'conflict',
			'Another request has had this Idempotency-Key. Send the same request, or another key.',
		);
	}

	/** @throws AppError `not_found` for the file, `invalid_request`, `payload_too_large`, `disk_full`, `batch_queue_full` */
	async #checkNew(person: string, inputFileId: string): Promise<void> {
		const { files, limits } = this.#deps;
		const { bytes, purpose } = await files.get(person, inputFileId);
		if (purpose !== 'batch')
			throw new AppError(
				'invalid_request',
				`The file of a batch has the purpose 'batch'; '${inputFileId}' was made for '${purpose}'. Upload it with purpose=batch.`,
				{ param: 'input_file_id' },
			);
		if (bytes > limits.batchBytes)
			throw new AppError(
				'payload_too_large',
				`The file has ${Math.ceil(bytes / 1_048_576)} MB; that of a batch may have ${Math.floor(limits.batchBytes / 1_048_576)}. Split it, or raise NEARGLOT_BATCH_MB.`,
				{ param: 'input_file_id' },
			);
		// What a batch makes is kept whatever there is: about as much as it reads, it is taken to be.
		await files.checkRoom(person, bytes);
		await this.#checkRoom(person);
	}

	async #checkRoom(person: string): Promise<void> {
		const { store, limits } = this.#deps;
		let [all, own] = [0, 0];
		for await (const key of store.list(keys.open)) {
			all++;
			const open = await this.open(key.slice(keys.open.length));
			if (open?.record.owner.person === person) own++;
		}
		const max = all >= limits.openBatches ? limits.openBatches : limits.openOfPerson;
		if (all < limits.openBatches && own < limits.openOfPerson) return;
		throw new AppError(
			'batch_queue_full',
			`${max} batches are under way already. Wait until one has ended, or cancel one.`,
			{ retryAfterS: 30 },
		);
	}
}

export const isBatchId = (id: string): boolean => /^batch_[0-9a-z]{25}$/.test(id);
