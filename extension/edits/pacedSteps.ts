/** Steps that follow something faster than they are. Knows no editor. */

/** Milliseconds between two steps: people read no faster, and every step is drawn. */
const stepMs = 80;

/** Runs a step when there is something new, one at a time and not too often. */
export class PacedSteps {
	readonly #step: () => Promise<void>;
	#running: Promise<void> | undefined;
	#isWanted = false;
	#isEnded = false;

	constructor(step: () => Promise<void>) {
		this.#step = step;
	}

	/** Something is new. */
	next(): void {
		this.#isWanted = true;
		this.#running ??= this.#run();
	}

	/** Resolves when no step is running; none begins afterwards. */
	async end(): Promise<void> {
		this.#isEnded = true;
		await this.#running;
	}

	async #run(): Promise<void> {
		while (this.#isWanted && !this.#isEnded) {
			this.#isWanted = false;
			await this.#step();
			await new Promise((resolve) => setTimeout(resolve, stepMs));
		}
		this.#running = undefined;
	}
}
