/**
 * Who may call which route. This is the one place that says it; the guard enforces it on the routes a
 * request has matched, so spellings of a path do not matter. The owner, who shows the key, may call every
 * route, and a route that stands in no row here is the owner's alone.
 */

import { AppError } from '../protocol/index.ts';
import { privateTranslatorBase, translatorBases, translatorOperations } from './translatePaths.ts';

/**
 * `owner` shows the key; `studio` is a page that was opened by the owner's link; `local` is a program of the
 * user this server runs as, on this machine, that shows no key; `member` was signed in by a sign-in layer and
 * `anonymous` comes through one without; `stranger` is everybody else: another user's program, or any program
 * without the key when the server wants it for everything.
 */
export type Caller = 'owner' | 'studio' | 'local' | 'member' | 'anonymous' | 'stranger';

/** What a route declares. */
export interface Declaration {
	/** Least role that may call it. */
	readonly role: 'anyone' | 'member' | 'owner';
	/** Who may besides: `stranger` for pages and for what checks a ticket or a credential of its own. */
	readonly also?: readonly ('studio' | 'local' | 'stranger')[];
	/** Changes something though it is a GET: other web pages can cause those. */
	readonly changes?: true;
	/** A page a link elsewhere may lead to: it shows itself and does nothing before somebody acts on it. */
	readonly linked?: true;
}

/** Holds nothing, and says nothing of the machine. */
const page: Declaration = { role: 'anyone', also: ['stranger'] };
const anyone: Declaration = { role: 'anyone' };
/** Inference, and lists without paths. */
const member: Declaration = { role: 'member' };
/** A member's, which the studio page calls too. */
const memberAndStudio: Declaration = { role: 'member', also: ['studio'] };
/** The translate interface has keys of its own, and refuses who shows none where one is wanted. */
const translator: Declaration = { role: 'member', also: ['stranger'] };
const owner: Declaration = { role: 'owner' };
const ownerAndStudio: Declaration = { role: 'owner', also: ['studio'] };
/** What the published model server gives to programs of this machine without a key. */
const local: Declaration = { role: 'owner', also: ['local'] };
const localChange: Declaration = { role: 'owner', also: ['local'], changes: true };
const studioChange: Declaration = { role: 'owner', also: ['local', 'studio'], changes: true };
/** A ticket, or the token of one page, stands for the key. */
const ticket: Declaration = { role: 'owner', also: ['local', 'stranger'] };

const customEndpoint = '/:endpoint{cognitiveservices[A-Za-z0-9.-]*}';
const ownModelChanges = ['pause', 'pin', 'draft', 'register', 'unregister', 'move', 'import'];

/** Every route as `METHOD /path`, the path as it was registered. */
export const declarations: Readonly<Record<string, Declaration>> = {
	'GET /': { ...page, linked: true },
	'GET /studio/:file{[\\w.-]+\\.(?:js|css)}': page,
	'GET /health': page,
	'GET /ready': page,
	'GET /openapi.json': anyone,

	'GET /v1/models': memberAndStudio,
	'GET /v1/models/:id{.+}': member,
	'POST /v1/chat/completions': memberAndStudio,
	'POST /v1/chat/completions/tokenizer/encode/count': memberAndStudio,
	'POST /v1/completions': member,
	'POST /v1/embeddings': member,
	'POST /v1/responses': member,
	'POST /v1/audio/transcriptions': memberAndStudio,
	'POST /v1/audio/translations': memberAndStudio,
	'POST /tokenize': member,
	'POST /detokenize': member,
	'GET /api/version': member,
	'GET /api/tags': member,
	'POST /api/show': member,
	'GET /svc/list': member,
	'GET /foundry/list': member,
	'GET /openai/models': member,
	'GET /openai/loadedmodels': member,
	'GET /models/loaded': member,
	...translatorRows(translatorBases.slice(1), translator),
	...translatorRows([''], translator),
	'ALL /languages': { role: 'member', also: ['studio', 'stranger'] },
	'ALL /sts/v1.0/issueToken': translator,
	[`ALL ${customEndpoint}/sts/v1.0/issueToken`]: translator,
	'POST /libretranslate/translate': translator,
	'POST /libretranslate/detect': translator,
	'GET /libretranslate/languages': translator,
	'POST /documents/translate': memberAndStudio,

	'GET /status': local,
	'GET /openai/status': local,
	'GET /foundry/cache': local,
	// What may be downloaded without the key, the route says: models of the catalogue.
	'POST /openai/download': local,
	'GET /openai/load/:name{.+}': studioChange,
	'GET /models/load/:name{.+}': localChange,
	'GET /openai/unload/:name{.+}': studioChange,
	'GET /models/unload/:name{.+}': localChange,
	'GET /openai/unloadall': localChange,
	'GET /openai/getgpudevice': local,
	'GET /openai/setgpudevice/:id': localChange,

	'POST /studio/claim': ticket,
	'GET /recorder': { ...ticket, linked: true },
	'POST /recorder/claim': ticket,
	'POST /recorder/audio': ticket,
	'POST /recorder/state': ticket,
	'GET /recorder/events': ticket,

	'GET /metrics': owner,
	'POST /nearglot/studio': owner,
	'POST /nearglot/recorder': owner,
	'POST /nearglot/shutdown': owner,
	'GET /nearglot/runners': owner,
	'GET /nearglot/models/list': ownerAndStudio,
	'GET /nearglot/models/gpus': owner,
	'GET /nearglot/models/suggest': owner,
	'POST /nearglot/models/download': ownerAndStudio,
	'POST /nearglot/models/remove': ownerAndStudio,
	'POST /nearglot/models/refresh': owner,
	...Object.fromEntries(ownModelChanges.map((name) => [`POST /nearglot/models/${name}`, owner])),
	'GET /nearglot/secrets/names': owner,
	'POST /nearglot/secrets/set': owner,
	'POST /mcp': owner,
	...translatorRows([privateTranslatorBase], owner),
	[`ALL ${privateTranslatorBase}/translate`]: ownerAndStudio,
};

