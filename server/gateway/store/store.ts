/** The shared memory of the layer: ten operations, so that any key-value store can stand behind. */

import { AppError } from '../../protocol/errors.ts';

export interface StoreEntry {
	readonly key: string;
	readonly value: string;
}

export interface Store extends AsyncDisposable {
	/** How long sessions may be remembered, and so outlive their end elsewhere: 0 where asking costs next to nothing. */
	readonly staleMs: number;
	get(key: string): Promise<string | undefined>;
	set(key: string, value: string, ttlMs: number): Promise<void>;
	/**
	 * Writes `value` where exactly `expected` still stands, in one step; `undefined` deletes it. False when
	 * something else stands there, or nothing: what was ended meanwhile does not come back.
	 */
	replace(
		key: string,
		expected: string,
		value: string | undefined,
		ttlMs: number,
	): Promise<boolean>;
	/** What stands under keys that begin so, in no order; what comes or goes meanwhile may be missed. */
	entries(prefix: string): AsyncIterable<StoreEntry>;
	/** True when there was something to delete. */
	delete(key: string): Promise<boolean>;
	/** Reads and deletes in one step: of many callers exactly one gets the value. */
	take(key: string): Promise<string | undefined>;
	/** Takes a lease; false when another owner holds it. */
	lock(key: string, owner: string, ttlMs: number): Promise<boolean>;
	/** Prolongs an own lease; false when it was lost. */
	renew(key: string, owner: string, ttlMs: number): Promise<boolean>;
	unlock(key: string, owner: string): Promise<void>;
	/**
	 * Writes something of its own, as large as a session, and reads it again: a store that is full or may only be
	 * read answers questions and signs nobody in. Resolves soon or rejects, whoever else holds the store.
	 */
	prove(): Promise<void>;
}

/** Of a value that proves a store: as much as a session with the tokens of its provider takes. */
export const proofBytes = 8192;
/** Under which it stands. */
export const proofKey = 'proof';
/** Longer than any store takes to give it back. */
export const proofMs = 60_000;

/** A store failure as the error callers see: 503, never a login. */
export function storeError(cause: unknown): AppError {
	return new AppError(
		'store_unavailable',
		'The session store cannot be reached. Try again in a moment.',
		{
			retryAfterS: 2,
			cause,
		},
	);
}
