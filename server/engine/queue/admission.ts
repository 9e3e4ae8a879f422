/** Turns of requests whose work is done in calls: each waits in a {@link RequestQueue} until there is room for it. */

import { AppError } from '../../protocol/index.ts';
import type { QueuedRequest, RequestQueue } from './requestQueue.ts';

interface Entry extends QueuedRequest {
	readonly start: () => void;
}

export type AdmissionQueue = RequestQueue<Entry>;

export class Admission {
	readonly #queue: AdmissionQueue;
	readonly #hasRoom: (request: QueuedRequest, running: number) => boolean;
	#running = 0;

	/**
	 * @param hasRoom whether this one may begin beside so many others; asked again whenever one has ended
	 */
	constructor(
		queue: AdmissionQueue,
		hasRoom: (request: QueuedRequest, running: number) => boolean = (_, running) => running === 0,
	) {
		this.#queue = queue;
		this.#hasRoom = hasRoom;
	}

	get running(): number {
		return this.#running;
	}

	/**
	 * Does work in its turn. Rejects with `overloaded`, at once, and `cancelled`, which takes a request that waits
	 * out of the queue at once.
	 */
	async run<T>(request: QueuedRequest, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
		if (signal?.aborted === true) throw new AppError('cancelled');
		const refusal = this.#queue.refusal(request);
		if (refusal !== undefined) throw refusal;
		await this.#turn(request, signal);
		try {
			return await work();
		} finally {
			this.#running--;
			this.#next();
		}
	}

	#turn(request: QueuedRequest, signal: AbortSignal | undefined): Promise<void> {
		return new Promise((resolve, reject) => {
			const leave = (): void => {
				this.#queue.remove(entry);
				reject(new AppError('cancelled'));
			};
			const entry: Entry = {
				...request,
				start: () => {
					signal?.removeEventListener('abort', leave);
					resolve();
				},
			};
			signal?.addEventListener('abort', leave, { once: true });
			this.#queue.add(entry);
			this.#next();
		});
	}

	/** Lets in who has room, in their order. */
	#next(): void {
		for (;;) {
			const entry = this.#queue.peek();
			if (entry === undefined || !this.#hasRoom(entry, this.#running)) return;
			this.#queue.take(entry);
			// Counted here, before the next call can see it as free.
			this.#running++;
			entry.start();
		}
	}
}
