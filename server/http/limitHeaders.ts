/** How the limits of a caller stand, in the headers that clients of these interfaces read. */

import type { Context } from 'hono';
import { countedUnits } from '../protocol/limitTypes.ts';
import type { Standing } from '../services/limits/slidingCounts.ts';
import type { AppEnv } from './env.ts';

/**
 * `x-ratelimit-limit-tokens`, `-remaining-tokens`, `-reset-tokens`, the same for seconds and characters, of the period of
 * which less is left; below `/v1/messages` as Anthropic's clients read them, besides.
 */
export function nameLimits(context: Context<AppEnv>): void {
	const standings = context.get('account')?.standings ?? [];
	for (const unit of countedUnits) {
		const [tightest] = standings
			.filter(({ limit }) => limit.unit === unit)
			.sort((left, right) => shareOf(left) - shareOf(right));
		if (tightest === undefined) continue;
		const { limit, resetMs } = tightest;
		const left = Math.max(0, Math.floor(limit.size - tightest.taken));
		context.header(`x-ratelimit-limit-${unit}`, String(limit.size));
		context.header(`x-ratelimit-remaining-${unit}`, String(left));
		context.header(`x-ratelimit-reset-${unit}`, `${Math.ceil(resetMs / 1000)}s`);
		if (unit !== 'tokens' || !context.req.path.startsWith('/v1/messages')) continue;
		context.header('anthropic-ratelimit-tokens-limit', String(limit.size));
		context.header('anthropic-ratelimit-tokens-remaining', String(left));
		context.header(
			'anthropic-ratelimit-tokens-reset',
			new Date(Date.now() + resetMs).toISOString(),
		);
	}
}

/** How much of a limit is left, 0 to 1. */
const shareOf = ({ limit, taken }: Standing): number => 1 - taken / limit.size;
