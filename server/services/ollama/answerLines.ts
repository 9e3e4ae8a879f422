/** Answers as Ollama writes them: lines of a stream, or one object that says it all. */

import type { Timings, Usage } from '../../protocol/index.ts';
import type { ChatEvent } from '../chat/chatService.ts';
import type { CallPiece } from '../chat/choiceReader.ts';
import { toWireLogprob } from '../chat/serializeCompletion.ts';

/** What an answer, or a piece of one, says. */
export interface Said {
	readonly content: string;
	readonly thinking?: string;
	readonly calls?: readonly Call[];
	readonly logprobs?: readonly object[];
}

interface Call {
	readonly id: string;
	readonly function: {
		readonly index: number;
		readonly name: string;
		readonly arguments: Readonly<Record<string, unknown>>;
	};
}

/** How an answer ended. */
export interface Ended {
	readonly reason: 'stop' | 'length' | 'load' | 'unload';
	readonly totalMs: number;
	readonly usage?: Usage;
	readonly timings?: Timings;
	/** Tokens for the next request. */
	readonly context?: readonly number[];
}

export interface LineOptions {
	/** The name the caller used. */
	readonly model: string;
	readonly kind: 'chat' | 'generate';
	/** ISO 8601. */
	readonly now: () => string;
}

/** Writes lines, and keeps what they say for the whole answer. */
export class AnswerLines {
	readonly #options: LineOptions;
	readonly #said = { content: '', thinking: '' };
	readonly #calls: Call[] = [];
	readonly #logprobs: object[] = [];
	readonly #tokens: number[] = [];
	#open: { index: number; id: string; name: string; arguments: string } | undefined;
	#reason: 'stop' | 'length' = 'stop';

	constructor(options: LineOptions) {
		this.#options = options;
	}

	/** Tokens of the answer so far. */
	get tokens(): readonly number[] {
		return this.#tokens;
	}

	get reason(): 'stop' | 'length' {
		return this.#reason;
	}

	/** The lines of an event of a chat. */
	take(event: ChatEvent): object[] {
		if (event.type === 'finish') {
			this.#reason = event.reason === 'length' ? 'length' : 'stop';
			const calls = this.#closeCall();
			return calls.length === 0 ? [] : [this.add({ content: '', calls })];
		}
		if (event.type !== 'piece') return [];
		const { content, reasoning, calls: pieces } = event.piece;
		for (const id of event.tokenIds) this.#tokens.push(id);
		const calls = pieces.flatMap((piece) => this.#callPiece(piece));
		const logprobs = event.logprobs?.map(toWireLogprob) ?? [];
		if (content === '' && reasoning === '' && calls.length === 0 && logprobs.length === 0)
			return [];
		return [
			this.add({
				content,
				...(reasoning === '' ? {} : { thinking: reasoning }),
				...(calls.length === 0 ? {} : { calls }),
				...(logprobs.length === 0 ? {} : { logprobs }),
			}),
		];
	}

	/** A line that says something more. */
	add(said: Said): object {
		this.#said.content += said.content;
		this.#said.thinking += said.thinking ?? '';
		for (const call of said.calls ?? []) this.#calls.push(call);
		for (const logprob of said.logprobs ?? []) this.#logprobs.push(logprob);
		return { ...this.#line(said), done: false };
	}

	/** The last line of a stream. */
	last(ended: Ended): object {
		return { ...this.#line({ content: '' }), ...endOf(ended) };
	}

	/** All lines in one. */
	whole(ended: Ended): object {
		const { content, thinking } = this.#said;
		const said = {
			content,
			...(thinking === '' ? {} : { thinking }),
			...(this.#calls.length === 0 ? {} : { calls: this.#calls }),
			...(this.#logprobs.length === 0 ? {} : { logprobs: this.#logprobs }),
		};
		return { ...this.#line(said), ...endOf(ended) };
	}

	#line({ content, thinking, calls, logprobs }: Said): object {
		const { model, kind, now } = this.#options;
		const more = thinking === undefined ? {} : { thinking };
		const text =
			kind === 'generate'
				? { response: content, ...more }
				: {
						message: {
							role: 'assistant',
							content,
							...more,
							...(calls === undefined ? {} : { tool_calls: calls }),
						},
					};
		return { model, created_at: now(), ...text, ...(logprobs === undefined ? {} : { logprobs }) };
	}

	/** Calls come whole in this interface: one is written when the next begins, or at the end. */
	#callPiece(piece: CallPiece): Call[] {
		const done = piece.id === undefined ? [] : this.#closeCall();
		if (piece.id !== undefined)
			this.#open = { index: piece.index, id: piece.id, name: '', arguments: '' };
		if (this.#open !== undefined) {
			this.#open.name += piece.name ?? '';
			this.#open.arguments += piece.arguments ?? '';
		}
		return done;
	}

	#closeCall(): Call[] {
		const open = this.#open;
		this.#open = undefined;
		if (open === undefined) return [];
		const given = argumentsOf(open.arguments);
		// Cut off in the middle: half a call is none.
		if (given === undefined) return [];
		const { index, id, name } = open;
		return [{ id, function: { index, name, arguments: given } }];
	}
}

function argumentsOf(text: string): Readonly<Record<string, unknown>> | undefined {
	try {
		const value: unknown = text.trim() === '' ? {} : JSON.parse(text);
		return typeof value === 'object' && value !== null && !Array.isArray(value)
			? (value as Readonly<Record<string, unknown>>)
			: undefined;
	} catch {
		return undefined;
	}
}

const nanoseconds = (ms: number) => Math.round(ms * 1e6);

function endOf({ reason, totalMs, usage, timings, context }: Ended): object {
	return {
		done: true,
		done_reason: reason,
		...(timings === undefined
			? {}
			: {
					total_duration: nanoseconds(totalMs),
					load_duration: nanoseconds(timings.load_ms),
					prompt_eval_count: usage?.prompt_tokens ?? 0,
					prompt_eval_duration: nanoseconds(timings.prompt_ms),
					eval_count: usage?.completion_tokens ?? 0,
					eval_duration: nanoseconds(timings.predicted_ms),
				}),
		...(context === undefined ? {} : { context }),
	};
}

/** Log-probabilities of completions, which come in columns, as this interface lists them. */
export function listedLogprobs(logprobs: {
	readonly tokens: readonly string[];
	readonly token_logprobs: readonly (number | null)[];
	readonly top_logprobs: readonly (Readonly<Record<string, number>> | null)[];
}): object[] {
	const encoder = new TextEncoder();
	const listed = (token: string, logprob: number) => ({
		token,
		logprob,
		bytes: [...encoder.encode(token)],
	});
	return logprobs.tokens.map((token, index) => ({
		...listed(token, logprobs.token_logprobs[index] ?? 0),
		top_logprobs: Object.entries(logprobs.top_logprobs[index] ?? {}).map(([each, value]) =>
			listed(each, value),
		),
	}));
}
