/** Texts that a model was given without their end are named in a response header, so that nothing is cut silently. */

import type { Context } from 'hono';
import type { AppEnv } from './env.ts';

const truncatedHeader = 'x-truncated-inputs';
/** A header holds only so much. */
const maxPlaces = 100;

/** Notes the places of the texts on the answer, unless there are none. */
export function noteTruncated(context: Context<AppEnv>, places: readonly number[]): void {
	if (places.length > 0) context.header(truncatedHeader, places.slice(0, maxPlaces).join(', '));
}
