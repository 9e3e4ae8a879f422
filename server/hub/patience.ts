/** Nobody waits for a hub without a word: what is waited for is said after a while, and for how long. */

export type Tell = (text: string) => void;

/** After this people are told for what they wait. */
export const wordMs = 5000;

export class Patience {
	readonly #tell: Tell | undefined;
	readonly #wordMs: number;
	/** Several connections wait for the same at once. */
	readonly #told = new Map<string, number>();

	constructor(tell: Tell | undefined, afterMs = wordMs) {
		this.#tell = tell;
		this.#wordMs = afterMs;
	}

	/** Says what is waited for when the work takes longer than people wait without a word. */
	async during<Result>(words: string, work: Promise<Result>): Promise<Result> {
		if (this.#tell === undefined) return work;
		let isTold = false;
		const timer = setTimeout(() => {
			isTold = true;
			this.#begin(words);
		}, this.#wordMs);
		try {
			return await work;
		} finally {
			clearTimeout(timer);
			if (isTold) this.#end(words);
		}
	}

	/** Like {@link during} for a wait whose length is known: a long one is announced at once. */
	async pause<Result>(words: string, lengthMs: number, work: Promise<Result>): Promise<Result> {
		if (lengthMs < this.#wordMs) return work;
		this.#begin(words);
		try {
			return await work;
		} finally {
			this.#end(words);
		}
	}

	#begin(words: string): void {
		const count = this.#told.get(words) ?? 0;
		this.#told.set(words, count + 1);
		if (count === 0) this.#tell?.(words);
	}

	#end(words: string): void {
		const count = (this.#told.get(words) ?? 1) - 1;
		if (count === 0) this.#told.delete(words);
		else this.#told.set(words, count);
	}
}
