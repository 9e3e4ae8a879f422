/** Who may say how long a model stays loaded: a model is everybody's, so a guest of the server changes nothing for others. */

import type { Context } from 'hono';
import { isRecord } from '../protocol/errorBody.ts';
import { knowsFolders } from './callerRoles.ts';
import type { AppEnv } from './env.ts';
import { nameIgnored } from './unknownFields.ts';

/** A body without what its sender may not say, which is named in the answer's header. */
export function withoutLoadTime(context: Context<AppEnv>, body: unknown): unknown {
	if (!isRecord(body) || knowsFolders(context.get('caller'))) return body;
	const { ttl, keep_alive: keepAlive, ...rest } = body;
	if (ttl !== undefined) nameIgnored(context, ['ttl']);
	if (keepAlive !== undefined) nameIgnored(context, ['keep_alive']);
	return rest;
}
