/** One model server: prompts are read one after the other, answers are written side by side. */

import type { Events } from './events.ts';
import { PrefixCache } from './prefixCache.ts';

/** How fast a replica is. */
export interface ServiceTimes {
	/** Seconds for each token of a prompt that is not in the cache. */
	readonly prefillS: number;
	/** Seconds for a step of decoding: for none, and for each answer that is written beside. */
	readonly stepS: number;
	readonly stepEachS: number;
	/** Seconds for a request besides. */
	readonly fixedS: number;
	/** Tokens of prompts that stay in the cache. */
	readonly cacheTokens: number;
}

export interface SimulatedRequest {
	readonly conversation: number;
	readonly prompt: number;
	readonly answer: number;
	/** Tokens that all prompts begin with. */
	readonly shared: number;
	/** By how much one that should take so many seconds takes longer than usual. */
	readonly slower: (expectedS: number) => number;
	readonly onEnd: (end: { readonly cached: number; readonly isLost: boolean }) => void;
}

interface Job {
	readonly request: SimulatedRequest;
	cached: number;
	slower: number;
	/** Work that is left: seconds of reading, then steps. */
	readingS: number;
	steps: number;
}

export class Replica {
	/** Where balancers count. */
	open = 0;
	isUp = true;
	/** Takes no new requests, and ends those it has. */
	isDraining = false;
	busyS = 0;
	readonly #events: Events;
	readonly #times: ServiceTimes;
	/** By how much all is slower at this moment, because others use the same processor. */
	readonly #shared: () => number;
	readonly #cache: PrefixCache;
	readonly #reading: Job[] = [];
	readonly #writing: Job[] = [];
	#since = 0;
	#version = 0;

	constructor(events: Events, times: ServiceTimes, shared: () => number = () => 1) {
		this.#events = events;
		this.#times = times;
		this.#shared = shared;
		this.#cache = new PrefixCache(times.cacheTokens);
	}

	get isBusy(): boolean {
		return this.#reading.length + this.#writing.length > 0;
	}

	take(request: SimulatedRequest): void {
		this.advance();
		this.open++;
		this.#reading.push({ request, cached: -1, slower: 1, readingS: 0, steps: request.answer });
		this.#begin();
		this.plan();
	}

	/** It has answered before: what all prompts begin with is in its cache. */
	warm(tokens: number): void {
		this.#cache.keep(-1, tokens);
	}

	/** Ends at once: what it was doing is lost, and so is its cache. */
	kill(): void {
		this.advance();
		this.isUp = false;
		this.#cache.clear();
		const lost = [...this.#reading.splice(0), ...this.#writing.splice(0)];
		this.plan();
		for (const { request } of lost) {
			this.open--;
			request.onEnd({ cached: 0, isLost: true });
		}
	}

	/** Comes up again, with nothing in its cache. */
	start(): void {
		this.#cache.clear();
		this.isUp = true;
		this.isDraining = false;
	}

	/** Brings the work up to now. */
	advance(): void {
		const passed = ((this.#events.now - this.#since) / this.#shared()) * this.#part;
		if (this.isBusy) this.busyS += this.#events.now - this.#since;
		this.#since = this.#events.now;
		const [first] = this.#reading;
		if (first !== undefined) first.readingS -= passed;
		for (const job of this.#writing) job.steps -= passed / (this.#stepS * job.slower);
	}

	/** Sets the next event. */
	plan(): void {
		const version = ++this.#version;
		const next = this.#nextS();
		if (next === undefined) return;
		this.#events.set(this.#events.now + next * this.#shared(), () => {
			if (version !== this.#version) return;
			this.advance();
			this.#finish();
			this.plan();
		});
	}

	get #stepS(): number {
		return this.#times.stepS + this.#times.stepEachS * this.#writing.length;
	}

	/** Where prompts are read and answers written, each gets half of the time. */
	get #part(): number {
		return this.#reading.length > 0 && this.#writing.length > 0 ? 0.5 : 1;
	}

	#nextS(): number | undefined {
		const [first] = this.#reading;
		const left = this.#writing.map(({ steps, slower }) => steps * slower * this.#stepS);
		if (first !== undefined) left.push(first.readingS);
		return left.length === 0 ? undefined : Math.max(0, Math.min(...left)) / this.#part;
	}

	/** The first of those that wait is read. */
	#begin(): void {
		const [first] = this.#reading;
		if (first === undefined || first.cached >= 0) return;
		const { conversation, prompt, answer, shared, slower } = first.request;
		const { fixedS, prefillS, stepS, stepEachS } = this.#times;
		first.cached = this.#cache.hit(conversation, prompt, shared);
		const readingS = fixedS + (prompt - first.cached) * prefillS;
		first.slower = slower(readingS + answer * (stepS + stepEachS));
		first.readingS = readingS * first.slower;
	}

	#finish(): void {
		const [first] = this.#reading;
		if (first !== undefined && first.readingS <= 1e-9) {
			this.#reading.shift();
			this.#writing.push(first);
			this.#begin();
		}
		for (const job of this.#writing.filter(({ steps }) => steps <= 1e-6)) {
			this.#writing.splice(this.#writing.indexOf(job), 1);
			const { conversation, prompt, answer } = job.request;
			this.#cache.keep(conversation, prompt + answer);
			this.open--;
			job.request.onEnd({ cached: job.cached, isLost: false });
		}
	}
}