function translatorRows(bases: readonly string[], declaration: Declaration) {
	return Object.fromEntries(
		bases.flatMap((base) =>
			translatorOperations.map((operation) => [`ALL ${base}/${operation}`, declaration] as const),
		),
	);
}

const declarationOf = (route: string): Declaration =>
	Object.hasOwn(declarations, route) ? (declarations[route] ?? owner) : owner;

/** Whether a caller may use a route, named as in {@link declarations}. */
export function mayCall(caller: Caller, route: string): boolean {
	const { role, also = [] } = declarationOf(route);
	switch (caller) {
		case 'owner':
			return true;
		case 'anonymous':
			return role === 'anyone';
		case 'member':
			return role !== 'owner';
		case 'local':
			return role !== 'owner' || also.includes('local');
		case 'studio':
		case 'stranger':
			return also.includes(caller);
	}
}

/** Whether a caller may read where things lie on this machine. Who does not own it gets names only. */
export const knowsFolders = (caller: Caller | undefined): boolean =>
	caller === 'owner' || caller === 'studio' || caller === 'local';

/** A handler that a request has matched. */
export interface MatchedRoute {
	readonly method: string;
	readonly path: string;
}

/** Steps that every request goes through stand in no row. */
export const isStep = ({ method, path }: MatchedRoute): boolean =>
	method === 'ALL' && path === '/*';

const nameOf = ({ method, path }: MatchedRoute): string => `${method} ${path}`;

/** Whether a request that has matched these routes changes something though it is a GET (or HEAD). */
export const changesByGet = (matched: readonly MatchedRoute[]): boolean =>
	matched.some((route) => declarationOf(nameOf(route)).changes === true);
/** Whether a request has matched a page, and nothing else. */
export function arePages(matched: readonly MatchedRoute[]): boolean {
	const routes = matched.filter((route) => !isStep(route));
	return routes.length > 0 && routes.every((route) => declarationOf(nameOf(route)).linked === true);
}

/**
 * Lets a request on when its caller may use every route it has matched. `reason` is what a stranger is told.
 * @throws AppError `forbidden` for members and studio pages, `invalid_api_key` for who could show a key
 */
export function checkRole(
	{ caller, reason }: { readonly caller: Caller; readonly reason?: string },
	matched: readonly MatchedRoute[],
): void {
	if (caller === 'owner') return;
	const routes = matched.filter((route) => !isStep(route));
	// That there is no such route is told to nobody who may not ask for any.
	const known = routes.length > 0 || (caller !== 'stranger' && caller !== 'anonymous');
	if (known && routes.every((route) => mayCall(caller, nameOf(route)))) return;
	throw refusals[caller](reason);
}

const refusals: Readonly<Record<Exclude<Caller, 'owner'>, (reason?: string) => AppError>> = {
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
	anonymous: () =>
		new AppError(
			'invalid_api_key',
			'Sign in first. If you are signed in, the sign-in layer does not name you to the model server: both need the same version and the same NEARGLOT_GATEWAY_SECRET.',
		),
	stranger: (reason = 'This server wants its key: send Authorization: Bearer KEY.') =>
		new AppError('invalid_api_key', reason),
};
