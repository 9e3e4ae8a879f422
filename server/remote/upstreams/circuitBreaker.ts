/** Leaves an engine alone that has failed several times in a row, so that callers hear of it at once. */

export interface CircuitBreakerOptions {
	/** Milliseconds, monotonic. */
	readonly now: () => number;
	/** Failures in a row that open it. */
	readonly maxFailures?: number;
	/** How long it stays open before one request may try. */
	readonly openMs?: number;
}

export class CircuitBreaker {
	readonly #now: () => number;
	readonly #maxFailures: number;
	readonly #openMs: number;
	#failures = 0;
	#closedAgainAt = 0;
	/** For so long it was opened last. */
	#openForMs = 0;
	#reason: string | undefined;

	constructor({ now, maxFailures = 5, openMs = 30_000 }: CircuitBreakerOptions) {
		this.#now = now;
		this.#maxFailures = maxFailures;
		this.#openMs = openMs;
	}

	/** Seconds until a request may try, 0 when it may now. */
	get waitS(): number {
		if (this.#failures < this.#maxFailures) return 0;
		return Math.ceil(Math.max(0, this.#closedAgainAt - this.#now()) / 1000);
	}

	/** A request tries: of those that come when the time is over, one at a time. */
	enter(): void {
		if (this.#failures >= this.#maxFailures) this.#closedAgainAt = this.#now() + this.#openForMs;
	}

	/** What its last failure was, for people. */
	get reason(): string | undefined {
		return this.#reason;
	}

	succeeded(): void {
		this.#failures = 0;
		this.#reason = undefined;
	}

	failed(reason?: string): void {
		this.#failures++;
		this.#reason = reason;
		this.#leaveFor(this.#openMs);
	}

	/** One failure was enough: to try costs each caller a long wait. */
	open(forMs: number, reason?: string): void {
		this.#failures = Math.max(this.#failures, this.#maxFailures);
		this.#reason = reason;
		this.#leaveFor(forMs);
	}

	#leaveFor(milliseconds: number): void {
		this.#openForMs = milliseconds;
		this.#closedAgainAt = this.#now() + milliseconds;
	}
}
