/** How much a server has to do, in the few numbers by which balancers choose among several. */

import type { EngineStats } from '../engine/stats.ts';

type ModelLoad = Pick<EngineStats, 'running' | 'waiting' | 'kvBytes' | 'kvLimitBytes'>;

export interface ServerLoad {
	/** Requests that wait for a turn, in whatever queue. */
	readonly waiting: number;
	/** Sequences, texts and recordings that models work on. */
	readonly running: number;
	/** Share of the key-value caches that is taken, 0 to 1: the fullest model's. */
	readonly kvShare: number;
	readonly modelsLoaded: number;
}

/** @param queues where requests wait before they reach a model */
export function serverLoad(
	models: readonly { readonly stats: ModelLoad }[],
	queues: readonly { readonly waiting: number }[],
): ServerLoad {
	const load = { waiting: 0, running: 0, kvShare: 0, modelsLoaded: models.length };
	for (const { waiting } of queues) load.waiting += waiting;
	for (const { stats } of models) {
		load.waiting += stats.waiting;
		load.running += stats.running;
		if (stats.kvLimitBytes > 0)
			load.kvShare = Math.max(load.kvShare, Math.min(1, stats.kvBytes / stats.kvLimitBytes));
	}
	return load;
}
