/** Types every route shares: what hangs on a request. */

import type { Duplex } from 'node:stream';
import type { HttpBindings } from '@hono/node-server';
import type { WebSocket } from 'ws';
import type { Account } from '../services/limits/account.ts';
import type { PersonKey } from '../services/limits/keyStore.ts';
import type { CallerIdentity, CallerRole } from './callerRoles.ts';

/** A connection whose client wants a WebSocket. */
export interface Upgrade {
	readonly socket: Duplex;
	/**
	 * Completes the handshake.
	 * @param maxBytes largest message; a larger one closes the connection
	 * @throws AppError `invalid_request` for a handshake that is none, `cancelled` when the client has gone
	 */
	accept(maxBytes: number): Promise<WebSocket>;
}

export interface AppEnv {
	/** Absent when a test calls the app without a socket. */
	Bindings: Partial<HttpBindings> & {
		/** Who asks, when the server asks itself for somebody; nothing that comes over a socket sets it. */
		readonly identity?: CallerIdentity;
		/** The client wants a WebSocket; there is no `outgoing` then. */
		readonly upgrade?: Upgrade;
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
		/** Whether a program sent it, or a page from here or of an allowed origin. */
		isProgram?: boolean;
		/** Whose the request is; read it with `personOf`. */
		person: string;
		/** The key that was shown, where it is one that somebody was given. */
		personKey?: PersonKey;
		/** Who pays for what the request uses; absent where nothing is counted. */
		account?: Account;
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
