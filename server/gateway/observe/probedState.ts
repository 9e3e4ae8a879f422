/** A question that probes ask: it is put about once a second, however many they are, and answered within one. */

/** Probes give up after a second, and one that fails for that ends a process that lives. */
export const maxProbeMs = 800;
const rememberedMs = 1000;

export class ProbedState<State extends string> {
	readonly #good: State;
	readonly #bad: State;
	readonly #prove: () => Promise<unknown>;
	readonly #now: () => number;
	#last: { readonly atMs: number; readonly state: Promise<State> } | undefined;

	/**
	 * @param prove resolves where all is well
	 * @param now a clock that nobody sets
	 */
	constructor(
		good: State,
		bad: State,
		prove: () => Promise<unknown>,
		now: () => number = () => performance.now(),
	) {
		this.#good = good;
		this.#bad = bad;
		this.#prove = prove;
		this.#now = now;
	}

	/** Resolves within a second. */
	state(): Promise<State> {
		if (this.#last === undefined || this.#now() - this.#last.atMs >= rememberedMs)
			this.#last = { atMs: this.#now(), state: this.#ask() };
		return this.#last.state;
	}

	async #ask(): Promise<State> {
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<State>((resolve) => {
			timer = setTimeout(() => resolve(this.#bad), maxProbeMs);
		});
		const state = this.#prove().then(
			() => this.#good,
			() => this.#bad,
		);
		return Promise.race([state, late]).finally(() => clearTimeout(timer));
	}
}
