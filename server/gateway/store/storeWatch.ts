/** Turns what goes on with a store into word of it: once when it stops answering, once when it is back. */

import { storeError } from './store.ts';

/** Told the reason when the store stops working, and `undefined` when it works again. */
export type StoreReport = (failure: string | undefined) => void;

/** Of a store that answers some commands and fails others, no more is told than this often. */
const quietMs = 10_000;

export class StoreWatch {
	readonly #report: StoreReport;
	readonly #now: () => number;
	#working = true;
	#reportedAt = Number.NEGATIVE_INFINITY;

	constructor(report: StoreReport = () => {}, now: () => number = () => performance.now()) {
		this.#report = report;
		this.#now = now;
	}

	/** Runs one operation. @throws AppError `store_unavailable` */
	async run<T>(work: () => T | Promise<T>): Promise<T> {
		try {
			const result = await work();
			this.#note(undefined);
			return result;
		} catch (error) {
			this.failed(error);
			throw storeError(error);
		}
	}

	/** Notes a failure that no operation has met, such as that of a connection. */
	failed(error: unknown): void {
		this.#note(reasonIn(error));
	}

	#note(failure: string | undefined): void {
		const working = failure === undefined;
		if (working === this.#working) return;
		const now = this.#now();
		if (now - this.#reportedAt < quietMs) return;
		this.#working = working;
		this.#reportedAt = now;
		this.#report(failure);
	}
}

/** Several addresses of one name fail together, and then the reasons are inside. */
function reasonIn(error: unknown): string {
	if (error instanceof AggregateError && error.errors.length > 0) return reasonIn(error.errors[0]);
	const message = error instanceof Error ? error.message : String(error);
	const { code } = error as { code?: unknown };
	return message || (typeof code === 'string' ? code : 'unknown');
}
