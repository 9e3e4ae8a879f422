/**
 * A Redis whose machine is gone answers nothing, and the system would send to it for a quarter of an hour before it calls
 * the connection broken, though somebody else may have its address by now.
 */

/** Milliseconds without an answer after which a new connection is made. */
const silentMs = 6000;

interface Connection {
	readonly isReady: boolean;
	destroy(): void;
	connect(): Promise<unknown>;
}

const silentSince = new WeakMap<Connection, number>();

/** An answer has come. */
export const noteAnswer = (connection: Connection): void => void silentSince.delete(connection);

/** An answer has not come in time: gives up the connection when none has come for long, and connects again. */
export function leaveSilent(connection: Connection): void {
	const now = performance.now();
	const since = silentSince.get(connection);
	if (since === undefined) silentSince.set(connection, now);
	// One that is being made is tried again by itself.
	else if (now - since > silentMs && connection.isReady) {
		silentSince.delete(connection);
		connection.destroy();
		// What is wrong with the new one is told as an event.
		connection.connect().catch(() => {});
	}
}
