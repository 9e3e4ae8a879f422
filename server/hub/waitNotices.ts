/** Nobody waits for a hub without a word: what is waited for is said after a while, and for how long. */

export type NotifyWaiting = (text: string) => void;

/** After this people are told for what they wait. */
const noticeAfterMs = 5000;

export class WaitNotices {
	readonly #notify: NotifyWaiting | undefined;
	readonly #noticeAfterMs: number;
	/** Several connections wait for the same at once. */
	readonly #waits = new Map<string, number>();

	constructor(notify: NotifyWaiting | undefined, afterMs = noticeAfterMs) {
		this.#notify = notify;
		this.#noticeAfterMs = afterMs;
	}

	/** Says what is waited for when the work takes longer than people wait without a word. */
	async during<Result>(words: string, work: Promise<Result>): Promise<Result> {
		if (this.#notify === undefined) return work;
		let isNotified = false;
		const timer = setTimeout(() => {
			isNotified = true;
			this.#begin(words);
		}, this.#noticeAfterMs);
		try {
			return await work;
		} finally {
			clearTimeout(timer);
			if (isNotified) this.#end(words);
		}
	}

	/** Like {@link during} for a wait whose length is known: a long one is announced at once. */
	async pause<Result>(words: string, lengthMs: number, work: Promise<Result>): Promise<Result> {
		if (lengthMs < this.#noticeAfterMs) return work;
		this.#begin(words);
		try {
			return await work;
		} finally {
			this.#end(words);
		}
	}

	#begin(words: string): void {
		const count = this.#waits.get(words) ?? 0;
		this.#waits.set(words, count + 1);
		if (count === 0) this.#notify?.(words);
	}

	#end(words: string): void {
		const count = (this.#waits.get(words) ?? 1) - 1;
		if (count === 0) this.#waits.delete(words);
		else this.#waits.set(words, count);
	}
}
