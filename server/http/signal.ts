/** When a request is given up: one AbortSignal per request, over a socket or without one. */

import type { Context } from 'hono';
import { onClose } from '../net/onClose.ts';
import { bodyWindowMs as usualWindowMs, watchBody } from '../net/slowBody.ts';
import { AppError } from '../protocol/index.ts';
import type { AppEnv } from './env.ts';

/**
 * Aborted when the connection closes before the answer was written completely; with an AppError as reason when
 * the client is still there to read it: its body comes too slowly, or `over` is aborted, as the server ends.
 */
export function requestSignal(
	context: Context<AppEnv>,
	over: AbortSignal,
	bodyWindowMs?: number,
): AbortSignal {
	const { incoming, outgoing } = context.env ?? {};
	if (!outgoing) return context.req.raw.signal;
	const stop = new AbortController();
	const end = () => stop.abort(over.reason);
	if (over.aborted) end();
	over.addEventListener('abort', end, { once: true });
	onClose(outgoing, () => {
		over.removeEventListener('abort', end);
		if (!outgoing.writableFinished) stop.abort();
	});
	if (incoming) {
		const slow = () => {
			outgoing.shouldKeepAlive = false;
			// Who has been answered already hears nothing more.
			if (outgoing.headersSent) incoming.destroy();
			else stop.abort(tooSlow(bodyWindowMs));
		};
		watchBody(incoming, slow, bodyWindowMs);
	}
	return stop.signal;
}

const tooSlow = (windowMs = usualWindowMs) =>
	new AppError(
		'request_timeout',
		`Next to nothing of the body came for at least ${windowMs / 1000} s, so it was given up. Send the request again.`,
	);

/** Why a request was given up though its client is still there. */
export const abortReasonOf = (signal: AbortSignal | undefined): AppError | undefined =>
	signal?.reason instanceof AppError ? signal.reason : undefined;
