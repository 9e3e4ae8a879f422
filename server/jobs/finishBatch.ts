/** The end of a batch: rows of its finished shards joined in their order into an output and an error file. */

import { AppError } from '../protocol/index.ts';
import { yieldToOthers } from '../work/yieldToOthers.ts';
import { type BatchManifest, maxLineBytes } from './batchManifest.ts';
import type { DoneView } from './doneShards.ts';
import { readItem, unrunRow } from './itemRow.ts';
import { type BatchEnd, type BatchEnding, type BatchRecord, keys, type Shard } from './jobTypes.ts';
import { fileLines } from './lines.ts';
import { jsonContent, type ObjectStore, readJsonObject } from './objectStore.ts';
import type { OpenBatch } from './openBatch.ts';
import { removeBatch } from './removeBatch.ts';
import { personFolder, type StoredFiles, timedId } from './storedFiles.ts';

export interface FinishDeps {
	readonly store: ObjectStore;
	readonly files: StoredFiles;
	/** Seconds since 1970. */
	readonly now: () => number;
	/** Seconds that the files are kept for. */
	readonly keepS: number;
	/** Aborted: the files are not written to their end, and somebody else begins them again. */
	readonly signal?: AbortSignal;
	/** Told as rows are read: it gets on. */
	onMoved?(): void;
	/** Fault point for tests: a file is written, the end is not. */
	reached?(point: 'joined'): void;
}

/** Why items that were not run were not. */
export interface Unrun {
	readonly code: string;
	readonly message: string;
	/** Each of them gets a row; otherwise the batch as a whole is said to have failed. */
	readonly hasRows: boolean;
}

/**
 * Writes the files and how the batch ended; of several processes that do so the first one's word holds.
 * @param rest of items that were not run; absent: nothing is said of them
 */
export async function finishBatch(
	batch: BatchRecord,
	manifest: BatchManifest,
	open: Pick<OpenBatch, 'done' | 'cancelledAt'> & Partial<Pick<OpenBatch, 'finalizingAt'>>,
	status: BatchEnding,
	{ store, files, now, keepS, signal, onMoved, reached }: FinishDeps,
	rest?: Unrun,
): Promise<void> {
	const { done: all, cancelledAt } = open;
	open.finalizingAt ??= now();
	const { finalizingAt } = open;
	await all.refresh();
	// Somebody may be writing one at this moment: it counts in all that is said of this end, or in nothing.
	const done = all.snapshot();
	const unrun = manifest.shards.filter(({ number }) => done.get(number) === undefined);
	const unrunItems = rest === undefined ? 0 : unrun.reduce((sum, { items }) => sum + items, 0);
	const { completed, failed } = done.counts(manifest.total);
	const written: string[] = [];
	const write = async (kind: 'output' | 'error', rows: AsyncIterable<Uint8Array>) => {
		const filename = `${batch.id}_${kind}.jsonl`;
		const id = timedId('file-', now() * 1000);
		// Whoever ends the batch, should this process not come to it, knows what to take away.
		await store.put(keys.begunFile(batch.id, id), Buffer.from(' '));
		written.push(id);
		await files.add(batch.owner.person, untilStopped(rows, signal, onMoved), {
			...{ id, filename, purpose: 'batch_output', expiresInS: batch.outputExpiresInS ?? keepS },
		});
		reached?.('joined');
		return id;
	};
	const hasErrors = failed + (rest?.hasRows === true ? unrunItems : 0) > 0;
	let outputFileId: string | undefined;
	let errorFileId: string | undefined;
	try {
		if (completed > 0)
			outputFileId = await write('output', rowsOf(store, batch, manifest, done, 'ok'));
		if (hasErrors)
			errorFileId = await write('error', errorsOf(store, batch, manifest, done, unrun, rest));
	} catch (error) {
		// It is tried again, with files of other names.
		for (const id of written) await files.discard(batch.owner.person, id).catch(() => {});
		throw error;
	}
	/** Its person was forgotten meanwhile: nothing of it stays. */
	const isForgotten = async (): Promise<boolean> => {
		if ((await store.size(keys.record(batch.id))) !== undefined) return false;
		for (const id of written) await files.discard(batch.owner.person, id);
		await removeBatch(store, personFolder(batch.owner.person), batch.id);
		return true;
	};
	if (await isForgotten()) return;
	const end: BatchEnd = {
		...{ status, at: now(), inProgressAt: manifest.at, finalizingAt, usage: done.usage },
		...(cancelledAt === undefined ? {} : { cancellingAt: cancelledAt }),
		counts: { total: manifest.total, completed, failed: failed + unrunItems },
		...(rest === undefined || rest.hasRows
			? {}
			: { problems: [{ code: rest.code, message: rest.message }] }),
		...(outputFileId === undefined ? {} : { outputFileId }),
		...(errorFileId === undefined ? {} : { errorFileId }),
	};
	await store.putIfAbsent(keys.end(batch.id), jsonContent(end));
	if (await isForgotten()) return;
	await dropUnusedFiles(batch, store, files);
	await store.remove(keys.openBatch(batch.id));
}

