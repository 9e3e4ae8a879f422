/** How urgent a request is, as its client says: RFC 9218's `Priority: u=0…7`, of which 7 is for background work. */

import type { Context } from 'hono';
import type { AppEnv } from './env.ts';

/** What a client sends whose requests give way to everybody's. */
export const backgroundPriority = 'u=7';

/** Whether a request gives way to people who wait. */
export const isBackground = (context: Context<AppEnv>): boolean =>
	isBackgroundUrgency(context.req.header('priority'));

/** The same, of the header. An urgency that is not understood counts as the usual one. */
export const isBackgroundUrgency = (header: string | readonly string[] = ''): boolean =>
	/(?:^|,)\s*u=(\d)\s*(?:,|;|$)/.exec(String(header))?.[1] === '7';

/** The priority of work, where its size says one too. */
export const requestedPriority = (
	context: Context<AppEnv>,
	usual: 'interactive' | 'batch' = 'interactive',
): 'interactive' | 'batch' => (isBackground(context) ? 'batch' : usual);
