/** Options and counters of a scheduler. */

import type { Sampler } from '../sample/sampler.ts';
import type { DraftProposer } from './draftProposer.ts';
import type { Generation } from './generation.ts';
import type { WaitingLimits } from './requestQueue.ts';

export interface SchedulerOptions extends WaitingLimits {
	/** Bytes all caches may take together. */
	readonly cacheBytes: number;
	/** Maximum sequences computed at the same time. */
	readonly maxRunning: number;
	readonly prefixCache?: boolean;
	/** Off, or what proposes tokens for a new sequence. */
	readonly speculation?: false | ((sequence: { readonly choice: number }) => DraftProposer);
}

/** A request with everything needed to start it. */
export interface Submission {
	readonly generation: Generation;
	/** One sampler per choice. */
	readonly samplers: readonly Sampler[];
	readonly priority: 'interactive' | 'batch';
	/** Tokens it is expected to read and write. */
	readonly expectedTokens: number;
}

export interface SchedulerCounters {
	promptTokens: number;
	cachedTokens: number;
	generatedTokens: number;
	drafted: number;
	accepted: number;
}
