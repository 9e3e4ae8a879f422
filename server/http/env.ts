/** Types every route shares: what hangs on a request. */

import type { HttpBindings } from '@hono/node-server';
import type { Caller } from './roles.ts';

export interface AppEnv {
	/** Absent when a test calls the app without a socket. */
	Bindings: Partial<HttpBindings>;
	Variables: {
		/** Appears in the log and as `X-Request-Id`. */
		requestId: string;
		/** What the request may do. */
		caller: Caller;
		/** Whose the request is; read it with `personOf`. */
		person: string;
		/** Whether it shows this daemon's key, which lets it in; what it may do then, `caller` says. */
		keyShown: boolean;
		/** Whether this server wants its key for everything. */
		keyRequired: boolean;
		/** Whether a text (subscription header, query, form) is this daemon's key. */
		ownKey: (presented: string) => boolean;
		/** Aborted when the client goes away before the answer is complete. */
		signal: AbortSignal;
	};
}
