/**
 * A thread that holds the tokenizer and the template of one model. What takes too long, or is wanted by
 * no caller any more, is ended together with its thread; the questions behind it get a new one.
 */

import { Worker } from 'node:worker_threads';
import { AppError, fromErrorWire } from '../../protocol/index.ts';
import { ComputingTimer } from '../../work/computingLimit.ts';
import type { Priority, TextJobName, TextJobs, TextService } from './textJobs.ts';
import type { TextAnswer, TextQuestion, TextThreadJob } from './textMessages.ts';
import { costlyParts, tooExpensive } from './tooExpensive.ts';

/** Longest time one question may take. */
export const defaultDeadlineMs = 10_000;
/** Longest time the files of a model may take to read, on a busy machine. */
const maxLoadMs = 60_000;
/** Abandoned work may continue for this long: most questions end sooner than a thread begins. */
const abandonedMs = 250;
/** After so many questions of people the oldest one has its turn, whosever it is. */
const maxPassed = 8;
/** A vocabulary of 260,000 tokens takes some 300 MB while it is read. */
const defaultMemoryMb = 1536;

export interface TextThreadOptions {
	readonly folder: string;
	/** Name of the model, for messages. */
	readonly model: string;
	/** Jinja chat template for a model that has none. */
	readonly chatTemplate?: string | undefined;
	readonly deadlineMs?: number | undefined;
	/** Heap of the thread in MB. */
	readonly maxMemoryMb?: number;
}

interface PendingRequest extends TextQuestion {
	readonly priority: Priority;
	resolve(value: unknown): void;
	reject(error: unknown): void;
	/** Nobody waits for the answer any more. */
	isAbandoned: boolean;
}

export class TextThread implements TextService {
	readonly #options: TextThreadOptions;
	readonly #deadlineMs: number;
	readonly #maxMemoryMb: number;
	readonly #atWork = new Int32Array(new SharedArrayBuffer(4));
	readonly #waiting: PendingRequest[] = [];
	/** Questions in a row that went before one of background work. */
	#passed = 0;
	#worker: Worker | undefined;
	#isReading = false;
	#running: PendingRequest | undefined;
	#timer: ComputingTimer | undefined;
	#closed = false;

	constructor(options: TextThreadOptions) {
		this.#options = options;
		this.#deadlineMs = options.deadlineMs ?? defaultDeadlineMs;
		this.#maxMemoryMb = options.maxMemoryMb ?? defaultMemoryMb;
	}

	/** Whether somebody waits for an answer. */
	get isBusy(): boolean {
		return this.#running !== undefined || this.#waiting.length > 0;
	}

	request<J extends TextJobName>(
		job: J,
		request: TextJobs[J]['request'],
		signal?: AbortSignal,
		priority: Priority = 'interactive',
	): Promise<TextJobs[J]['result']> {
		if (signal?.aborted) return Promise.reject(new AppError('cancelled'));
		if (this.#closed) return Promise.reject(gone());
		return new Promise((resolve, reject) => {
			const onAbort = () => {
				reject(new AppError('cancelled'));
				this.#abandon(pending);
			};
			const done = () => signal?.removeEventListener('abort', onAbort);
			const pending: PendingRequest = {
				job,
				request,
				priority,
				resolve: (value) => {
					done();
					resolve(value as TextJobs[J]['result']);
				},
				reject: (error) => {
					done();
					reject(error);
				},
				isAbandoned: false,
			};
			signal?.addEventListener('abort', onAbort, { once: true });
			this.#waiting.push(pending);
			this.#next();
		});
	}

	/** Ends the thread; pending requests are rejected because the model is gone. */
	async close(): Promise<void> {
		this.#closed = true;
		await this.#end(gone(), true);
	}

	#next(): void {
		if (this.#running !== undefined) return;
		if (this.#waiting.length === 0) {
			this.#worker?.unref();
			return;
		}
		this.#worker ??= this.#start();
		this.#worker.ref();
		const pending = this.#takeNext();
		this.#running = pending;
		this.#limit();
		this.#worker.postMessage({ job: pending.job, request: pending.request } satisfies TextQuestion);
	}

	/** The next of people's, and one of background work after several of them. */
	#takeNext(): PendingRequest {
		const first = this.#waiting.findIndex(({ priority }) => priority === 'interactive');
		const place = this.#passed >= maxPassed ? 0 : Math.max(0, first);
		const [pending] = this.#waiting.splice(place, 1);
		this.#passed = place === 0 ? 0 : this.#passed + 1;
		return pending as PendingRequest;
	}

