/** How many live sessions there may be, and how long each. */

export interface RealtimeLimits {
	/** Open at the same time. */
	readonly maxSessions: number;
	/** Of these, those of one person who is not this machine's user. */
	readonly maxOfPerson: number;
	/** A client that sends nothing for this long has gone. */
	readonly idleMs: number;
	/** Whole length of a session. */
	readonly maxMs: number;
	/** Time between two looks whether the client is still at the other end. */
	readonly pingMs: number;
	/** Bytes of events that a client may leave unread. */
	readonly maxUnreadBytes: number;
	/** Time that the last event and the end of the connection get to arrive. */
	readonly closeMs: number;
}

/** @param maximumS longest recording */
export const realtimeLimits = (maximumS: number): RealtimeLimits => ({
	maxSessions: 32,
	maxOfPerson: 8,
	idleMs: 600_000,
	maxMs: maximumS * 1000,
	pingMs: 20_000,
	maxUnreadBytes: 1024 * 1024,
	closeMs: 2000,
});
