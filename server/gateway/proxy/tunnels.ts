/** The upgraded connections that are open: they have no end of their own, so they are told when the server ends. */

import type { Duplex } from 'node:stream';
import { onClose } from '../../net/onClose.ts';

/** A tunnel in which nothing has passed for so long is between two messages. */
const quietMs = 1000;

/** What passes is counted where it is known. */
type Counting = Duplex & { readonly bytesRead?: number; readonly bytesWritten?: number };

export class Tunnels {
	readonly #open = new Map<Counting, { passed: number; since: number }>();

	add(socket: Counting): void {
		this.#open.set(socket, { passed: 0, since: performance.now() });
		onClose(socket, () => this.#open.delete(socket));
	}

	/** Ends those in which nothing passes; called again and again, it ends each in its next pause. */
	endQuiet(): void {
		const now = performance.now();
		for (const [socket, seen] of this.#open) {
			const passed = (socket.bytesRead ?? 0) + (socket.bytesWritten ?? 0);
			if (passed !== seen.passed) this.#open.set(socket, { passed, since: now });
			else if (now - seen.since >= quietMs) socket.end();
		}
	}
}
