/** How KV caches grow: to twice their size, in steps, up to a limit. */

import { AppError } from '../../protocol/index.ts';

/** Positions of all sequences. */
const capacityStep = 64;

/**
 * New capacity of a cache, all in tokens of a sequence.
 * @param capacity what it has now, less than `tokens`
 * @throws AppError `context_length_exceeded`
 */
export function grownCapacity(
	tokens: number,
	capacity: number,
	limit: number,
	sequences = 1,
): number {
	if (tokens > limit)
		throw new AppError(
			'context_length_exceeded',
			`The sequence would be ${tokens} tokens long; the limit is ${limit}.`,
		);
	const doubled = Math.max(tokens, Math.min(capacity * 2, limit));
	const step = Math.ceil(capacityStep / sequences);
	return Math.min(limit, Math.ceil(doubled / step) * step);
}
