/** The end of a client's connection, also of one that is gone by the time somebody wants to know. */

/** An answer, a request or a socket. */
interface Closing {
	readonly destroyed: boolean;
	once(event: 'close', listener: () => void): unknown;
}

/**
 * Calls once when it is closed; at once where it is closed already, which `close` does not tell of. What waits between a
 * request and its handler is long enough for a client to go.
 */
export function onClose(stream: Closing, then: () => void): void {
	if (stream.destroyed) then();
	else stream.once('close', then);
}
