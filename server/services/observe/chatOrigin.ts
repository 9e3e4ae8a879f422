/** What a service may know of the request it works for: its id, its route, and the trace it belongs to. */

import { AsyncLocalStorage } from 'node:async_hooks';

export interface ChatOrigin {
	readonly requestId: string;
	/** Path, as it was asked for. */
	readonly route: string;
	/** W3C trace context of the caller, unchecked. */
	readonly traceparent?: string;
	readonly tracestate?: string;
}

const contexts = new AsyncLocalStorage<ChatOrigin>();

/** Runs the work of one request. */
export const inRequest = <T>(context: ChatOrigin, work: () => T): T => contexts.run(context, work);

/** The request that is being worked for; `undefined` for the server's own work. */
export const currentRequest = (): ChatOrigin | undefined => contexts.getStore();
