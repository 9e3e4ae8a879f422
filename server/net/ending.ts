/** Where a server stands between its start and its end. */

import { setMaxListeners } from 'node:events';
import { AppError } from '../protocol/errors.ts';

/** Seconds that requests under way get when nobody says otherwise, in every program with a port. */
export const defaultDrainS = 25;

export class Ending {
	readonly #announced = new AbortController();
	#probed = false;
	readonly #waits = new Set<{ readonly reason: string }>();
	readonly #over = new AbortController();

	constructor() {
		// Every stream that is open listens.
		setMaxListeners(0, this.#over.signal);
	}

	/** True as soon as the end is announced, so that a load balancer takes another server. */
	get begun(): boolean {
		return this.#announced.signal.aborted;
	}

	/** Aborted at that moment: what nobody waits for is not begun any more. */
	get announced(): AbortSignal {
		return this.#announced.signal;
	}

	/** Whether somebody has asked for the readiness, and so chooses by it. */
	get probed(): boolean {
		return this.#probed;
	}

	/** Aborted when the time of the requests under way is over; its reason is what they are told. */
	get over(): AbortSignal {
		return this.#over.signal;
	}

	/** The answer to a readiness probe: false before it can work and from the moment it ends. */
	isReady(): boolean {
		this.#probed = true;
		return this.takesRequests;
	}

	/** The same, asked by nobody who chooses by it. */
	get takesRequests(): boolean {
		return !this.begun && this.#waits.size === 0;
	}

	/** Why it is not ready yet. */
	get reasons(): readonly string[] {
		return [...this.#waits].map(({ reason }) => reason);
	}

	/** Says that it is not ready before this is done, and why. */
	async prepare(work: Promise<void>, reason: string): Promise<void> {
		const wait = { reason };
		this.#waits.add(wait);
		await work;
		this.#waits.delete(wait);
	}

	begin(): void {
		this.#announced.abort();
	}

	end(): void {
		this.begin();
		if (this.over.aborted) return;
		const words = 'The server is ending, so this was not completed. Try again in a moment.';
		this.#over.abort(new AppError('daemon_unavailable', words, { retryAfterS: 2 }));
	}
}
