/** What a loaded model tells of itself. */

import type { ExecutionProvider, ModelNotice, ModelTask, Precision } from '../protocol/index.ts';

export interface EngineStats {
	readonly task: ModelTask;
	readonly runtime: 'c-api' | 'session.run';
	readonly executionProvider: ExecutionProvider;
	readonly precision: Precision;
	readonly running: number;
	readonly waiting: number;
	/** Requests that had their turn, that were refused because too many waited, and how long the former waited. */
	readonly admittedTotal: number;
	readonly refusedTotal: number;
	readonly waitedMsTotal: number;
	/** Sequences that hold KV cells. */
	readonly openSequences: number;
	readonly cachedPrefixes: number;
	readonly kvBytes: number;
	/** What caches of running and of finished requests may take together; 0 = nothing is kept. */
	readonly kvLimitBytes: number;
	readonly residentBytes: number;
	readonly promptTokensTotal: number;
	readonly cachedTokensTotal: number;
	readonly generatedTokensTotal: number;
	/** Drafted and accepted tokens of speculation. */
	readonly draftedTotal: number;
	readonly acceptedTotal: number;
	/** Why something slower than possible is used. */
	readonly notices?: readonly ModelNotice[];
}
