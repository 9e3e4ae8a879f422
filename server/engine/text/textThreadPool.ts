/** One model's text threads: one for short texts, and one for long texts, so that no short one waits behind them. */

import type { GeneratePrompt } from '../api.ts';
import type { Priority, TextJobName, TextJobs, TextService } from './textJobs.ts';
import { TextThread, type TextThreadOptions } from './textThread.ts';

/** Longer texts, in characters or tokens, are for the second thread. */
const longText = 50_000;
/** The second thread ends when it had nothing to do for this long. */
const idleMs = 60_000;

export class TextThreadPool implements TextService {
	readonly #options: TextThreadOptions;
	readonly #short: TextThread;
	#long: TextThread | undefined;
	#timer: NodeJS.Timeout | undefined;
	#closed = false;

	constructor(options: TextThreadOptions) {
		this.#options = options;
		this.#short = new TextThread(options);
	}

	/** Whether somebody waits for an answer. */
	get isBusy(): boolean {
		return this.#short.isBusy || this.#long?.isBusy === true;
	}

	request<J extends TextJobName>(
		job: J,
		request: TextJobs[J]['request'],
		signal?: AbortSignal,
		priority?: Priority,
	): Promise<TextJobs[J]['result']> {
		if (this.#closed || sizeOf(request) <= longText)
			return this.#short.request(job, request, signal, priority);
		clearTimeout(this.#timer);
		this.#long ??= new TextThread(this.#options);
		return this.#long.request(job, request, signal, priority).finally(() => this.#rest());
	}

	async close(): Promise<void> {
		this.#closed = true;
		clearTimeout(this.#timer);
		await Promise.all([this.#short.close(), this.#long?.close()]);
	}

	#rest(): void {
		clearTimeout(this.#timer);
		if (this.#closed || this.#long?.isBusy === true) return;
		this.#timer = setTimeout(() => {
			void this.#long?.close();
			this.#long = undefined;
		}, idleMs);
		this.#timer.unref();
	}
}

/** Characters and tokens of a question. */
function sizeOf(request: TextJobs[TextJobName]['request']): number {
	if ('tokens' in request) return request.tokens.length;
	if ('texts' in request) return total(request.texts);
	if ('prompts' in request) return total(request.prompts) + (request.suffix?.length ?? 0);
	return sizeOfPrompt(request.prompt);
}

/** Characters or tokens of a prompt, before a template adds to it. */
export function sizeOfPrompt(prompt: GeneratePrompt): number {
	if (prompt.kind === 'tokens') return prompt.tokens.length;
	if (prompt.kind === 'text') return prompt.text.length;
	return total(prompt.messages.map(({ content }) => content ?? ''));
}

const total = (parts: readonly { readonly length: number }[]) =>
	parts.reduce((sum, { length }) => sum + length, 0);
