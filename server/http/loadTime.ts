/** Who may say how long a model stays loaded: a model is everybody's, so a guest of the server changes nothing for others. */

import type { Context } from 'hono';
import { knowsFolders } from './callerRoles.ts';
import type { AppEnv } from './env.ts';
import { nameIgnored } from './unknownFields.ts';

/** What the interfaces call it. */
const names = ['ttl', 'keep_alive'] as const;

/** A body without what its sender may not say, which is named in the answer's header. */
export function withoutLoadTime(context: Context<AppEnv>, body: unknown): unknown {
	if (typeof body !== 'object' || body === null || knowsFolders(context.get('caller'))) return body;
	const said = names.filter((name) => Object.hasOwn(body, name));
	if (said.length === 0) return body;
	const rest: Record<string, unknown> = { ...body };
	for (const name of said) delete rest[name];
	nameIgnored(context, said);
	return rest;
}
