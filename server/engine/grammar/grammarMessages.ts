/** What a grammar thread and its owner say to each other. */

import type { ErrorWire } from '../../protocol/index.ts';
import type { Constraint } from '../api.ts';
import type { ReasoningTags } from '../template/reasoning.ts';
import type { ToolFormat } from '../template/toolFormat.ts';
import type { TokenTable } from './tokenTable.ts';

/** What a thread is started with. */
export interface GrammarThreadJob {
	readonly tokens: TokenTable;
	readonly format: ToolFormat;
	readonly reasoning: ReasoningTags;
	/** Name of the model, for messages. */
	readonly model: string;
}

/** A constraint to compile, with all that its grammar depends on. */
export interface GrammarRequest {
	readonly constraint: Constraint;
	readonly endTokens: readonly number[];
	/** Last piece of the prompt as text. */
	readonly promptEnd: string;
}

/**
 * Int32 fields of a position in a grammar, in memory that both sides see: how many changes are dealt
 * with, 1 when only an end token may follow, then the words of the mask.
 */
export const positionFields = { changes: 0, isTerminated: 1, mask: 2 } as const;

export type ToGrammarThread =
	| {
			readonly kind: 'start';
			readonly id: number;
			readonly key: string | undefined;
			readonly request: GrammarRequest;
			readonly position: SharedArrayBuffer;
	  }
	| { readonly kind: 'accept'; readonly id: number; readonly token: number }
	| { readonly kind: 'rollback'; readonly id: number; readonly count: number }
	| { readonly kind: 'dispose'; readonly id: number };

export type FromGrammarThread =
	| { readonly kind: 'ready' }
	/** False when the constraint does not restrict anything. */
	| { readonly kind: 'started'; readonly restricts: boolean }
	| { readonly kind: 'failed'; readonly error: ErrorWire };
