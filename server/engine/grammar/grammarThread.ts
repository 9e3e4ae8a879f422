/**
 * A thread with a grammar library of its own. It compiles one constraint at a time, and none while it
 * follows answers: generation waits for their next mask.
 */

import { Worker } from 'node:worker_threads';
import { AppError, fromErrorWire } from '../../protocol/index.ts';
import { ComputingTimer } from '../../work/computingLimit.ts';
import type { TokenConstraint } from '../sample/constraint.ts';
import { tooExpensive } from '../text/tooExpensive.ts';
import type {
	FromGrammarThread,
	GrammarRequest,
	GrammarThreadJob,
	ToGrammarThread,
} from './grammarMessages.ts';
import { newPosition, RemoteConstraint } from './remoteConstraint.ts';

/** Starting a thread and its library may take this long on a busy machine. */
const maxStartMs = 30_000;
/** Grammars a thread keeps. */
const maxKnown = 32;
const maxMemoryMb = 1536;

interface Starting {
	readonly key: string | undefined;
	readonly id: number;
	readonly position: SharedArrayBuffer;
	resolve(constraint: TokenConstraint | undefined): void;
	reject(error: unknown): void;
}

export class GrammarThread {
	readonly #job: GrammarThreadJob;
	readonly #vocabularySize: number;
	readonly #deadlineMs: number;
	readonly #worker: Worker;
	readonly #known = new Set<string>();
	readonly #open = new Set<number>();
	readonly #onIdle: () => void;
	#starting: Starting | undefined;
	readonly #timer: ComputingTimer;
	#isReady = false;
	#nextId = 1;
	#failure: AppError | undefined;
	#owner: string | undefined;

	/** @param onIdle called whenever the thread has no open constraint any more, and when it has ended */
	constructor(job: GrammarThreadJob, deadlineMs: number, onIdle: () => void) {
		this.#job = job;
		this.#vocabularySize = job.tokens.starts.byteLength / 4 - 1;
		this.#deadlineMs = deadlineMs;
		this.#onIdle = onIdle;
		this.#worker = new Worker(workerFile(), {
			workerData: job,
			resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
			env: {},
			stdout: true,
			stderr: true,
		});
		this.#timer = new ComputingTimer(this.#worker);
		this.#worker.stdout.resume();
		this.#worker.stderr.resume();
		this.#worker.on('message', (message: FromGrammarThread) => this.#take(message));
		this.#worker.on('error', (cause) => this.#end(this.#crash(cause)));
		this.#worker.on('exit', () => this.#end(this.#crash(undefined)));
	}

	get isGone(): boolean {
		return this.#failure !== undefined;
	}

	/** Whether it can take a constraint now without holding up an answer. */
	canTake(key: string | undefined): boolean {
		if (this.isGone || this.#starting !== undefined) return false;
		return this.knows(key) || (this.#open.size === 0 && this.#known.size < maxKnown);
	}

	/** Whether it has compiled this one. */
	knows(key: string | undefined): boolean {
		return key !== undefined && this.#known.has(key);
	}

	get isIdle(): boolean {
		return this.#starting === undefined && this.#open.size === 0;
	}

	get isCompiling(): boolean {
		return this.#starting !== undefined;
	}

	/** Whether it is at work for this owner; all that a thread has open at a time belongs to one. */
	worksFor(owner: string | undefined): boolean {
		return !this.isIdle && this.#owner === owner;
	}

	/**
	 * Compiles a constraint; `undefined` when it does not restrict anything.
	 * @param key by which it is known the next time, one of this owner's alone; absent: not kept
	 * @throws AppError `too_expensive`, `invalid_request`, `cancelled`
	 */
	start(
		owner: string | undefined,
		key: string | undefined,
		request: GrammarRequest,
		signal?: AbortSignal,
	): Promise<TokenConstraint | undefined> {
		this.#owner = owner;
		const id = this.#nextId++;
		const position = newPosition(this.#vocabularySize);
		// A compilation cannot be stopped; its thread can.
		const onAbort = () => this.#end(new AppError('cancelled'));
		signal?.addEventListener('abort', onAbort, { once: true });
		return new Promise<TokenConstraint | undefined>((resolve, reject) => {
			this.#starting = { key, id, position, resolve, reject };
			this.#limit();
			this.#worker.ref();
			this.#send({ kind: 'start', id, key, request, position });
		}).finally(() => signal?.removeEventListener('abort', onAbort));
	}

	async close(): Promise<void> {
		this.#end(new AppError('runner_crashed', 'The model is being unloaded.'));
		await this.#worker.terminate();
	}

	#send(message: ToGrammarThread): void {
		this.#worker.postMessage(message);
	}

	#limit(): void {
		const ms = this.#isReady ? this.#deadlineMs : maxStartMs;
		this.#timer.start(ms, () =>
			this.#end(this.#refusal(`took longer than ${ms / 1000} s and was ended`)),
		);
	}

	#take(message: FromGrammarThread): void {
		if (message.kind === 'ready') {
			this.#isReady = true;
			if (this.#starting !== undefined) this.#limit();
			else this.#worker.unref();
			return;
		}
		const starting = this.#starting;
		if (starting === undefined) return;
		this.#timer.stop();
		this.#starting = undefined;
		this.#worker.unref();
		if (message.kind === 'failed') {
			// The library may have begun anew, without what it had compiled.
			this.#known.clear();
			starting.reject(fromErrorWire(message.error));
		} else {
			if (starting.key !== undefined) this.#known.add(starting.key);
			starting.resolve(message.restricts ? this.#track(starting) : undefined);
		}
		if (this.isIdle) this.#onIdle();
	}

	#track({ id, position }: Starting): TokenConstraint {
		this.#open.add(id);
		return new RemoteConstraint(position, {
			accept: (token) => this.#send({ kind: 'accept', id, token }),
			rollback: (count) => this.#send({ kind: 'rollback', id, count }),
			dispose: () => {
				this.#open.delete(id);
				this.#send({ kind: 'dispose', id });
				if (this.isIdle) this.#onIdle();
			},
			stuck: () => {
				this.#end(this.#refusal('took too long for the next word and was ended'));
				return this.#failure as AppError;
			},
		});
	}

	#crash(cause: unknown): AppError {
		const isMemory = (cause as { code?: unknown } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
		if (isMemory)
			return this.#refusal(`needed more than ${maxMemoryMb} MB of memory and was ended`);
		return new AppError('internal', 'The grammar thread has ended.', { cause });
	}

	#refusal(why: string): AppError {
		return tooExpensive('schema', this.#job.model, why);
	}

	#end(error: AppError): void {
		if (this.isGone) return;
		this.#failure = error;
		this.#timer.stop();
		const starting = this.#starting;
		this.#starting = undefined;
		void this.#worker.terminate();
		starting?.reject(error);
		this.#onIdle();
	}
}

/** In the sources this file has a neighbour; in the bundle everything lies beside the server. */
function workerFile(): URL {
	const bundled = !import.meta.url.endsWith('.ts');
	return new URL(bundled ? './grammar-worker.cjs' : './grammarWorker.ts', import.meta.url);
}
