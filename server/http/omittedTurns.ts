/** Turns that a model was not given are counted in a response header, so that nothing is left out silently. */

import type { Context } from 'hono';
import type { AppEnv } from './env.ts';

const omittedTurnsHeader = 'x-omitted-turns';

/** Notes the number on the answer, unless it is 0. */
export function noteOmittedTurns(context: Context<AppEnv>, turns: number): void {
	if (turns > 0) context.header(omittedTurnsHeader, String(turns));
}