	#start(): Worker {
		const { folder, model, chatTemplate } = this.#options;
		const atWork = this.#atWork.buffer as SharedArrayBuffer;
		this.#atWork[0] = 0;
		this.#isReading = true;
		const worker = new Worker(workerFile(), {
			workerData: { folder, model, chatTemplate, atWork } satisfies TextThreadJob,
			resourceLimits: { maxOldGenerationSizeMb: this.#maxMemoryMb },
			// Nothing of the environment is a model's business.
			env: {},
			stdout: true,
			stderr: true,
		});
		this.#timer = new ComputingTimer(worker);
		worker.stdout.resume();
		worker.stderr.resume();
		worker.on('message', (answer: TextAnswer) => {
			if (worker === this.#worker) this.#take(answer);
		});
		worker.on('error', (cause) => {
			if (worker === this.#worker) void this.#end(this.#crash(cause));
		});
		worker.on('exit', () => {
			if (worker === this.#worker) void this.#end(this.#crash(undefined));
		});
		return worker;
	}

	#take(answer: TextAnswer): void {
		if (answer.kind === 'reading' || answer.kind === 'read') {
			this.#isReading = answer.kind === 'reading';
			this.#limit();
			return;
		}
		this.#timer?.stop();
		const pending = this.#running;
		this.#running = undefined;
		if (answer.kind === 'error') pending?.reject(fromErrorWire(answer.error));
		else pending?.resolve(answer.value);
		this.#next();
	}

	#abandon(pending: PendingRequest): void {
		const place = this.#waiting.indexOf(pending);
		if (place >= 0) this.#waiting.splice(place, 1);
		else if (this.#running === pending) {
			pending.isAbandoned = true;
			this.#limit();
		}
	}

	/** Sets the time the thread has for what it does now. */
	#limit(): void {
		const { isAbandoned } = this.#running ?? {};
		const forAnswer = isAbandoned ? Math.min(abandonedMs, this.#deadlineMs) : this.#deadlineMs;
		// Reading is not for one question alone, and the next one would have to begin it again.
		const ms = this.#isReading ? maxLoadMs : forAnswer;
		this.#timer?.start(
			ms,
			() => void this.#end(this.#refusal(`took longer than ${ms / 1000} s and was ended`)),
		);
	}

	#crash(cause: unknown): AppError {
		const isMemory = (cause as { code?: unknown } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
		if (isMemory)
			return this.#refusal(`needed more than ${this.#maxMemoryMb} MB of memory and was ended`);
		return new AppError('internal', `The text thread of '${this.#options.model}' has ended.`, {
			cause,
		});
	}

	#refusal(why: string): AppError {
		const part = costlyParts[this.#atWork[0] ?? 0] ?? 'files';
		return tooExpensive(part, this.#options.model, why);
	}

	/** Ends the thread with what it was doing, or with everything; the next question begins another. */
	async #end(error: AppError, all = false): Promise<void> {
		this.#timer?.stop();
		const worker = this.#worker;
		this.#worker = undefined;
		const running = this.#running;
		this.#running = undefined;
		running?.reject(error);
		if (all) for (const pending of this.#waiting.splice(0)) pending.reject(error);
		else this.#next();
		await worker?.terminate();
	}
}

function gone(): AppError {
	return new AppError('runner_crashed', 'The model is being unloaded.');
}

/** In the sources this file has a neighbour; in the bundle everything lies beside the server. */
function workerFile(): URL {
	const bundled = !import.meta.url.endsWith('.ts');
	return new URL(bundled ? './text-worker.cjs' : './textWorker.ts', import.meta.url);
}
