/**
 * Reads prompts and texts in a process that runs a model. What is known to take a moment is read on the
 * spot; everything whose cost others chose goes to the model's text threads.
 */

import type { GeneratePrompt, TextModel } from '../api.ts';
import { checkLength } from './promptLength.ts';
import {
	inProcessTextService,
	type Priority,
	type TextJobs,
	type TextService,
} from './textJobs.ts';
import { sizeOfPrompt } from './textThreadPool.ts';

/** Characters that a bounded tokenizer reads in some milliseconds. */
const shortText = 32_768;
/** Putting marks in order takes time by the square of their number. */
const pileOfMarks = /\p{M}{64}/u;

export class TextReader {
	readonly #text: TextModel;
	readonly #threads: TextService;

	/** @param threads the same model in threads */
	constructor(text: TextModel, threads: TextService) {
		this.#text = text;
		this.#threads = threads;
	}

	/**
	 * Tokens of a prompt.
	 * @throws AppError `context_length_exceeded` for what cannot fit, `too_expensive`, `invalid_request`
	 */
	async prompt(
		prompt: GeneratePrompt,
		contextLength: number,
		signal?: AbortSignal,
		priority?: Priority,
	): Promise<number[]> {
		if (prompt.kind === 'tokens') return [...prompt.tokens];
		if (prompt.kind === 'chat' && prompt.tokens !== undefined) return [...prompt.tokens];
		// What will not be tokenised here is not fetched from there in between.
		if (prompt.kind === 'chat' && !(this.#text.isBounded && sizeOfPrompt(prompt) <= shortText))
			return this.#threads.request('prompt', { prompt, contextLength }, signal, priority);
		const text =
			prompt.kind === 'text'
				? prompt.text
				: await this.#threads.request('render', { prompt }, signal, priority);
		checkLength(text, contextLength);
		// A template writes what a tokenizer would add by itself.
		const [ids = []] = await this.encode([text], prompt.kind === 'text', signal, priority);
		return ids;
	}

	/** Ids of texts, each as {@link TextModel.encode}. */
	async encode(
		texts: readonly string[],
		addSpecial: boolean,
		signal?: AbortSignal,
		priority?: Priority,
	): Promise<number[][]> {
		if (this.#isQuick(texts)) return texts.map((each) => this.#text.encode(each, { addSpecial }));
		return this.#threads.request('encode', { texts, addSpecial }, signal, priority);
	}

	/** Texts with the places of their tokens; not a promise when they take but a moment. */
	encodeWithOffsets(
		texts: readonly string[],
		signal?: AbortSignal,
		priority?: Priority,
	): Encoded | Promise<Encoded> {
		if (this.#isQuick(texts)) return texts.map((each) => this.#text.encodeWithOffsets(each));
		return this.#threads.request('encodeWithOffsets', { texts }, signal, priority);
	}

	#isQuick(texts: readonly string[]): boolean {
		const length = texts.reduce((sum, each) => sum + each.length, 0);
		return (
			this.#text.isBounded && length <= shortText && !texts.some((each) => pileOfMarks.test(each))
		);
	}
}

type Encoded = TextJobs['encodeWithOffsets']['result'];

/** A reader that reads everything on the spot, for tools and tests that trust their model. */
export function inProcessTextReader(text: TextModel): TextReader {
	return new TextReader(text, inProcessTextService(text));
}
