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
	| 'unreachable';

/** Who is left alone, and for how many seconds. */
export interface LeftAlone {
	readonly isModel: boolean;
	readonly waitS: number;
}

/** Names of models come from callers. */
const maxModels = 1000;

export class EngineBreaker {
	readonly #options: CircuitBreakerOptions;
	readonly #engine: CircuitBreaker;
	/** Those that have failed since their last answer. */
	readonly #models = new Map<string, CircuitBreaker>();

	constructor(options: CircuitBreakerOptions) {
		this.#options = options;
		this.#engine = new CircuitBreaker(options);
	}

	/** @returns `undefined` when a request may try */
	enter(model: string | undefined): LeftAlone | undefined {
		const ofModel = model === undefined ? undefined : this.#models.get(model);
		const waitS = this.#engine.waitS;
		if (waitS > 0) return { isModel: false, waitS };
		if (ofModel !== undefined && ofModel.waitS > 0) return { isModel: true, waitS: ofModel.waitS };
		this.#engine.enter();
		ofModel?.enter();
		return undefined;
	}

	/** @param model absent where none was asked: then the engine stands for everything that fails */
	note(model: string | undefined, outcome: EngineOutcome): void {
		if (outcome === 'unreachable' || (model === undefined && outcome !== 'answered')) {
			this.#engine.failed();
			return;
		}
		if (outcome !== 'silent') this.#engine.succeeded();
		if (model === undefined || outcome === 'keyRefused') return;
		if (outcome === 'answered') this.#models.delete(model);
		else this.#breakerOf(model).failed();
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
