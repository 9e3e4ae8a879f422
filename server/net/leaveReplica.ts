/** A Redis that has become the replica of another, after a fail-over, takes no more writes, and keeps its connections. */

/** Not more often than this, in case its address still leads to it. */
const againMs = 1000;

interface Connection {
	sendCommand(words: readonly string[]): Promise<unknown>;
}

const leftAt = new WeakMap<Connection, number>();

/**
 * Gives up the connection if that is why a command failed: the client then connects again by itself, to whoever has the
 * address by now.
 * @param error of a command
 */
export function leaveReplica(connection: Connection, error: unknown): void {
	if (!(error instanceof Error) || !/\bREADONLY\b/.test(error.message)) return;
	const now = performance.now();
	if (now - (leftAt.get(connection) ?? Number.NEGATIVE_INFINITY) < againMs) return;
	leftAt.set(connection, now);
	// The answer is the end of the connection.
	connection.sendCommand(['QUIT']).catch(() => {});
}
