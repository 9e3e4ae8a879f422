/**
 * Sentences that wait for a model, kept so that a batch costs its own size, however many wait: for each kind of
 * decoding the order in which they came, and lists of like length.
 */

/** Of a sentence that waits. */
export interface WaitingSentence {
	/** UTF-16 units. */
	readonly length: number;
	/** Equal for what may share a batch. */
	readonly key: string;
	readonly isInteractive: boolean;
}

export interface BatchLimits {
	/** Sentences per batch. */
	readonly maxItems: number;
	/** UTF-16 units of a batch, padding included. */
	readonly maxCharacters: number;
}

/** Units of length that make no difference in a batch. */
const lengthStep = 8;

/** Sentences with equal keys. */
class Group<T extends WaitingSentence> {
	readonly all = new Set<T>();
	/** By their length in steps. */
	readonly #byLength: (Set<T> | undefined)[] = [];

	add(item: T): void {
		this.all.add(item);
		const step = Math.floor(item.length / lengthStep);
		this.#byLength[step] ??= new Set();
		this.#byLength[step].add(item);
	}

	delete(item: T): boolean {
		this.#byLength[Math.floor(item.length / lengthStep)]?.delete(item);
		return this.all.delete(item);
	}

	/** The others, those of like length first. */
	*near(first: T): Generator<T, void, undefined> {
		const middle = Math.floor(first.length / lengthStep);
		const steps = Math.max(middle, this.#byLength.length - 1 - middle);
		for (let away = 0; away <= steps; away++)
			for (const step of away === 0 ? [middle] : [middle - away, middle + away])
				for (const item of this.#byLength[step] ?? []) if (item !== first) yield item;
	}
}

export class SentencesWaiting<T extends WaitingSentence> {
	/** By key; those of people first. */
	readonly #interactive = new Map<string, Group<T>>();
	readonly #batch = new Map<string, Group<T>>();

	get isEmpty(): boolean {
		return this.#interactive.size + this.#batch.size === 0;
	}

	add(item: T): void {
		const groups = this.#groupsOf(item);
		let group = groups.get(item.key);
		if (group === undefined) {
			group = new Group();
			groups.set(item.key, group);
		}
		group.add(item);
	}

	/** False when it does not wait any more. */
	delete(item: T): boolean {
		const groups = this.#groupsOf(item);
		const group = groups.get(item.key);
		if (!group?.delete(item)) return false;
		// Groups take turns: one that is asked again comes after the others.
		if (group.all.size === 0) groups.delete(item.key);
		return true;
	}

	/** Takes the oldest sentence of a group and those that go best with it; empty when none wait. */
	take({ maxItems, maxCharacters }: BatchLimits): T[] {
		const groups = this.#interactive.size > 0 ? this.#interactive : this.#batch;
		const [entry] = groups;
		if (entry === undefined) return [];
		const [key, group] = entry;
		const [first] = group.all;
		if (first === undefined) return [];
		const batch = [first];
		let longest = first.length;
		for (const item of group.near(first)) {
			longest = Math.max(longest, item.length);
			if (batch.length >= maxItems || longest * (batch.length + 1) > maxCharacters) break;
			batch.push(item);
		}
		for (const item of batch) this.delete(item);
		if (groups.delete(key) && group.all.size > 0) groups.set(key, group);
		return batch;
	}

	#groupsOf({ isInteractive }: T): Map<string, Group<T>> {
		return isInteractive ? this.#interactive : this.#batch;
	}
}
