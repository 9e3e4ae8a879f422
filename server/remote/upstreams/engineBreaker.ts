/**
 * Whether an engine is left alone, or one of its models: behind one address may be many, each from elsewhere, and one that
 * fails takes none of the others with it.
 */

import { CircuitBreaker, type CircuitBreakerOptions } from './circuitBreaker.ts';

/** What a request has come to. */
export type EngineOutcome =
	/** The engine answered, or refused what was asked. */
	| 'answered'
	/** It answered, and failed at this model. */
	| 'failed'
	/** It took the request and said nothing. */
	| 'silent'
	/** It refuses its key, which says nothing of how it works. */
	| 'keyRefused'
	/** No connection to it. */
	| 'unreachable'
	/** Nothing takes or refuses a connection: its machine is off, or what is sent there is dropped. */
	| 'unanswered';

/** Who is left alone, for how many seconds, and what the last failure was. */
export interface LeftAlone {
	readonly who: 'engine' | 'model' | 'machine';
	readonly waitS: number;
	readonly reason?: string | undefined;
}

/** How long a machine that answers no connection is left alone: each try costs its caller seconds. */
const unansweredMs = 10_000;

/** What is known of connections to an engine, whatever it is asked. */
export class EngineConnection {
	readonly #options: CircuitBreakerOptions;
	readonly #breaker: CircuitBreaker;
	#isUnanswered = false;
	/** Whether the last connection that was tried has failed. */
	isAway = false;

	constructor(options: CircuitBreakerOptions) {
		this.#options = options;
		this.#breaker = new CircuitBreaker(options);
	}

	/** The breaker of one kind of requests to it. */
	breaker(options: Partial<CircuitBreakerOptions> = {}): EngineBreaker {
		return new EngineBreaker({ ...this.#options, ...options }, this);
	}

	/** @returns `undefined` when a connection may be tried */
	get leftAlone(): LeftAlone | undefined {
		const { waitS } = this.#breaker;
		if (waitS === 0) return undefined;
		return {
			who: this.#isUnanswered ? 'machine' : 'engine',
			waitS,
			reason: this.#breaker.reason,
		};
	}

	enter(): void {
		this.#breaker.enter();
	}

	/** Something has taken a connection, whatever comes of it. */
	connected(): void {
		this.isAway = false;
		this.#isUnanswered = false;
		this.#breaker.succeeded();
	}

	/**
	 * @param counts whether failures of this kind of requests count for others
	 * @param reason of a failure, which others are told
	 */
	note(outcome: EngineOutcome, counts: boolean, reason?: string): void {
		this.isAway = outcome === 'unreachable' || outcome === 'unanswered';
		this.#isUnanswered = outcome === 'unanswered';
		if (this.#isUnanswered) this.#breaker.open(unansweredMs, reason);
		else if (!this.isAway) this.#breaker.succeeded();
		else if (counts) this.#breaker.failed(reason);
	}
}

/** Names of models come from callers. */
const maxModels = 1000;

export class EngineBreaker {
	readonly #options: CircuitBreakerOptions;
	readonly #connection: EngineConnection;
	readonly #engine: CircuitBreaker;
	/** Those that have failed since their last answer. */
	readonly #models = new Map<string, CircuitBreaker>();

	constructor(options: CircuitBreakerOptions, connection = new EngineConnection(options)) {
		this.#options = options;
		this.#connection = connection;
		this.#engine = new CircuitBreaker(options);
	}

	/** @returns `undefined` when a request may try */
	enter(model: string | undefined): LeftAlone | undefined {
		const ofModel = model === undefined ? undefined : this.#models.get(model);
		const { leftAlone } = this.#connection;
		if (leftAlone !== undefined) return leftAlone;
		const { waitS, reason } = this.#engine;
		if (waitS > 0) return { who: 'engine', waitS, reason };
		if (ofModel !== undefined && ofModel.waitS > 0)
			return { who: 'model', waitS: ofModel.waitS, reason: ofModel.reason };
		this.#connection.enter();
		this.#engine.enter();
		ofModel?.enter();
		return undefined;
	}

	/** An answer has begun: others need not wait for its end to try a connection. */
	begun(model: string | undefined): void {
		this.#connection.connected();
		if (model !== undefined) this.#engine.succeeded();
	}

	/**
	 * @param model absent where none was asked: then the engine stands for everything that fails
	 * @param reason of a failure, which others are told
	 */
	note(model: string | undefined, outcome: EngineOutcome, reason?: string): void {
		this.#connection.note(outcome, model !== undefined, reason);
		if (model === undefined) {
			if (outcome === 'answered') this.#engine.succeeded();
			else this.#engine.failed(reason);
			return;
		}
		if (outcome === 'unreachable' || outcome === 'unanswered') return;
		if (outcome !== 'silent') this.#engine.succeeded();
		if (outcome === 'keyRefused') return;
		if (outcome === 'answered') this.#models.delete(model);
		else this.#breakerOf(model).failed(reason);
	}

	#breakerOf(model: string): CircuitBreaker {
		const known = this.#models.get(model) ?? new CircuitBreaker(this.#options);
		this.#models.delete(model);
		this.#models.set(model, known);
		const [oldest] = this.#models.keys();
		if (this.#models.size > maxModels && oldest !== undefined) this.#models.delete(oldest);
		return known;
	}
}
