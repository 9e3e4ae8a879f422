/** Whose a request is, for what must not be shared between people. */

import type { Context } from 'hono';
import type { AppEnv } from './env.ts';

/** The owner, the owner's pages, and the programs of the user this server runs as. */
export const localPerson = 'local';

/** Everybody who is neither signed in nor a program of this user; they share nothing. */
export const anonymousPerson = 'anonymous';

/**
 * An opaque, stable id of the caller for deciding what is shared and what belongs to whom: `local`,
 * `anonymous`, or `person:` and 32 hex digits from the sign-in layer's signed header.
 */
export function personOf(context: Context<AppEnv>): string {
	return context.get('person') ?? anonymousPerson;
}
