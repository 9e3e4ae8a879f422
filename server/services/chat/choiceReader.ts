/** Reads one choice of an answer while it arrives: reasoning, content and tool calls apart. */

import { ReasoningSplitter } from '../../engine/template/reasoning.ts';
import { ToolCallParser } from '../../engine/template/toolCallParser.ts';
import type { FinishReason } from '../../protocol/index.ts';
import type { ModelProfile } from './profile.ts';

/** A piece of a tool call; `id` and `name` come once, in the first piece. */
export interface CallPiece {
	readonly index: number;
	readonly id?: string;
	readonly name?: string;
	readonly arguments?: string;
}

export interface ChoicePiece {
	readonly reasoning: string;
	readonly content: string;
	readonly calls: readonly CallPiece[];
}

export interface ChoiceReaderOptions {
	readonly profile: ModelProfile;
	readonly toolNames: readonly string[];
	readonly maxCalls: number;
	/** The prompt ended inside a reasoning block. */
	readonly startsReasoning: boolean;
	readonly newCallId: () => string;
}

export class ChoiceReader {
	readonly #splitter: ReasoningSplitter;
	readonly #parser: ToolCallParser | undefined;
	readonly #options: ChoiceReaderOptions;
	readonly #seen = new Set<number>();
	/** Tokens that were part of the reasoning. */
	reasoningTokens = 0;

	constructor(options: ChoiceReaderOptions) {
		this.#options = options;
		this.#splitter = new ReasoningSplitter(options.profile.reasoning, options.startsReasoning);
		if (options.toolNames.length > 0)
			this.#parser = new ToolCallParser(options.profile.toolFormat, options.toolNames);
	}

	/** Takes text and the number of tokens it came from. */
	push(text: string, tokens: number): ChoicePiece {
		const before = this.#splitter.isReasoning;
		const split = this.#splitter.push(text);
		if (before || split.reasoning !== '') this.reasoningTokens += tokens;
		return this.#parse(split.reasoning, split.content);
	}

	/** Takes the end; gives what was held back. */
	end(): ChoicePiece {
		const split = this.#splitter.end();
		const last = this.#parse(split.reasoning, split.content);
		const rest = this.#parser?.end();
		if (!rest) return last;
		return {
			reasoning: last.reasoning,
			content: last.content + rest.content,
			calls: [...last.calls, ...this.#pieces(rest.calls)],
		};
	}

	/** Why the choice ended, in the words of the interface. */
	finishReason(reason: 'stop' | 'length', olderForm: boolean): FinishReason {
		if (reason === 'length' || this.#seen.size === 0) return reason;
		return olderForm ? 'function_call' : 'tool_calls';
	}

	#parse(reasoning: string, content: string): ChoicePiece {
		if (!this.#parser || content === '') return { reasoning, content, calls: [] };
		const parsed = this.#parser.push(content);
		return { reasoning, content: parsed.content, calls: this.#pieces(parsed.calls) };
	}

	#pieces(
		deltas: readonly {
			readonly index: number;
			readonly name?: string;
			readonly arguments?: string;
		}[],
	): CallPiece[] {
		return deltas.flatMap((delta) => {
			if (delta.index >= this.#options.maxCalls) return [];
			if (this.#seen.has(delta.index)) return [delta];
			this.#seen.add(delta.index);
			return [{ ...delta, id: this.#options.newCallId() }];
		});
	}
}
