/** Fields nobody reads are named in a response header, so that nothing is ignored silently. */

import type { Context } from 'hono';
import type { Parser } from '../protocol/parser.ts';
import type { AppEnv } from './env.ts';

export const ignoredHeader = 'x-ignored-parameters';

/** Parses a body and notes what of it means nothing here. */
export function parseBody<T>(context: Context<AppEnv>, body: unknown, parser: Parser<T>): T {
	const parsed = parser.parse(body, '');
	nameIgnored(context, parser.unread?.(body, '') ?? []);
	return parsed;
}

/** Names fields that nobody reads in the answer's header. */
export function nameIgnored(context: Context<AppEnv>, names: readonly string[]): void {
	const shown = names.slice(0, 20).map((name) => name.replace(/[^\w.-]/g, '_').slice(0, 60));
	if (shown.length > 0) context.header(ignoredHeader, shown.join(', '), { append: true });
}
