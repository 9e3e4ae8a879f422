import type { Context } from 'hono';
import type { Bill } from '../../services/limits/account.ts';
import type { AppEnv } from '../env.ts';

/** What the operations get of a checked request. */
export interface TextCall {
	readonly context: Context<AppEnv>;
	readonly query: URLSearchParams;
	readonly requestId: string;
	readonly signal: AbortSignal;
	/** Whose texts they are; see `Owned`. */
	readonly owner: string | undefined;
	/** Takes characters from the caller's share; refuses with 403001 or 429001. */
	charge(characters: number): Promise<Bill>;
}
