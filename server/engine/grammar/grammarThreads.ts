/** The grammar threads of one model: as many as different constraints are at work at once. */

import { AppError } from '../../protocol/index.ts';
import type { Constraint, TextModel } from '../api.ts';
import type { TokenConstraint } from '../sample/constraint.ts';
import { promptOpensReasoning, type ReasoningTags } from '../template/reasoning.ts';
import type { ToolFormat } from '../template/toolFormat.ts';
import { defaultDeadlineMs } from '../text/textThread.ts';
import { GrammarThread } from './grammarThread.ts';
import { type TokenTable, tokenTableOf } from './tokenTable.ts';

const maxThreads = 8;
/** Of these, how many one owner may hold, so that others find one. */
const maxOwnThreads = 6;
/** How many constraints of one owner are compiled at once; costly ones take seconds of a processor. */
const maxOwnCompilations = 2;
/** How long a constraint waits for a thread. */
const defaultMaxWaitMs = 60_000;
/** Threads beyond the first end when they had nothing to do for this long. */
const idleMs = 30_000;

export interface GrammarThreadsOptions {
	readonly text: TextModel;
	readonly format: ToolFormat;
	readonly reasoning: ReasoningTags;
	/** Name of the model, for messages. */
	readonly model: string;
	/** Processor time that compiling one constraint may take. */
	readonly deadlineMs?: number | undefined;
	/** Time that a constraint may wait for a thread. */
	readonly maxWaitMs?: number | undefined;
}

interface Waiting {
	readonly owner: string | undefined;
	wake(): void;
}

export class GrammarThreads {
	readonly #options: GrammarThreadsOptions;
	#threads: GrammarThread[] = [];
	#tokens: TokenTable | undefined;
	#waiting: Waiting[] = [];
	#timer: NodeJS.Timeout | undefined;
	#closed = false;

	constructor(options: GrammarThreadsOptions) {
		this.#options = options;
	}

	/**
	 * Compiles a constraint; `undefined` when it does not restrict anything.
	 * @param promptEnd last piece of the prompt as text: one that opens a reasoning block is left free to end it
	 * @param owner whose it is: a grammar known already is ready sooner, which others must not notice; absent: not kept
	 * @throws AppError `too_expensive`, `invalid_request` with `param`, `cancelled`, `overloaded` when no thread was free
	 * in time
	 */
	async compile(
		constraint: Constraint,
		endTokens: readonly number[],
		promptEnd = '',
		signal?: AbortSignal,
		owner?: string,
	): Promise<TokenConstraint | undefined> {
		const opens = promptOpensReasoning(promptEnd, this.#options.reasoning);
		const key =
			owner === undefined ? undefined : JSON.stringify([owner, constraint, endTokens, opens]);
		const waitUntil = performance.now() + (this.#options.maxWaitMs ?? defaultMaxWaitMs);
		for (;;) {
			if (signal?.aborted) throw new AppError('cancelled');
			if (this.#closed) throw new AppError('runner_crashed', 'The model is being unloaded.');
			const thread = this.#threadFor(key, owner);
			if (thread !== undefined) {
				clearTimeout(this.#timer);
				return thread.start(owner, key, { constraint, endTokens, promptEnd }, signal);
			}
			const leftMs = waitUntil - performance.now();
			if (leftMs <= 0) throw noThread();
			await this.#waitForThread(owner, leftMs, signal);
		}
	}

	async close(): Promise<void> {
		this.#closed = true;
		clearTimeout(this.#timer);
		const threads = this.#threads.splice(0);
		await Promise.all(threads.map((thread) => thread.close()));
		this.#wake();
	}

	#threadFor(key: string | undefined, owner: string | undefined): GrammarThread | undefined {
		const able = this.#threads.filter((thread) => thread.canTake(key));
		const knowing = able.find((thread) => thread.knows(key));
		if (knowing !== undefined) return knowing;
		const own = this.#threads.filter((thread) => thread.worksFor(owner));
		const compiling = own.filter((thread) => thread.isCompiling);
		if (own.length >= maxOwnThreads || compiling.length >= maxOwnCompilations) return undefined;
		if (able[0] !== undefined) return able[0];
		if (this.#threads.length >= maxThreads) {
			// One that has seen too much makes room.
			const used = this.#threads.findIndex((thread) => thread.isIdle);
			if (used < 0) return undefined;
			void this.#threads.splice(used, 1)[0]?.close();
		}
		const { text, format, reasoning, model, deadlineMs = defaultDeadlineMs } = this.#options;
		this.#tokens ??= tokenTableOf(text);
		const job = { tokens: this.#tokens, format, reasoning, model };
		const thread = new GrammarThread(job, deadlineMs, () => this.#rest());
		this.#threads.push(thread);
		return thread;
	}

	/** Until some thread may be free, the time is over, or the caller goes. */
	#waitForThread(
		owner: string | undefined,
		ms: number,
		signal: AbortSignal | undefined,
	): Promise<void> {
		return new Promise((resolve) => {
			const wake = () => {
				clearTimeout(timer);
				signal?.removeEventListener('abort', wake);
				resolve();
			};
			const waiting = { owner, wake };
			const timer = setTimeout(() => {
				this.#waiting = this.#waiting.filter((one) => one !== waiting);
				wake();
			}, ms);
			this.#waiting.push(waiting);
			signal?.addEventListener('abort', wake, { once: true });
		});
	}

	/** Whoever holds the fewest threads looks first, among equals who came first. */
	#wake(): void {
		const held = ({ owner }: Waiting) =>
			this.#threads.filter((thread) => thread.worksFor(owner)).length;
		const waiting = this.#waiting.splice(0).map((one) => [held(one), one] as const);
		for (const [, one] of waiting.sort(([a], [b]) => a - b)) one.wake();
	}

	#rest(): void {
		this.#threads = this.#threads.filter((thread) => !thread.isGone);
		this.#wake();
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => {
			const [, ...surplus] = this.#threads.filter((thread) => thread.isIdle);
			for (const thread of surplus) void thread.close();
		}, idleMs);
		this.#timer.unref();
	}
}

function noThread(): AppError {
	return new AppError(
		'overloaded',
		'Other schemas and grammars are being worked on; this one found no place in time. Try again.',
		{ retryAfterS: 10 },
	);
}
