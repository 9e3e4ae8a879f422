/**
 * Who may call which route: each declares it (protocol/routes), and the guard enforces it on the routes a
 * request has matched, so spellings of a path do not matter. The owner, who shows the key, may call every
 * route, and a route that declares nothing is the owner's alone.
 */

import { AppError } from '../protocol/index.ts';
import { type Route, routeName } from '../protocol/routes/route.ts';
import { routes } from '../protocol/routes/routes.ts';
import type { PersonKey } from '../services/limits/keyStore.ts';

/**
 * `owner` shows the key; `studio` is a page that was opened by the owner's link; `local` is a program of the
 * user this server runs as, on this machine, that shows no key; `member` was signed in by a sign-in layer and
 * `anonymous` comes through one without; `stranger` is everybody else: another user's program, or any program
 * without the key when the server wants it for everything.
 */
export type CallerRole = 'owner' | 'studio' | 'local' | 'member' | 'anonymous' | 'stranger';

/** What a request may do, and whose it is. */
export interface CallerIdentity {
	readonly caller: CallerRole;
	/** See `personOf`. */
	readonly person: string;
	/** The key of a `member` who shows one; it narrows what may be called. */
	readonly key?: PersonKey;
	/** Why a {@link CallerRole} `stranger` is one; goes into the refusal. */
	readonly reason?: string;
}

/** What a route declares of its callers. */
export type Declaration = Pick<Route, 'who' | 'also' | 'scope' | 'changes' | 'linked'>;

/** Every route as `METHOD /path`, the path as it was registered. */
export const declarations: Readonly<Record<string, Declaration>> = Object.fromEntries(
	routes.map((route) => [routeName(route), route]),
);

const owners: Declaration = {};
const declarationOf = (route: string): Declaration =>
	Object.hasOwn(declarations, route) ? (declarations[route] ?? owners) : owners;

/** Whether a caller may use a route, named as in {@link declarations}. */
export function mayCall(caller: CallerRole, route: string): boolean {
	const { who: role = 'owner', also = [] } = declarationOf(route);
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

/** Whether a key that somebody was given is for a route, named as in {@link declarations}. */
export function isForRoute({ scopes }: Pick<PersonKey, 'scopes'>, route: string): boolean {
	const { who = 'owner', scope } = declarationOf(route);
	return who === 'anyone' || scope === 'any' || (scope !== undefined && scopes.includes(scope));
}

/** Whether a caller may read where things lie on this machine. Who does not own it gets names only. */
export const knowsFolders = (caller: CallerRole | undefined): boolean =>
	caller === 'owner' || caller === 'studio' || caller === 'local';

/** A handler that a request has matched. */
export type MatchedRoute = { readonly method: string; readonly path: string };

/** Steps that every request goes through stand in no row. */
export const isStep = ({ method, path }: MatchedRoute): boolean =>
	method === 'ALL' && path === '/*';

/** Whether a caller may use every one of these routes. */
export const mayUse = (caller: CallerRole, routes: readonly MatchedRoute[]): boolean =>
	routes.every((route) => mayCall(caller, routeName(route)));

/** Whether a request that has matched these routes changes something though it is a GET (or HEAD). */
export const changesByGet = (matched: readonly MatchedRoute[]): boolean =>
	matched.some((route) => declarationOf(routeName(route)).changes === true);
/** Whether a request has matched a page, and nothing else. */
export function arePages(matched: readonly MatchedRoute[]): boolean {
	const routes = matched.filter((route) => !isStep(route));
	return (
		routes.length > 0 && routes.every((route) => declarationOf(routeName(route)).linked === true)
	);
}

/**
 * Lets a request on when its caller may use every route it has matched. `reason` is what a stranger is told.
 * @throws AppError `forbidden` for members and studio pages, `invalid_api_key` for who could show a key
 */
export function checkRole(
	{ caller, key, reason }: Pick<CallerIdentity, 'caller' | 'key' | 'reason'>,
	matched: readonly MatchedRoute[],
): void {
	if (caller === 'owner') return;
	const routes = matched.filter((route) => !isStep(route));
	// That there is no such route is told to nobody who may not ask for any.
	const known = routes.length > 0 || (caller !== 'stranger' && caller !== 'anonymous');
	if (known && mayUse(caller, routes)) {
		if (key === undefined || routes.every((route) => isForRoute(key, routeName(route)))) return;
		throw new AppError(
			'forbidden',
			`This key is for ${key.scopes.join(', ')} only. Ask whoever runs the model server for one that is for more.`,
		);
	}
	throw refusals[caller](reason);
}

const refusals: Readonly<Record<Exclude<CallerRole, 'owner'>, (reason?: string) => AppError>> = {
	member: () =>
		new AppError(
			'forbidden',
			'This is for the owner of the model server, not for the people who sign in to it. Ask whoever runs it.',
		),
	studio: () =>
		new AppError(
			'forbidden',
			'The studio page has no business here: its token opens only what the page does. Use the key of the model server.',
		),
	local: () => new AppError('invalid_api_key', 'This route needs the key of the model server.'),
	anonymous: () =>
		new AppError(
			'invalid_api_key',
			'Sign in first. If you are signed in, the sign-in layer does not name you to the model server: both need the same version and the same NEARGLOT_GATEWAY_SECRET.',
		),
	stranger: (reason = 'This server wants its key: send Authorization: Bearer KEY.') =>
		new AppError('invalid_api_key', reason),
};