/** Whoever ends does not wait for gigabytes to be joined. */
async function* untilStopped(
	rows: AsyncIterable<Uint8Array>,
	signal?: AbortSignal,
	onMoved?: () => void,
): AsyncIterable<Uint8Array> {
	for await (const row of rows) {
		signal?.throwIfAborted();
		onMoved?.();
		yield row;
	}
}

/** Takes away what was written for a batch that has ended, and is not what it ended with. */
export async function dropUnusedFiles(
	{ id: batch, owner }: Pick<BatchRecord, 'id' | 'owner'>,
	store: ObjectStore,
	files: StoredFiles,
): Promise<void> {
	const end = await readJsonObject<BatchEnd>(store, keys.end(batch));
	if (end === undefined) return;
	const prefix = keys.begunFiles(batch);
	for await (const key of store.list(prefix)) {
		const file = key.slice(prefix.length);
		if (file !== end.outputFileId && file !== end.errorFileId)
			await files.discard(owner.person, file);
	}
}

async function* rowsOf(
	store: ObjectStore,
	{ id }: BatchRecord,
	{ shards }: BatchManifest,
	done: DoneView,
	kind: 'ok' | 'failed',
): AsyncIterable<Uint8Array> {
	for (const { number } of shards) {
		const head = done.get(number);
		if (head === undefined || head[kind === 'ok' ? 'completed' : 'failed'] === 0) continue;
		await yieldToOthers();
		const middle = head.from + head.okBytes;
		const key = keys.shard({ batch: id, shard: number });
		if (kind === 'ok') yield* store.read(key, head.from, middle);
		else yield* store.read(key, middle);
	}
}

async function* errorsOf(
	store: ObjectStore,
	batch: BatchRecord,
	manifest: BatchManifest,
	done: DoneView,
	unrun: readonly Shard[],
	rest: Unrun | undefined,
): AsyncIterable<Uint8Array> {
	yield* rowsOf(store, batch, manifest, done, 'failed');
	if (rest?.hasRows !== true) return;
	for (const { start, end, firstLine } of unrun) {
		const content = store.read(keys.fileContent(batch.inputFileId), start, end);
		for await (const { bytes, number } of fileLines(content, maxLineBytes, {
			byte: start,
			line: firstLine,
		})) {
			await yieldToOthers();
			const { customId } = readItem(bytes, batch.endpoint, false);
			yield Buffer.from(unrunRow(batch.id, number, customId, rest));
		}
	}
}

/** A batch whose file cannot be cut into requests. */
export async function failBatch(
	{ id }: BatchRecord,
	store: ObjectStore,
	at: number,
	problem: { readonly code: string; readonly message: string },
): Promise<void> {
	const end: BatchEnd = {
		...{ status: 'failed', at, problems: [problem] },
		...{ counts: { total: 0, completed: 0, failed: 0 }, usage: { input: 0, output: 0 } },
	};
	await store.putIfAbsent(keys.end(id), jsonContent(end));
	await store.remove(keys.openBatch(id));
}

export const expired: Unrun = {
	code: 'batch_expired',
	message: 'This request could not be run before the completion window of its batch was over.',
	hasRows: true,
};

/** Nobody can say any more which requests there were. */
export const inputGone: Unrun = {
	code: 'file_not_found',
	message: 'The file of requests was deleted before all of them were run. What was done is kept.',
	hasRows: false,
};

/** @throws AppError `not_found` always */
export function noBatch(id: string): never {
	throw new AppError('not_found', `There is no batch '${id.slice(0, 100)}' of yours.`);
}
