/** Joins a route of the contract with its handler: what a handler gets has been checked. */

import type { Context, Hono } from 'hono';
import { AppError } from '../protocol/index.ts';
import { check } from '../protocol/routes/check.ts';
import { unreadFields } from '../protocol/routes/fields.ts';
import type { AnswerOf, BodyOf, QueryOf, Route } from '../protocol/routes/route.ts';
import type { AppEnv } from './env.ts';
import { answerJson } from './jsonAnswer.ts';
import { isJson, readBytes, readJson } from './requestBody.ts';
import { nameIgnored } from './unknownFields.ts';
import { withoutLoadFields } from './withoutLoadFields.ts';

/** One request to a route. */
export interface Call<R extends Route> {
	readonly context: Context<AppEnv, R['path']>;
	/** As the route's schema reads it. */
	readonly body: BodyOf<R>;
	readonly query: QueryOf<R>;
	/** Aborted when the client goes, the body comes too slowly or the server ends. */
	readonly signal: AbortSignal;
	/** The JSON answer that the route declares. */
	answer(value: AnswerOf<R>): Promise<Response>;
}

export type Handler<R extends Route> = (
	call: Call<R>,
	next: () => Promise<void>,
) => Response | Promise<Response | undefined>;

export interface RegisterOptions {
	/** Throws `overloaded` when there is no room for such a request: asked before its body is read. */
	readonly checkRoom?: (context: Context<AppEnv>) => void;
}

/**
 * Registers the handler of a route. Who may call it is decided before (guard.ts), then the query and a JSON body
 * are checked; fields of the body that nobody reads, and those that this caller may not set, are named in
 * `x-ignored-parameters`.
 *
 * @example
 * register(app, pauseDownload, async ({ body, answer }) =>
 * 	answer({ paused: await models.downloads.pause(body.model) }),
 * );
 */
export function register<R extends Route>(
	app: Hono<AppEnv>,
	route: R,
	handler: Handler<R>,
	{ checkRoom }: RegisterOptions = {},
): void {
	app.on(route.method, route.path, async (context, next) => {
		checkRoom?.(context);
		const query = route.query && check(route.query, context.req.query());
		const body = await bodyOf(context, route);
		const response = await handler(
			{
				context: context as Context<AppEnv, R['path']>,
				query: query as QueryOf<R>,
				body: body as BodyOf<R>,
				signal: context.get('signal'),
				answer: (value) => answerJson(context, value),
			},
			next,
		);
		return response;
	});
}

async function bodyOf(context: Context<AppEnv>, { body }: Route): Promise<unknown> {
	if (body?.kind !== 'json') return undefined;
	if (body.orBytes !== undefined && !isJson(context)) {
		if (!context.get('admitted')) throw new AppError('invalid_api_key');
		return await readBytes(context, body.orBytes);
	}
	const sent = await readJson(context, body.limits);
	const read = check(body.schema, sent);
	const unread = unreadFields(body.schema, sent);
	const [first] = unread;
	if (body.strict && first !== undefined)
		throw new AppError(
			'unsupported_parameter',
			`'${first.slice(0, 100)}' is no field of this route, so nothing was changed. /openapi.json names those that are.`,
			{ param: first.slice(0, 100) },
		);
	nameIgnored(context, unread);
	return withoutLoadFields(context, read);
}
