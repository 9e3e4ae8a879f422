/** The store of responses as the server calls it: a thread that is started by the first call, bounded and with a time limit. */

import { Worker } from 'node:worker_threads';
import { fromErrorWire } from '../../protocol/errorWire.ts';
import { AppError } from '../../protocol/index.ts';
import { notify } from '../../store/notices.ts';
import type { AnswerCall, AnswerLimits, AnswerStore } from './answerStore.ts';
import type { AnswerQuestion, AnswerReply, AnswerWorkerData } from './answerWorker.ts';

export interface AnswerThreadOptions {
	/** File of the database. */
	readonly path: string;
	readonly limits: AnswerLimits;
	/** How long a call waits for another program that has locked the file. */
	readonly busyMs?: number;
	/** How long a call may take, those before it included. */
	readonly timeoutMs?: number;
}

/** Calls that wait at a time. */
const maxWaiting = 500;

const calls = [
	'begin',
	'end',
	'answer',
	'deleteAnswer',
	'context',
	'inputItems',
	'itemsById',
	'createConversation',
	'conversation',
	'changeConversation',
	'deleteConversation',
	'addItems',
	'conversationItems',
	'listItems',
	'item',
	'deleteItem',
	'counts',
	'deletePerson',
	'deleteAll',
] as const satisfies readonly AnswerCall[];

interface Waiting {
	readonly resolve: (value: unknown) => void;
	readonly reject: (error: Error) => void;
	readonly timer: NodeJS.Timeout;
}

class AnswerThread {
	readonly #options: AnswerThreadOptions;
	readonly #waiting = new Map<number, Waiting>();
	#worker: Worker | undefined;
	#numbers = 0;

	constructor(options: AnswerThreadOptions) {
		this.#options = options;
	}

	request(call: AnswerCall, given: readonly unknown[]): Promise<unknown> {
		if (this.#waiting.size >= maxWaiting)
			throw new AppError(
				'overloaded',
				'Too many requests wait for the store of responses. Send this one again in a moment, or with store: false.',
				{ retryAfterS: 2 },
			);
		const worker = this.#running();
		const number = ++this.#numbers;
		const { timeoutMs = 10_000 } = this.#options;
		return new Promise((resolve, reject) => {
			const timer = setTimeout(() => {
				const why = `The store of responses did not answer for ${timeoutMs / 1000} s. Its disk may be slow or gone; requests with store: false go on.`;
				this.#end(new AppError('store_unavailable', why));
			}, timeoutMs);
			timer.unref();
			this.#waiting.set(number, { resolve, reject, timer });
			worker.postMessage({ number, call, given } satisfies AnswerQuestion);
		});
	}

	/** Has on the disk what was said so far. */
	async close(): Promise<void> {
		const worker = this.#worker;
		if (worker === undefined) return;
		const { promise, resolve } = Promise.withResolvers<void>();
		worker.once('exit', () => resolve());
		worker.ref();
		worker.postMessage('close');
		const { timeoutMs = 10_000 } = this.#options;
		const late = setTimeout(() => void worker.terminate(), timeoutMs);
		await promise;
		clearTimeout(late);
	}

	#running(): Worker {
		if (this.#worker !== undefined) return this.#worker;
		const bundled = import.meta.url.endsWith('.cjs');
		const file = new URL(bundled ? './answer-worker.cjs' : './answerWorker.ts', import.meta.url);
		const { path, limits, busyMs = 1000 } = this.#options;
		const worker = new Worker(file, {
			workerData: { path, limits, busyMs } satisfies AnswerWorkerData,
			stdout: true,
			resourceLimits: { maxOldGenerationSizeMb: 256 },
		});
		this.#worker = worker;
		worker.unref();
		worker.on('message', (reply: AnswerReply) => {
			if ('notice' in reply) {
				notify(reply.notice);
				return;
			}
			const { number } = reply;
			const waiting = this.#waiting.get(number);
			if (waiting === undefined) return;
			this.#waiting.delete(number);
			clearTimeout(waiting.timer);
			if ('error' in reply) waiting.reject(fromErrorWire(reply.error));
			else waiting.resolve(reply.value);
		});
		const gone = (cause?: unknown) => {
			if (this.#worker !== worker) return;
			const why = 'The thread that keeps responses has ended. Try again.';
			this.#end(new AppError('store_unavailable', why, { cause }));
		};
		worker.on('error', gone);
		worker.on('exit', () => gone());
		return worker;
	}

	/** Everybody who waits hears why; the next call starts another thread. */
	#end(error: AppError): void {
		const worker = this.#worker;
		this.#worker = undefined;
		void worker?.terminate();
		for (const { reject, timer } of this.#waiting.values()) {
			clearTimeout(timer);
			reject(error);
		}
		this.#waiting.clear();
	}
}

/** A store in a thread, and how it ends. */
export interface ThreadedAnswerStore extends AnswerStore {
	close(): Promise<void>;
}

export function createAnswerStore(options: AnswerThreadOptions): ThreadedAnswerStore {
	const thread = new AnswerThread(options);
	const store = Object.fromEntries(
		calls.map((call) => [
			call,
			async (...given: readonly unknown[]) => await thread.request(call, given),
		]),
	);
	return { ...(store as unknown as AnswerStore), close: () => thread.close() };
}
