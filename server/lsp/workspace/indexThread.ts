/** The index of a folder as the language server calls it: a thread that starts with the first call. */

import { Worker } from 'node:worker_threads';
import { fromErrorWire } from '../../protocol/errorWire.ts';
import { AppError } from '../../protocol/index.ts';
import { notify } from '../../store/notices.ts';
import type { IndexCalls, IndexQuestion, IndexReply, IndexWorkerData } from './indexWorker.ts';

interface Waiting {
	readonly resolve: (value: never) => void;
	readonly reject: (error: Error) => void;
}

type Progress = (done: number, total: number) => void;

/** One per folder. */
export class IndexThread {
	readonly #data: IndexWorkerData;
	readonly #waiting = new Map<number, Waiting>();
	readonly #progress = new Set<Progress>();
	#worker: Worker | undefined;
	#numbers = 0;

	constructor(data: IndexWorkerData) {
		this.#data = data;
	}

	/** Whether the thread runs: nothing of it is lost by calling it anew. */
	get isRunning(): boolean {
		return this.#worker !== undefined;
	}

	/** Rejects with what the call rejects with, and with `store_unavailable` when the thread ends. */
	request<C extends keyof IndexCalls>(
		call: C,
		...given: Parameters<IndexCalls[C]>
	): Promise<Awaited<ReturnType<IndexCalls[C]>>> {
		const worker = this.#running();
		const number = ++this.#numbers;
		return new Promise((resolve, reject) => {
			this.#waiting.set(number, { resolve, reject });
			worker.postMessage({ number, call, given } satisfies IndexQuestion);
		});
	}

	/** Follows how many files have been read, until the returned function is called. */
	subscribe(listener: Progress): () => void {
		this.#progress.add(listener);
		return () => this.#progress.delete(listener);
	}

	async close(): Promise<void> {
		const worker = this.#worker;
		if (worker === undefined) return;
		const { promise, resolve } = Promise.withResolvers<void>();
		worker.once('exit', () => resolve());
		worker.postMessage('close');
		await promise;
	}

	#running(): Worker {
		if (this.#worker !== undefined) return this.#worker;
		const bundled = import.meta.url.endsWith('.cjs');
		const file = new URL(bundled ? './index-worker.cjs' : './indexWorker.ts', import.meta.url);
		const worker = new Worker(file, {
			workerData: this.#data,
			stdout: true,
			resourceLimits: { maxOldGenerationSizeMb: 1024 },
		});
		this.#worker = worker;
		worker.unref();
		worker.on('message', (reply: IndexReply) => {
			if ('notice' in reply) return notify(reply.notice);
			if ('total' in reply) {
				for (const listener of this.#progress) listener(reply.done, reply.total);
				return;
			}
			const waiting = this.#waiting.get(reply.number);
			this.#waiting.delete(reply.number);
			if ('error' in reply) waiting?.reject(fromErrorWire(reply.error));
			else waiting?.resolve(reply.value as never);
		});
		const gone = (cause?: unknown) => {
			if (this.#worker !== worker) return;
			this.#worker = undefined;
			const why = 'The thread that reads the workspace has ended. Try again.';
			const error = new AppError('store_unavailable', why, { cause });
			for (const { reject } of this.#waiting.values()) reject(error);
			this.#waiting.clear();
		};
		worker.on('error', gone);
		worker.on('exit', () => gone());
		return worker;
	}
}
