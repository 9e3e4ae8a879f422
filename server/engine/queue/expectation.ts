/** Requests of people that are about to come, so that background work makes room before they are there. */

/** So long background work waits for one, and so often in a row. */
const maxExpectedMs = 20;
const maxWaited = 2;

export class Expectation {
	#expected = 0;
	#waited = 0;
	#wake: (() => void) | undefined;

	/** Somebody is about to hand in a request: until that is disposed, runs of background work wait a little. */
	expect(): Disposable {
		let isExpected = true;
		this.#expected++;
		return {
			[Symbol.dispose]: () => {
				if (!isExpected) return;
				isExpected = false;
				if (--this.#expected === 0) this.came();
			},
		};
	}

	/** A request is there: whoever else is expected does not hold it up. */
	came(): void {
		this.#wake?.();
	}

	/** Waits for who is expected, before a run that has background work alone. @returns whether it has waited */
	async waits(): Promise<boolean> {
		if (this.#expected === 0 || this.#waited >= maxWaited) return false;
		this.#waited++;
		await new Promise<void>((resolve) => {
			const timer = setTimeout(resolve, maxExpectedMs);
			this.#wake = () => {
				clearTimeout(timer);
				resolve();
			};
		});
		this.#wake = undefined;
		return true;
	}

	/** A run has come to its end. */
	ran(): void {
		this.#waited = 0;
	}
}
