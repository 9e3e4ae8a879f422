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
/** Threads beyond the first end when they had nothing to do for this long. */
const idleMs = 30_000;

export interface GrammarThreadsOptions {
	readonly text: TextModel;
	readonly format: ToolFormat;
	readonly reasoning: ReasoningTags;
	/** Name of the model, for messages. */
	readonly model: string;
	readonly deadlineMs?: number | undefined;
}

export class GrammarThreads {
	readonly #options: GrammarThreadsOptions;
	#threads: GrammarThread[] = [];
	#tokens: TokenTable | undefined;
	#waiting: (() => void)[] = [];
	#timer: NodeJS.Timeout | undefined;
	#closed = false;

	constructor(options: GrammarThreadsOptions) {
		this.#options = options;
	}

	/**
	 * Compiles a constraint; `undefined` when it does not restrict anything.
	 * @param promptEnd last piece of the prompt as text: one that opens a reasoning block is left free to end it
	 * @param owner whose it is: a grammar known already is ready sooner, which others must not notice; absent: not kept
	 * @throws AppError `too_expensive`, `invalid_request` with `param`, `cancelled`
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
		for (;;) {
			if (signal?.aborted) throw new AppError('cancelled');
			if (this.#closed) throw new AppError('runner_crashed', 'The model is being unloaded.');
			const thread = this.#threadFor(key);
			if (thread !== undefined) {
				clearTimeout(this.#timer);
				return thread.start(key, { constraint, endTokens, promptEnd }, signal);
			}
			await this.#waitForThread(signal);
		}
	}

	async close(): Promise<void> {
		this.#closed = true;
		clearTimeout(this.#timer);
		const threads = this.#threads.splice(0);
		await Promise.all(threads.map((thread) => thread.close()));
		this.#wake();
	}

	#threadFor(key: string | undefined): GrammarThread | undefined {
		const able = this.#threads.filter((thread) => thread.canTake(key));
		const found = able.find((thread) => thread.knows(key)) ?? able[0];
		if (found !== undefined) return found;
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

	/** Until some thread may be free, or the caller goes. */
	#waitForThread(signal: AbortSignal | undefined): Promise<void> {
		return new Promise((resolve) => {
			const done = () => {
				signal?.removeEventListener('abort', done);
				resolve();
			};
			this.#waiting.push(done);
			signal?.addEventListener('abort', done, { once: true });
		});
	}

	#wake(): void {
		for (const wake of this.#waiting.splice(0)) wake();
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
