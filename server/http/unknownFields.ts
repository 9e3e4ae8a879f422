/** Fields nobody reads are named in a response header, so that nothing is ignored silently. */

import type { Context } from 'hono';
import type { AppEnv } from './env.ts';

const ignoredHeader = 'x-ignored-parameters';

/** Names fields that nobody reads in the answer's header. */
export function nameIgnored(context: Context<AppEnv>, names: readonly string[]): void {
	const shown = names.slice(0, 20).map((name) => name.replace(/[^\w.-]/g, '_').slice(0, 60));
	if (shown.length > 0) context.header(ignoredHeader, shown.join(', '), { append: true });
}
