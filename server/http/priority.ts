/** How urgent a request is, as its client says: RFC 9218's `Priority: u=0…7`, of which 7 is for background work. */

import type { Context } from 'hono';
import type { AppEnv } from './env.ts';

/** What a client sends whose requests give way to everybody's. */
export const backgroundPriority = 'u=7';

/** Whether a request gives way to people who wait. An urgency that is not understood counts as the usual one. */
export function isBackground(context: Context<AppEnv>): boolean {
	const urgency = /(?:^|,)\s*u=(\d)\s*(?:,|;|$)/.exec(context.req.header('priority') ?? '')?.[1];
	return urgency === '7';
}

/** Whether somebody who has been let in may wait for what a model says. */
export const isAwaited = (context: Context<AppEnv>): boolean =>
	context.req.method === 'POST' &&
	!/^\/(?:v1\/(?:files|batches)|nearglot)\b/.test(context.req.path) &&
	!isBackground(context);

/** The priority of work, where its size says one too. */
export const requestedPriority = (
	context: Context<AppEnv>,
	usual: 'interactive' | 'batch' = 'interactive',
): 'interactive' | 'batch' => (isBackground(context) ? 'batch' : usual);
