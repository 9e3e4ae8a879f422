/** Removes all of one person when an operator says so. */

import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../protocol/index.ts';
import { keys } from './jobTypes.ts';
import { type ObjectStore, readJsonObject } from './objectStore.ts';
import type { Batches } from './personBatches.ts';
import { removeAll, removeBatch } from './removeBatch.ts';
import { personFolder, timeOfId } from './storedFiles.ts';

export interface ForgottenJobs {
	readonly batches: number;
	readonly files: number;
}

export interface ForgetDeps {
	readonly store: ObjectStore;
	readonly batches: Batches;
	/** How long a batch that was cancelled may take to end. */
	readonly timeoutMs?: number;
	/** How often it is looked at. */
	readonly pollMs?: number;
	/** Milliseconds since 1970. */
	readonly now?: () => number;
}

/** For so long after it was made a batch may be under way that nobody lists as such. */
const unsaidMs = 86_400_000;

/**
 * Cancels what is under way, waits for its end, and removes batches, results, uploaded files and the keys of
 * idempotency. What could not be removed is still there for the next call, which has less to do.
 * @param until what was made later stays; milliseconds since 1970
 * @throws AppError `conflict` for a batch that does not end in time, `store_unavailable`
 */
export async function forgetJobs(
	person: string,
	deps: ForgetDeps,
	signal: AbortSignal,
	until = Number.POSITIVE_INFINITY,
): Promise<ForgottenJobs> {
	const { store } = deps;
	const folder = personFolder(person);
	const ids = (await batchIds(folder, store)).filter((id) => timeOfId(id) <= until);
	// Those that have ended go at once: however slow the store is, each call gets further than the one before.
	const open = await openIds(store);
	const remove = async (id: string): Promise<void> => {
		signal.throwIfAborted();
		await removeBatch(store, folder, id);
	};
	const under = ids.filter((id) => open.has(id));
	for (const id of under) await cancelled(person, id, deps, signal);
	for (const id of ids) if (!open.has(id)) await removeEnded(person, id, deps, remove, signal);
	for (const id of under) {
		await end(person, id, deps, signal);
		await remove(id);
	}
	let files = 0;
	for await (const key of store.list(keys.filesOf(folder))) {
		signal.throwIfAborted();
		const id = key.slice(keys.filesOf(folder).length);
		if (timeOfId(id) > until) continue;
		await store.remove(keys.fileContent(id));
		await store.remove(key);
		files++;
	}
	if (until === Number.POSITIVE_INFINITY) {
		await removeAll(store, keys.againOf(folder));
		return { batches: ids.length, files };
	}
	for await (const key of store.list(keys.againOf(folder))) {
		signal.throwIfAborted();
		const first = await readJsonObject<{ readonly id: string }>(store, key);
		if (first === undefined || timeOfId(first.id) <= until) await store.remove(key);
	}
	return { batches: ids.length, files };
}

/** Removes one that nobody lists as under way; whoever made it may have ended before it said that there is work. */
async function removeEnded(
	person: string,
	id: string,
	deps: ForgetDeps,
	remove: (id: string) => Promise<void>,
	signal: AbortSignal,
): Promise<void> {
	if ((await deps.store.size(keys.end(id))) === undefined) {
		await cancelled(person, id, deps, signal);
		await end(person, id, deps, signal);
	}
	await remove(id);
}

/**
 * Cancels what is under way of one person; resolves to how many batches. What they have done so far is kept.
 * @param until those made later go on; milliseconds since 1970
 */
export async function cancelJobs(
	person: string,
	deps: ForgetDeps,
	signal: AbortSignal,
	until = Number.POSITIVE_INFINITY,
): Promise<number> {
	let count = 0;
	const { store, now = Date.now } = deps;
	const own = (await batchIds(personFolder(person), store)).filter((id) => timeOfId(id) <= until);
	const open = await openIds(store);
	// Whoever made one may have ended before it said that there is work; it is found within a day.
	const others = own.filter((id) => !open.has(id) && timeOfId(id) > now() - unsaidMs);
	for (const id of [...own.filter((id) => open.has(id)), ...others])
		if (await cancelled(person, id, deps, signal)) count++;
	return count;
}

/** Everybody's that are said to be under way. */
async function openIds(store: ObjectStore): Promise<Set<string>> {
	const ids = new Set<string>();
	for await (const key of store.list(keys.open)) ids.add(key.slice(keys.open.length));
	return ids;
}

async function batchIds(folder: string, store: ObjectStore): Promise<string[]> {
	const ids: string[] = [];
	for await (const key of store.list(keys.batchesOf(folder)))
		ids.push(key.slice(keys.batchesOf(folder).length));
	return ids;
}

/** Cancels a batch; `false` for one that was not under way. */
async function cancelled(
	person: string,
	id: string,
	{ batches }: ForgetDeps,
	signal: AbortSignal,
): Promise<boolean> {
	signal.throwIfAborted();
	try {
		await batches.cancel(person, id);
		return true;
	} catch (error) {
		// It has ended, or an earlier call has removed its record.
		if (error instanceof AppError && ['conflict', 'not_found'].includes(error.code)) return false;
		throw error;
	}
}

async function end(
	person: string,
	id: string,
	{ batches, timeoutMs = 20_000, pollMs = 50 }: ForgetDeps,
	signal: AbortSignal,
): Promise<void> {
	const until = performance.now() + timeoutMs;
	for (;;) {
		const view = await batches.get(person, id).catch((error) => {
			if (error instanceof AppError && error.code === 'not_found') return undefined;
			throw error;
		});
		if (view === undefined || view.end !== undefined) return;
		if (performance.now() > until)
			throw new AppError(
				'conflict',
				`The batch '${id}' was cancelled and has not ended within ${timeoutMs / 1000} s. Nothing was deleted; try again.`,
			);
		await sleep(pollMs, undefined, { signal });
	}
}
