/**
 * Studio pages that the owner has opened: a link holds a ticket, which one page exchanges once for a token
 * of its own. The key of the model server never reaches a browser; what a token opens, the HTTP interface says.
 */

import { AppError } from '../protocol/index.ts';

export interface StudioDeps {
	/** A secret nobody can guess; characters that need no escape in an address. */
	readonly randomSecret: () => string;
	/** Milliseconds of a clock that is never set. */
	readonly now: () => number;
}

/** A link has to be opened within this. */
const ticketMs = 60_000;
/** A page that was not used for so long has lost its access; so has every page after {@link longestMs}. */
const idleMs = 12 * 3600_000;
const longestMs = 7 * 24 * 3600_000;

interface Page {
	readonly openedMs: number;
	usedMs: number;
}

/** The pages of a daemon; they end with it. */
export class StudioAccess {
	readonly #deps: StudioDeps;
	/** One-time ticket → when it was made. */
	readonly #tickets = new Map<string, number>();
	/** Token → its page. */
	readonly #pages = new Map<string, Page>();

	constructor(deps: StudioDeps) {
		this.#deps = deps;
	}

	/** Makes a link's ticket. */
	ticket(): string {
		this.#sweep();
		const ticket = this.#deps.randomSecret();
		this.#tickets.set(ticket, this.#deps.now());
		return ticket;
	}

	/** Exchanges a ticket for the token of a page, once. Throws `forbidden` for one that does not hold. */
	claim(ticket: string): string {
		this.#sweep();
		if (!this.#tickets.delete(ticket))
			throw new AppError(
				'forbidden',
				'This link was used already, or is too old. Open the studio again from the editor.',
			);
		const token = this.#deps.randomSecret();
		const now = this.#deps.now();
		this.#pages.set(token, { openedMs: now, usedMs: now });
		return token;
	}

	/** Whether a token holds; being asked for it counts as use. */
	admits(token: string): boolean {
		const page = this.#pages.get(token);
		if (page === undefined || this.#hasEnded(page)) return false;
		page.usedMs = this.#deps.now();
		return true;
	}

	#hasEnded({ openedMs, usedMs }: Page): boolean {
		const now = this.#deps.now();
		return now - usedMs > idleMs || now - openedMs > longestMs;
	}

	#sweep(): void {
		for (const [ticket, madeMs] of this.#tickets)
			if (this.#deps.now() - madeMs > ticketMs) this.#tickets.delete(ticket);
		for (const [token, page] of this.#pages) if (this.#hasEnded(page)) this.#pages.delete(token);
	}
}
