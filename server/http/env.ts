/** Types every route shares: what hangs on a request. */

import type { HttpBindings } from '@hono/node-server';

export interface AppEnv {
	/** Absent when a test calls the app without a socket. */
	Bindings: Partial<HttpBindings>;
	Variables: {
		/** Appears in the log and as `X-Request-Id`. */
		requestId: string;
		/** Whether the caller presented this daemon's key. */
		hasKey: boolean;
		/** Whether this server wants its key for everything. */
		keyRequired: boolean;
		/** Compares a key shown in another way (subscription header, query, form) with this daemon's. */
		ownKey: (presented: string) => boolean;
		/** Aborted when the client goes away before the answer is complete. */
		signal: AbortSignal;
	};
}
