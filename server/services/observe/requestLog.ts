/**
 * The last chats that were asked of this server, with their texts, for its owner: off until it is switched on, in
 * memory only, and gone when it is switched off.
 */

import { AppError, asAppError, type Timings, type Usage } from '../../protocol/index.ts';
import type { ChatRequest } from '../../protocol/routes/chat.ts';
import type { ChatEvent } from '../chat/chatService.ts';
import type { ChatObservation, ChatObserver, ObservedRequest } from './observedChat.ts';

/** How one request went, without texts. */
export interface RecordedRequest {
	readonly id: string;
	/** Path that was asked. */
	readonly route: string;
	/** Milliseconds since 1970. */
	readonly startedAt: number;
	readonly model: string;
	readonly state: 'running' | 'done' | 'failed';
	/** Why it ended: a finish reason, or the code of an error. */
	readonly reason?: string;
	readonly usage?: Usage;
	readonly timings?: Timings;
	readonly firstTokenMs?: number;
	readonly ms?: number;
	readonly omittedTurns: number;
}

/** With its texts. */
export interface RecordedDetail extends RecordedRequest {
	readonly request: ChatRequest;
	/** Of the first choice. */
	readonly answer: string;
	readonly reasoning: string;
	readonly calls: readonly { readonly name: string; readonly arguments: string }[];
	/** Sentence of an error. */
	readonly message?: string;
	/** The prompt as the model got it; absent where it cannot be made again. */
	readonly prompt?: string;
}

export interface RequestLogOptions {
	/** Milliseconds since 1970. */
	readonly now: () => number;
	/** The prompt of a request as a text. */
	readonly render: (
		model: string,
		request: ObservedRequest,
		omittedTurns: number,
		signal: AbortSignal,
	) => Promise<string>;
	readonly maxRequests?: number;
	/** Characters of all texts together. */
	readonly maxChars?: number;
}

interface Entry {
	shown: RecordedRequest;
	readonly request: ObservedRequest;
	chars: number;
	answer: string;
	reasoning: string;
	readonly calls: { name: string; arguments: string }[];
	message?: string;
}

export class RequestLog implements ChatObserver {
	readonly #options: Required<RequestLogOptions>;
	readonly #entries = new Map<string, Entry>();
	#isOn = false;
	#count = 0;

	constructor(options: RequestLogOptions) {
		this.#options = { maxRequests: 50, maxChars: 8_000_000, ...options };
	}

	get isOn(): boolean {
		return this.#isOn;
	}

	/** Switched off, it forgets everything. */
	switch(isOn: boolean): void {
		this.#isOn = isOn;
		if (!isOn) this.#entries.clear();
	}

	/** The last first. */
	list(): readonly RecordedRequest[] {
		return [...this.#entries.values()].map(({ shown }) => shown).reverse();
	}

	/** @throws AppError `not_found` */
	async detail(id: string, signal: AbortSignal): Promise<RecordedDetail> {
		const entry = this.#entries.get(id);
		if (entry === undefined)
			throw new AppError(
				'not_found',
				`There is no recorded request '${id.slice(0, 64)}'. The last ${this.#options.maxRequests} are kept while requests are recorded.`,
			);
		const { shown, request, answer, reasoning, calls, message } = entry;
		const { owner: _, ownPrompt: own, ...more } = request;
		const { priority: _priority, isTranslation: _translation, ...sent } = more;
		const prompt = await this.#prompt(entry, signal);
		return {
			...shown,
			...{ request: sent, answer, reasoning, calls },
			...(message === undefined ? {} : { message }),
			...(prompt === undefined ? {} : { prompt }),
		};
	}

	begin(
		request: ObservedRequest,
		context: { readonly requestId: string; readonly route: string } | undefined,
	): ChatObservation | undefined {
		if (!this.#isOn) return undefined;
		const id = `req_${++this.#count}`;
		const entry: Entry = {
			shown: {
				...{ id, route: context?.route ?? '', startedAt: this.#options.now() },
				...{ model: request.model ?? '', state: 'running', omittedTurns: 0 },
			},
			request,
			chars: charsOf(request),
			answer: '',
			reasoning: '',
			calls: [],
		};
		this.#entries.set(id, entry);
		this.#keepLimits();
		const started = performance.now();
		let reason: string | undefined;
		return {
			event: (event) => {
				if (event.type === 'finish' && event.choice === 0) reason = event.reason;
				take(entry, event, performance.now() - started);
			},
			end: (outcome, error) => {
				const ms = performance.now() - started;
				const failed = outcome === undefined ? asAppError(error) : undefined;
				const why = failed?.code ?? reason;
				entry.shown = {
					...entry.shown,
					...{ state: failed === undefined ? 'done' : 'failed', ms },
					...(why === undefined ? {} : { reason: why }),
					...(outcome === undefined
						? {}
						: {
								...{ model: outcome.model, usage: outcome.usage, timings: outcome.timings },
								omittedTurns: outcome.omittedTurns,
							}),
				};
				if (failed !== undefined) entry.message = failed.message;
				this.#keepLimits();
			},
		};
	}

	async #prompt({ shown, request }: Entry, signal: AbortSignal): Promise<string | undefined> {
		const { model, omittedTurns } = shown;
		try {
			return await this.#options.render(model, request, omittedTurns, signal);
		} catch (error) {
			if (signal.aborted) throw error;
			// The model may be gone; everything else is still worth a look.
			return undefined;
		}
	}

	#keepLimits(): void {
		const { maxRequests, maxChars } = this.#options;
		let chars = [...this.#entries.values()].reduce((sum, entry) => sum + entry.chars, 0);
		for (const [id, entry] of this.#entries) {
			if (this.#entries.size <= maxRequests && chars <= maxChars) return;
			this.#entries.delete(id);
			chars -= entry.chars;
		}
	}
}

function take(entry: Entry, event: ChatEvent, ms: number): void {
	if (event.type === 'start') entry.shown = { ...entry.shown, model: event.model };
	if (event.type !== 'piece') return;
	if (entry.shown.firstTokenMs === undefined) entry.shown = { ...entry.shown, firstTokenMs: ms };
	if (event.choice !== 0) return;
	const { reasoning, content, calls } = event.piece;
	entry.answer += content;
	entry.reasoning += reasoning;
	entry.chars += content.length + reasoning.length;
	for (const call of calls) {
		if (call.name !== undefined) entry.calls.push({ name: call.name, arguments: '' });
		const last = entry.calls.at(-1);
		if (last !== undefined) last.arguments += call.arguments ?? '';
		entry.chars += call.arguments?.length ?? 0;
	}
}

function charsOf({ messages, tools }: ObservedRequest): number {
	let chars = tools === undefined ? 0 : JSON.stringify(tools).length;
	for (const { content, images = [], tool_calls: calls } of messages) {
		chars += content?.length ?? 0;
		for (const { base64 } of images) chars += base64.length;
		for (const call of calls ?? []) chars += call.function.arguments.length;
	}
	return chars;
}
