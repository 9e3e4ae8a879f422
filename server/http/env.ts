/** Types every route shares: what hangs on a request. */

import type { HttpBindings } from '@hono/node-server';
import type { CallerIdentity, CallerRole } from './callerRoles.ts';

export interface AppEnv {
	/** Absent when a test calls the app without a socket. */
	Bindings: Partial<HttpBindings> & {
		/** Who asks, when the server asks itself for somebody; nothing that comes over a socket sets it. */
		readonly identity?: CallerIdentity;
	};
	Variables: {
		/** Appears in the log and as `X-Request-Id`. */
		requestId: string;
		/** What the request may do. */
		caller: CallerRole;
		/**
		 * Whether it is decided that the caller may use the route: the guard says so of everybody it knows, a
		 * route that checks a credential of its own once that holds. Until then hardly any body is read.
		 */
		admitted: boolean;
		/** Whose the request is; read it with `personOf`. */
		person: string;
		/** Whether this server wants a credential of this caller for everything. */
		keyRequired: boolean;
		/** Whether a text (subscription header, query, form) is this daemon's key. */
		ownKey: (presented: string) => boolean;
		/** What an interface with errors of its own shape has answered with. */
		failure: unknown;
		/** Aborted when the client goes away before the answer is complete. */
		signal: AbortSignal;
	};
}
