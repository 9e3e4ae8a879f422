/** Who may say where and how long a model is loaded: a model is everybody's, so a guest of the server changes nothing for others. */

import type { Context } from 'hono';
import { isRecord } from '../protocol/errorBody.ts';
import { knowsFolders } from './callerRoles.ts';
import type { AppEnv } from './env.ts';
import { nameIgnored } from './unknownFields.ts';

/** A body without what its sender may not say, which is named in the answer's header. */
export function withoutLoadFields(context: Context<AppEnv>, body: unknown): unknown {
	if (!isRecord(body) || knowsFolders(context.get('caller'))) return body;
	const ignored = loadFieldNames.filter((name) => body[name] !== undefined);
	if (ignored.length === 0) return body;
	nameIgnored(context, ignored);
	return Object.fromEntries(
		Object.entries(body).filter(([name]) => !(loadFieldNames as readonly string[]).includes(name)),
	);
}

/** `ep` and `exact` load a model once more than others use it; the rest unloads it. */
const loadFieldNames = ['ttl', 'keep_alive', 'ep', 'exact'] as const;
