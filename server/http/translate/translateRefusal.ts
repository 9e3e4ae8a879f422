/** Refusals that are made before a translate route is asked, in the shape of its interface: their clients read no other. */

import type { Context } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { AppError } from '../../protocol/index.ts';
import { routes } from '../../protocol/routes/routes.ts';
import { latestVersion } from '../../protocol/routes/translatorApi.ts';
import type { AppEnv } from '../env.ts';
import { documentFailure } from './documentErrors.ts';
import { libreFailure } from './libreTranslateRoutes.ts';
import { queryParam } from './translateInput.ts';
import { translatorFailure, translatorRequestId } from './translateReply.ts';

/** Routes that take keys of the hosted interface. */
const paths: ReadonlySet<string> = new Set(
	routes.flatMap((route) =>
		'translatorKeys' in route && route.translatorKeys === true ? [route.path] : [],
	),
);

/** The answer; `undefined` for a route of another interface, or of none. */
export function translateRefusal(
	context: Context<AppEnv>,
	error: AppError,
	now: Date,
): Response | undefined {
	const path = matchedRoutes(context).find((route) => paths.has(route.path))?.path;
	if (path === undefined || path.startsWith('/documents/')) return undefined;
	if (path.startsWith('/libretranslate/')) return libreFailure(error);
	if (path.startsWith('/translator/document'))
		return documentFailure(
			error,
			translatorRequestId('DOCT', now),
			context.req.header('x-ms-client-request-id'),
		);
	const query = new URL(context.req.url).searchParams;
	const isLatest = queryParam(query, 'api-version') === latestVersion;
	return translatorFailure(error, translatorRequestId('TRAN', now), isLatest);
}
