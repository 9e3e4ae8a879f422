/** How KV caches grow: to twice their size, in steps, up to a limit. */

import { AppError } from '../../protocol/index.ts';

const capacityStep = 64;

/**
 * New capacity of a cache, all in tokens.
 * @param capacity what it has now, less than `tokens`
 * @throws AppError `context_length_exceeded`
 */
export function grownCapacity(tokens: number, capacity: number, limit: number): number {
	if (tokens > limit)
		throw new AppError(
			'context_length_exceeded',
			`The sequence would be ${tokens} tokens long; the limit is ${limit}.`,
		);
	const doubled = Math.max(tokens, Math.min(capacity * 2, limit));
	return Math.min(limit, Math.ceil(doubled / capacityStep) * capacityStep);
}
