/** Answers and tunnels of sessions that are still open: they end when their session does, wherever that is ended. */

import type { Sessions } from './sessions.ts';

/** A session that another replica has ended is noticed after this at the latest. */
const checkMs = 1000;

export class OpenExchanges implements Disposable {
	readonly #sessions: Pick<Sessions, 'find'>;
	readonly #cuts = new Map<string, Set<() => void>>();
	#timer: NodeJS.Timeout | undefined;

	constructor(sessions: Pick<Sessions, 'find' | 'onEnd'>) {
		this.#sessions = sessions;
		sessions.onEnd((sid) => this.#cut(sid));
	}

	/**
	 * @param cut Ends the exchange.
	 * @returns takes it out again once it has ended by itself
	 */
	add(sid: string, cut: () => void): () => void {
		const cuts = this.#cuts.get(sid) ?? new Set();
		this.#cuts.set(sid, cuts.add(cut));
		this.#timer ??= setInterval(() => void this.#check(), checkMs).unref();
		return () => {
			cuts.delete(cut);
			if (cuts.size === 0 && this.#cuts.get(sid) === cuts) this.#cuts.delete(sid);
			if (this.#cuts.size === 0) this[Symbol.dispose]();
		};
	}

	[Symbol.dispose](): void {
		clearInterval(this.#timer);
		this.#timer = undefined;
	}

	async #check(): Promise<void> {
		const known = [...this.#cuts.keys()];
		await Promise.all(
			known.map(async (sid) => {
				// A store that does not answer has not said that anything ended.
				const live = await this.#sessions.find(sid, true).catch(() => true);
				if (live === undefined) this.#cut(sid);
			}),
		);
	}

	#cut(sid: string): void {
		for (const cut of this.#cuts.get(sid) ?? []) cut();
	}
}
