/** Options and counters of a scheduler. */

import type { QueuedRequest, RequestQueue } from '../queue/requestQueue.ts';
import type { Sampler } from '../sample/sampler.ts';
import type { DraftProposer } from './draftProposer.ts';
import type { Generation } from './generation.ts';

export interface SchedulerOptions {
	/** Where requests wait, counted in tokens. */
	readonly queue?: RequestQueue<Submission>;
	/** Bytes all caches may take together. */
	readonly cacheBytes: number;
	/** Maximum sequences computed at the same time. */
	readonly maxRunning: number;
	readonly prefixCache?: boolean;
	/** Off, or what proposes tokens for a new sequence. */
	readonly speculation?: false | ((sequence: { readonly choice: number }) => DraftProposer);
}

/** A request with everything needed to start it. */
export interface Submission extends QueuedRequest {
	readonly generation: Generation;
	/** One sampler per choice. */
	readonly samplers: readonly Sampler[];
	/** Tokens it is expected to read and write. */
	readonly work: number;
}

export interface SchedulerCounters {
	promptTokens: number;
	cachedTokens: number;
	generatedTokens: number;
	drafted: number;
	accepted: number;
}
