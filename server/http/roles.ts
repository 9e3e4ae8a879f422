/**
 * Who may call which route. This is the one place that says it; the guard enforces it on the routes a
 * request has matched, so spellings of a path do not matter. The owner, who shows the key, may call every
 * route, and a route that stands in no list here is the owner's alone.
 */

import { AppError } from '../protocol/index.ts';
import { privateTranslatorBase, translatorBases, translatorOperations } from './translatePaths.ts';

/**
 * `owner` shows the key; `studio` is a page that was opened by the owner's link; `member` comes through a
 * sign-in layer, signed in or not; `local` is a program of this machine that shows no key.
 */
export type Caller = 'owner' | 'studio' | 'member' | 'local';

const customEndpoint = '/:endpoint{cognitiveservices[A-Za-z0-9.-]*}';

/** Inference, lists without paths, pages: what the people of a team may do. */
const memberRoutes: readonly string[] = [
	'GET /',
	'GET /studio/:file{[\\w.-]+\\.(?:js|css)}',
	'GET /health',
	'GET /openapi.json',
	'GET /v1/models',
	'GET /v1/models/:id{.+}',
	'POST /v1/chat/completions',
	'POST /v1/chat/completions/tokenizer/encode/count',
	'POST /v1/completions',
	'POST /v1/embeddings',
	'POST /v1/responses',
	'POST /v1/audio/transcriptions',
	'POST /v1/audio/translations',
	'POST /tokenize',
	'POST /detokenize',
	'GET /api/version',
	'GET /api/tags',
	'POST /api/show',
	'GET /svc/list',
	'GET /foundry/list',
	'GET /openai/models',
	'GET /openai/loadedmodels',
	'GET /models/loaded',
	...translatorBases.flatMap(translatorRoutes),
	'ALL /sts/v1.0/issueToken',
	`ALL ${customEndpoint}/sts/v1.0/issueToken`,
	'POST /libretranslate/translate',
	'POST /libretranslate/detect',
	'GET /libretranslate/languages',
	'POST /documents/translate',
];

/** What the studio page calls with its token, and nothing else. */
const studioRoutes: readonly string[] = [
	'GET /v1/models',
	'POST /v1/chat/completions',
	'POST /v1/chat/completions/tokenizer/encode/count',
	'POST /v1/audio/transcriptions',
	'POST /v1/audio/translations',
	'POST /documents/translate',
	'ALL /languages',
	`ALL ${privateTranslatorBase}/translate`,
	'GET /openai/load/:name{.+}',
	'GET /openai/unload/:name{.+}',
	'GET /nearglot/models/list',
	'POST /nearglot/models/download',
	'POST /nearglot/models/remove',
];

/** Pages a link elsewhere may lead to: they show themselves and do nothing before somebody acts on them. */
const pageRoutes: ReadonlySet<string> = new Set(['GET /', 'GET /recorder']);

/** What programs of this machine may call without the key, unless the server wants it for everything. */
const localRoutes: readonly string[] = [
	...memberRoutes,
	'GET /metrics',
	'GET /status',
	'GET /openai/status',
	'GET /foundry/cache',
	'POST /openai/download',
	'GET /openai/load/:name{.+}',
	'GET /models/load/:name{.+}',
	'GET /openai/unload/:name{.+}',
	'GET /models/unload/:name{.+}',
	'GET /openai/unloadall',
	'GET /openai/getgpudevice',
	'GET /openai/setgpudevice/:id',
	// A ticket or the token of one page stands for the key here.
	'POST /studio/claim',
	'GET /recorder',
	'POST /recorder/claim',
	'POST /recorder/audio',
	'POST /recorder/state',
	'GET /recorder/events',
];

/** What needs the key. */
export const ownerRoutes: readonly string[] = [
	'POST /nearglot/studio',
	'POST /nearglot/recorder',
	'POST /nearglot/shutdown',
	'GET /nearglot/runners',
	'GET /nearglot/models/list',
	'GET /nearglot/models/gpus',
	'GET /nearglot/models/suggest',
	...[
		'download',
		'pause',
		'remove',
		'pin',
		'draft',
		'register',
		'unregister',
		'move',
		'import',
		'refresh',
	].map((name) => `POST /nearglot/models/${name}`),
	'GET /nearglot/secrets/names',
	'POST /nearglot/secrets/set',
	'POST /mcp',
	...translatorRoutes(privateTranslatorBase),
];

/** Routes as `METHOD /path`, the path as it was registered, of everybody but the owner. */
export const routesOf: Readonly<Record<Exclude<Caller, 'owner'>, ReadonlySet<string>>> = {
	member: new Set(memberRoutes),
	studio: new Set(studioRoutes),
	local: new Set(localRoutes),
};

function translatorRoutes(base: string): string[] {
	return translatorOperations.map((operation) => `ALL ${base}/${operation}`);
}

/** A handler that a request has matched. */
export interface MatchedRoute {
	readonly method: string;
	readonly path: string;
}

/** Steps that every request goes through stand in no list. */
export const isStep = ({ method, path }: MatchedRoute): boolean =>
	method === 'ALL' && path === '/*';

/** Whether a request has matched a page, and nothing else. */
export function arePages(matched: readonly MatchedRoute[]): boolean {
	const routes = matched.filter((route) => !isStep(route));
	return (
		routes.length > 0 && routes.every(({ method, path }) => pageRoutes.has(`${method} ${path}`))
	);
}

/**
 * Lets a request on when its caller may use every route it has matched.
 * @throws AppError `forbidden` for members and studio pages, `invalid_api_key` for programs without the key
 */
export function checkRole(caller: Caller, matched: readonly MatchedRoute[]): void {
	if (caller === 'owner') return;
	const routes = matched.filter((route) => !isStep(route));
	if (routes.every(({ method, path }) => routesOf[caller].has(`${method} ${path}`))) return;
	throw refusals[caller]();
}

const refusals: Readonly<Record<Exclude<Caller, 'owner'>, () => AppError>> = {
	member: () =>
		new AppError(
			'forbidden',
			'This is for the owner of the model server, not for the people who sign in to it. Ask whoever runs the server.',
		),
	studio: () =>
		new AppError(
			'forbidden',
			'The studio page has no business here: its token opens only what the page does. Use the key of the server.',
		),
	local: () => new AppError('invalid_api_key', 'This route needs the key of the server.'),
};
