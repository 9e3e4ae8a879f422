/** When a client goes away: one AbortSignal per request, over a socket or without one. */

import type { Context } from 'hono';
import type { AppEnv } from './env.ts';

/** Aborted when the connection closes before the answer was written completely. */
export function requestSignal(context: Context<AppEnv>): AbortSignal {
	const outgoing = context.env?.outgoing;
	if (!outgoing) return context.req.raw.signal;
	const stop = new AbortController();
	outgoing.once('close', () => {
		if (!outgoing.writableFinished) stop.abort();
	});
	return stop.signal;
}
