/** The result of a shard becomes an object of the store, however long the store stands in the way. */

import { keys, type ShardRef } from './jobTypes.ts';
import type { ObjectStore } from './objectStore.ts';
import type { Pause } from './runItem.ts';
import type { ShardRows } from './shardRows.ts';

const firstPauseMs = 500;
const maxPauseMs = 10_000;

/**
 * Writes what was computed: a full disk makes nobody compute it again. Resolves to whether it is the one that counts.
 * Rejects when the signal is aborted.
 * @param onTrouble told each time; `isFirst`, the first
 */
export async function commitShard(
	store: ObjectStore,
	shard: ShardRef,
	rows: ShardRows,
	onTrouble: (error: unknown, isFirst: boolean) => void,
	pause: Pause,
	signal: AbortSignal,
): Promise<boolean> {
	for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 2)) {
		signal.throwIfAborted();
		try {
			return await store.putIfAbsent(keys.shard(shard), rows.content());
		} catch (error) {
			onTrouble(error, pauseMs === firstPauseMs);
		}
		await pause(pauseMs, signal);
	}
}
