/** Memory for a model that is to be loaded: idle ones end for it, and those that were replaced are waited for. */

import type { ExecutionProvider } from '../protocol/index.ts';
import type { Logger } from '../services/logger.ts';
import { untilAborted } from '../services/untilAborted.ts';
import { noRoom } from './modelErrors.ts';
import type { IndexedModel } from './modelIndex.ts';
import type { ModelSlot } from './modelSlot.ts';

export interface RoomDeps {
	/** Models in memory, or on their way there. */
	readonly slots: () => readonly ModelSlot[];
	/** Those that end with their last request, or are ending. */
	readonly leaving: ReadonlySet<ModelSlot>;
	readonly end: (slot: ModelSlot) => Promise<void>;
	readonly freeBytes: (provider: ExecutionProvider) => number | Promise<number>;
	/** All memory there is for models of a provider, however much is in use. */
	readonly totalBytes: (provider: ExecutionProvider) => number | Promise<number>;
	readonly log: Logger;
	/** Milliseconds for which those that leave are waited for. */
	readonly waitMs: number;
}

/**
 * Unloads idle models, the longest unused first, until the estimate fits.
 * @throws AppError `out_of_memory` when it does not, `cancelled`
 */
export async function makeRoom(
	{ slots, leaving, end, freeBytes, totalBytes, log, waitMs }: RoomDeps,
	model: IndexedModel,
	provider: ExecutionProvider,
	signal: AbortSignal,
): Promise<void> {
	const needed = model.description?.memoryEstimateBytes ?? 0;
	const free = await freeBytes(provider);
	if (free >= needed) return;
	const idle = slots()
		.filter((slot) => slot.loaded && slot.leases === 0 && !slot.pinned)
		.sort((left, right) => left.lastUsed - right.lastUsed);
	const refuse = async (free: number) => {
		const loaded = slots().flatMap((slot) =>
			slot.loaded && !idle.includes(slot) ? [slot.model.info.id] : [],
		);
		return noRoom(model.info.id, needed, free, loaded, await totalBytes(provider));
	};
	// Nobody's model goes for one that would not fit even then.
	const maxFree = [...idle, ...leaving].reduce((sum, slot) => sum + maxFreedBy(slot), free);
	if (maxFree < needed) throw await refuse(free);
	for (const slot of idle) {
		log.info('model unloaded to make room', { model: slot.model.info.id });
		await end(slot);
		if ((await freeBytes(provider)) >= needed) return;
	}
	const until = performance.now() + waitMs;
	for (;;) {
		const free = await freeBytes(provider);
		if (free >= needed) return;
		const leftMs = until - performance.now();
		if (leaving.size === 0 || leftMs <= 0) throw await refuse(free);
		await untilAborted(firstEnded(leaving, leftMs), signal);
	}
}

/** Bytes that are free after its end, at most: the estimate leaves out what the system and caches have of it. */
function maxFreedBy({ model }: ModelSlot): number {
	return 2 * (model.description?.memoryEstimateBytes ?? Number.POSITIVE_INFINITY);
}

/** Resolves when one of them has ended, however, or the time is over. */
async function firstEnded(leaving: Iterable<ModelSlot>, longestMs: number): Promise<void> {
	const { promise: late, resolve } = Promise.withResolvers<void>();
	const timer = setTimeout(resolve, Math.min(longestMs, 2 ** 31 - 1));
	const ends = Array.from(leaving, ({ ended }) => ended.catch(() => {}));
	try {
		await Promise.race([late, ...ends]);
	} finally {
		clearTimeout(timer);
	}
}
