/**
 * Requests of one priority: each person's in the order in which they came, and people in turn by the work they have
 * had (start-time fair queueing, Goyal et al. 1996). With one person it is a plain queue.
 */

export interface OwnedWork {
	readonly owner?: string | undefined;
	readonly work: number;
}

interface Party<T> {
	readonly requests: Set<T>;
	work: number;
	/** Virtual time at which the next request begins. */
	start: number;
}

/** Parties without requests are looked for beyond so many. */
const maxIdle = 64;

export class FairList<T extends OwnedWork> {
	readonly #parties = new Map<string | undefined, Party<T>>();
	/** The order in which requests came, for parties that have had equally much. */
	readonly #arrivals = new Map<T, number>();
	#arrived = 0;
	#virtual = 0;
	#work = 0;

	get size(): number {
		return this.#arrivals.size;
	}

	get work(): number {
		return this.#work;
	}

	/** Those who have requests here. */
	*owners(): Generator<string | undefined> {
		for (const [owner, { requests }] of this.#parties) if (requests.size > 0) yield owner;
	}

	heldBy(owner: string | undefined): { readonly size: number; readonly work: number } {
		const party = this.#parties.get(owner);
		return { size: party?.requests.size ?? 0, work: party?.work ?? 0 };
	}

	add(request: T): void {
		const { owner, work } = request;
		let party = this.#parties.get(owner);
		if (party === undefined) {
			this.#dropIdle();
			party = { requests: new Set(), work: 0, start: 0 };
			this.#parties.set(owner, party);
		}
		// Who was away has saved nothing up.
		if (party.requests.size === 0) party.start = Math.max(party.start, this.#virtual);
		party.requests.add(request);
		party.work += work;
		this.#work += work;
		this.#arrivals.set(request, this.#arrived++);
	}

	peek(): T | undefined {
		let best: T | undefined;
		let bestStart = Number.POSITIVE_INFINITY;
		for (const { requests, start } of this.#parties.values()) {
			if (start > bestStart) continue;
			const [head] = requests;
			if (head === undefined) continue;
			if (start < bestStart || best === undefined || this.#came(head) < this.#came(best)) {
				best = head;
				bestStart = start;
			}
		}
		return best;
	}

	/** Takes out a request that has its turn: its owner has had that much more. */
	take(request: T): void {
		const party = this.#parties.get(request.owner);
		if (party === undefined || !this.remove(request)) return;
		this.#virtual = Math.max(this.#virtual, party.start);
		party.start += Math.max(1, request.work);
	}

	/** Takes out a request that goes without a turn; false when it is not here. */
	remove(request: T): boolean {
		const party = this.#parties.get(request.owner);
		if (!party?.requests.delete(request)) return false;
		party.work -= request.work;
		this.#work -= request.work;
		this.#arrivals.delete(request);
		return true;
	}

	/** In the order they would be taken if nothing else came. */
	*[Symbol.iterator](): Generator<T> {
		const rest = [...this.#parties.values()]
			.filter(({ requests }) => requests.size > 0)
			.map(({ requests, start }) => ({ requests: [...requests], next: 0, start }));
		for (;;) {
			let best: (typeof rest)[number] | undefined;
			for (const party of rest) {
				const head = party.requests[party.next];
				if (head === undefined) continue;
				const bestHead = best?.requests[best.next];
				const isBefore =
					best === undefined ||
					bestHead === undefined ||
					party.start < best.start ||
					(party.start === best.start && this.#came(head) < this.#came(bestHead));
				if (isBefore) best = party;
			}
			const request = best?.requests[best.next];
			if (best === undefined || request === undefined) return;
			best.next++;
			best.start += Math.max(1, request.work);
			yield request;
		}
	}

	#came(request: T): number {
		return this.#arrivals.get(request) ?? 0;
	}

	/** Forgets parties that have nothing here and have had no more than others. */
	#dropIdle(): void {
		if (this.#parties.size < maxIdle) return;
		for (const [owner, { requests, start }] of this.#parties)
			if (requests.size === 0 && (start <= this.#virtual || this.size === 0))
				this.#parties.delete(owner);
	}
}
