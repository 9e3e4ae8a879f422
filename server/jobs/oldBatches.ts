/** Takes away what is kept no longer: ended batches, their parts, keys of idempotency, files whose time is over. */

import { setTimeout as sleep } from 'node:timers/promises';
import { sentenceOf } from '../protocol/index.ts';
import type { Logger } from '../services/logger.ts';
import { dropUnusedFiles } from './finishBatch.ts';
import { type BatchEnd, type BatchRecord, keys } from './jobTypes.ts';
import { type ObjectStore, readJsonObject } from './objectStore.ts';
import { isBatchId } from './personBatches.ts';
import { removeAll, removeBatch } from './removeBatch.ts';
import { type Settle, type StoredFiles, timeOfId, usualSettle } from './storedFiles.ts';

/** The rows of an ended batch are in its files; its parts stay for those who were late to hear of its end. */
const partsMs = 24 * 3600_000;
const everyMs = 3600_000;

export interface OldBatchesDeps {
	readonly store: ObjectStore;
	readonly files: StoredFiles;
	/** Days that ended batches are kept. */
	readonly keepDays: number;
	/** Milliseconds since 1970. */
	readonly now: () => number;
	readonly log: Logger;
	/** A batch that nobody knew to be under way is. */
	readonly onOpen?: () => void;
	/** See {@link StoredFiles.sweep}. */
	readonly settle?: Settle;
}

/** Looks now and every hour, until the signal is aborted. */
export async function sweepFromTimeToTime(
	deps: OldBatchesDeps,
	signal: AbortSignal,
): Promise<void> {
	while (!signal.aborted) {
		await sweepOld(deps, signal).catch((error) => {
			if (!signal.aborted)
				deps.log.warn('old batches are still kept', { reason: sentenceOf(error) });
		});
		await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {});
	}
}

/** Whether the request that did not make it has come again meanwhile. */
const isMade = async (store: ObjectStore, id: string): Promise<boolean> =>
	(await store.size(keys.openBatch(id))) !== undefined ||
	(await store.size(keys.record(id))) !== undefined;

/** Batches that have anything in their folders, of those made before a time. */
async function foldersBefore(
	beforeMs: number,
	store: ObjectStore,
	signal?: AbortSignal,
): Promise<Set<string>> {
	const found = new Set<string>();
	for await (const key of store.list(keys.folders)) {
		signal?.throwIfAborted();
		const [, id = ''] = key.split('/');
		if (isBatchId(id) && timeOfId(id) < beforeMs) found.add(id);
	}
	return found;
}

/** Whoever removed these, or came with a part of them afterwards, ended in the middle of that: nobody finds them. */
async function sweepUnowned(
	unowned: Set<string>,
	{ store, settle = usualSettle }: OldBatchesDeps,
	signal?: AbortSignal,
): Promise<void> {
	if (unowned.size > 0) {
		// A request with the key of an earlier one makes the batch of that time.
		await settle(signal);
		for await (const key of store.list('batches-of/')) unowned.delete(key.split('/')[2] ?? '');
		for (const id of unowned) {
			signal?.throwIfAborted();
			if (!(await isMade(store, id))) await removeAll(store, keys.folder(id));
		}
	}
	await store.tidy?.(keys.folders, signal);
}

/** Any number of processes may do so at once. */
export async function sweepOld(deps: OldBatchesDeps, signal?: AbortSignal): Promise<void> {
	const { store, files, now, keepDays } = deps;
	const keepMs = keepDays * 86_400_000;
	// Listed before the batches of people, of which each has its entry before there is anything in its folder.
	const unowned = await foldersBefore(now() - partsMs, store, signal);
	const open = new Set<string>();
	for await (const key of store.list(keys.open)) open.add(key.slice(keys.open.length));
	for await (const key of store.list('batches-of/')) {
		signal?.throwIfAborted();
		const [, folder = '', id = ''] = key.split('/');
		unowned.delete(id);
		if (open.has(id)) continue;
		// Nothing of one that is younger is old.
		const isYoung = timeOfId(id) > now() - Math.min(keepMs, partsMs);
		const end = await readJsonObject<BatchEnd>(store, keys.end(id));
		if (end === undefined) {
			// Whoever made it, or took it away, ended in the middle of that.
			if ((await store.size(keys.record(id))) !== undefined) {
				await store.put(keys.openBatch(id), Buffer.from(' '));
				deps.onOpen?.();
			} else if (!isYoung && !(await isMade(store, id))) await removeBatch(store, folder, id);
		}
		if (end === undefined || isYoung) continue;
		const endedMs = end.at * 1000;
		if (endedMs <= now() - keepMs) await removeBatch(store, folder, id);
		else if (endedMs <= now() - partsMs) {
			await removeAll(store, keys.shards(id));
			await removeAll(store, keys.suspectsOf(id));
			const record = await readJsonObject<BatchRecord>(store, keys.record(id));
			// Another may have ended while it wrote the files of one that had ended already.
			if (record !== undefined) await dropUnusedFiles(record, store, files);
			await removeAll(store, keys.begunFiles(id));
		}
	}
	await sweepUnowned(unowned, deps, signal);
	for await (const key of store.list('again/')) {
		signal?.throwIfAborted();
		const first = await readJsonObject<{ readonly id: string }>(store, key);
		if (first === undefined || timeOfId(first.id) > now() - keepMs) continue;
		if ((await store.size(keys.record(first.id))) === undefined) await store.remove(key);
	}
	const read = new Set<string>();
	for await (const key of store.list(keys.open)) {
		signal?.throwIfAborted();
		const id = key.slice(keys.open.length);
		const record = await readJsonObject<BatchRecord>(store, keys.record(id));
		if (record !== undefined) read.add(record.inputFileId);
	}
	await files.sweep(read, signal, deps.settle);
}
