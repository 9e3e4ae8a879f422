/** Speeds of an answer from another engine, as they are seen from here. */

import type { Timings } from '../../protocol/index.ts';
import type { UpstreamUsage } from '../../remote/upstreams/chatObject.ts';

/** Milliseconds, monotonic. */
export interface UpstreamMoments {
	readonly begunAt: number;
	/** When the first piece came; `undefined` when none did. */
	readonly firstAt: number | undefined;
	readonly endedAt: number;
}

export function upstreamTimings(
	{ begunAt, firstAt, endedAt }: UpstreamMoments,
	usage: Omit<UpstreamUsage, 'reasoningTokens'>,
): Timings {
	const promptMs = (firstAt ?? endedAt) - begunAt;
	const answerMs = endedAt - (firstAt ?? endedAt);
	const perSecond = (tokens: number, ms: number) => (ms > 0 ? (tokens * 1000) / ms : 0);
	const readTokens = usage.promptTokens - usage.cachedTokens;
	return {
		prompt_n: readTokens,
		prompt_ms: promptMs,
		prompt_per_second: perSecond(readTokens, promptMs),
		predicted_n: usage.completionTokens,
		predicted_ms: answerMs,
		predicted_per_second: perSecond(usage.completionTokens, answerMs),
		cache_n: usage.cachedTokens,
		load_ms: 0,
		queue_ms: 0,
	};
}
