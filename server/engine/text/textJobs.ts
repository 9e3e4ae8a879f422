/**
 * Requests to a model's tokenizer and chat template. Their cost depends on the authors of the model and
 * of the text, so they run in a {@link TextThread}, never on the loop of a process.
 */

import { defined } from '../../protocol/defined.ts';
import { AppError } from '../../protocol/index.ts';
import type { GeneratePrompt, GenerateRequest, TextModel } from '../api.ts';
import { fillMiddleStops, fillMiddleTokens } from './fillMiddle.ts';
import { newestTurns } from './historyTurns.ts';
import { withImages } from './imageTexts.ts';
import { checkLength, isFarTooLong } from './promptLength.ts';
import type { CostlyPart } from './tooExpensive.ts';

/** Whether somebody waits for what is asked. */
export type Priority = GenerateRequest['priority'];

type ChatPrompt = Extract<GeneratePrompt, { kind: 'chat' }>;

/** Part of the context that truncation keeps for the answer, unless `maxTokens` asks for less. */
const answerShare = 1 / 4;

/** What a chat asks before it is answered. */
export interface ChatQuestion {
	readonly prompt: ChatPrompt;
	readonly maxHistoryTurns?: number;
	/** Leave out turns until an answer has room in the context; absent: whatever their length. */
	readonly room?: { readonly contextLength: number; readonly maxTokens: number | undefined };
	/** Whether the tokens are counted. */
	readonly counts: boolean;
}

export interface ChatFacts {
	readonly omittedTurns: number;
	/** Tokens of what the model reads; absent: nobody has had to make them. */
	readonly tokens?: readonly number[];
}

/** What a completion asks before it is answered. */
export interface CompletionQuestion {
	readonly model: string;
	readonly prompts: readonly (string | readonly number[])[];
	/** What stands after the gap to be filled. */
	readonly suffix?: string;
	/** Whether the prompts are given back. */
	readonly echo: boolean;
}

/** A request to see tokens. */
export interface TokenizeQuestion {
	readonly prompt: Exclude<GeneratePrompt, { kind: 'tokens' }>;
	/** Of a text: begin- and end-tokens as the tokenizer adds them. */
	readonly addSpecial: boolean;
	/** Give each token's text, too. */
	readonly pieces: boolean;
	/** Tokens the model reads, where that is known. */
	readonly contextLength?: number;
}

export interface CompletionFacts {
	/** Tokens that ask for what belongs before the suffix; one list per prompt, none without a suffix. */
	readonly filled: readonly (readonly number[])[];
	/** Marks that end what is filled in. */
	readonly stops: readonly string[];
	/** Text of each prompt and of its first token, where prompts are given back. */
	readonly echoed: readonly { readonly text: string; readonly first: string }[];
}

/** Question → what goes in and what comes back. */
export interface TextJobs {
	/** Nothing but to be ready for the first chat. */
	warm: { request: { readonly texts: readonly [] }; result: true };
	encode: {
		request: { readonly texts: readonly string[]; readonly addSpecial: boolean };
		result: number[][];
	};
	encodeWithOffsets: {
		request: { readonly texts: readonly string[] };
		result: { ids: number[]; offsets: [number, number][] }[];
	};
	/** The text of a chat, as the template writes it. */
	render: { request: { readonly prompt: ChatPrompt }; result: string };
	/** Tokens as generation will read them. */
	prompt: {
		request: {
			readonly prompt: GeneratePrompt;
			/** Tokens the model reads. */
			readonly contextLength: number;
		};
		result: number[];
	};
	/** The tokens of a prompt as JSON, which may be far longer than the prompt. */
	tokenize: { request: TokenizeQuestion; result: Uint8Array<ArrayBuffer> };
	/** The text of tokens as JSON. Rejects with `invalid_request` what is not in the vocabulary. */
	detokenize: {
		request: { readonly tokens: readonly number[]; readonly skipSpecial: boolean };
		result: Uint8Array<ArrayBuffer>;
	};
	/** Bytes of tokens, `undefined` for those that stand for no text where `skipSpecial`. */
	bytes: {
		request: { readonly tokens: readonly number[]; readonly skipSpecial: boolean };
		result: (Uint8Array | undefined)[];
	};
	chat: { request: ChatQuestion; result: ChatFacts };
	completion: { request: CompletionQuestion; result: CompletionFacts };
}

export type TextJobName = keyof TextJobs;

/** Answers questions about text without blocking the caller. */
export interface TextService {
	/**
	 * Rejects with `too_expensive` naming the part that took too long, with `cancelled`, or as the
	 * question says.
	 * @param priority what is asked for background work (`batch`) waits for the questions of people
	 */
	request<J extends TextJobName>(
		job: J,
		request: TextJobs[J]['request'],
		signal?: AbortSignal,
		priority?: Priority,
	): Promise<TextJobs[J]['result']>;
}

/** Whether a question is about the template alone. */
export function isAboutTemplate(job: TextJobName): boolean {
	return job === 'render' || job === 'warm';
}

/** Told which part is at work from now on. */
export type AtWork = (part: CostlyPart) => void;

/** Answers a question right here, however long it takes. */
export function runTextJob<J extends TextJobName>(
	text: TextModel,
	job: J,
	request: TextJobs[J]['request'],
	atWork: AtWork = () => {},
): TextJobs[J]['result'] {
	return jobs[job](text, request, atWork);
}

/** A service that answers on the spot, for tools and tests that trust their model. */
export function inProcessTextService(text: TextModel): TextService {
	return { request: async (job, request) => runTextJob(text, job, request) };
}

const jobs: {
	readonly [J in TextJobName]: (
		text: TextModel,
		request: TextJobs[J]['request'],
		atWork: AtWork,
	) => TextJobs[J]['result'];
} = {
	warm: () => true,
	encode: (text, { texts, addSpecial }, atWork) => {
		atWork('tokenizer');
		return texts.map((each) => text.encode(each, { addSpecial }));
	},
	encodeWithOffsets: (text, { texts }, atWork) => {
		atWork('tokenizer');
		return texts.map((each) => text.encodeWithOffsets(each));
	},
	render: (text, { prompt }, atWork) => textOf(text, prompt, atWork),
	prompt: (text, { prompt, contextLength }, atWork) => {
		if (prompt.kind === 'tokens') return [...prompt.tokens];
		const rendered = textOf(text, prompt, atWork);
		checkLength(rendered, contextLength);
		return tokensOf(text, prompt, rendered, atWork);
	},
	tokenize: (text, { prompt, addSpecial, pieces, contextLength }, atWork) => {
		const rendered = textOf(text, prompt, atWork);
		atWork('tokenizer');
		const tokens = text.encode(rendered, { addSpecial: prompt.kind === 'text' && addSpecial });
		return jsonOf({
			tokens: pieces ? tokens.map((id) => ({ id, piece: pieceOf(text.tokenBytes(id)) })) : tokens,
			count: tokens.length,
			...defined({ max_model_len: contextLength }),
		});
	},
	detokenize: (text, { tokens, skipSpecial }, atWork) => {
		atWork('tokenizer');
		const wrong = tokens.findIndex((id) => id >= text.vocabularySize);
		if (wrong >= 0)
			throw new AppError(
				'invalid_request',
				`'tokens[${wrong}]' is ${tokens[wrong]}, but the model has ${text.vocabularySize} tokens.`,
				{ param: `tokens[${wrong}]` },
			);
		const content = text.decode(tokens, { skipSpecial });
		return jsonOf({ content, prompt: content });
	},
	bytes: (text, { tokens, skipSpecial }, atWork) => {
		atWork('tokenizer');
		return tokens.map((id) =>
			skipSpecial && text.specialIds.has(id) ? undefined : text.tokenBytes(id),
		);
	},
	chat: (text, { prompt, maxHistoryTurns, room, counts }, atWork) => {
		/** The shortest that was found to fit, which is what will be read. */
		let fitting: { readonly messages: number; readonly tokens: number[] } | undefined;
		const limits = {
			...defined({ maxHistoryTurns }),
			...(room === undefined
				? {}
				: {
						fits: (messages: ChatPrompt['messages']) => {
							const { contextLength, maxTokens = Number.POSITIVE_INFINITY } = room;
							const max =
								contextLength - Math.min(maxTokens, Math.floor(contextLength * answerShare));
							const part = { ...prompt, messages };
							const rendered = textOf(text, part, atWork);
							if (isFarTooLong(rendered, contextLength)) return false;
							const tokens = tokensOf(text, part, rendered, atWork);
							if (tokens.length > max) return false;
							fitting = { messages: messages.length, tokens };
							return true;
						},
					}),
		};
		const { messages, omittedTurns } = newestTurns(prompt.messages, limits);
		const read = { ...prompt, messages };
		if (fitting?.messages === messages.length) return { omittedTurns, tokens: fitting.tokens };
		if (!counts) return { omittedTurns };
		return { omittedTurns, tokens: tokensOf(text, read, textOf(text, read, atWork), atWork) };
	},
	completion: (text, { model, prompts, suffix, echo }, atWork) => {
		atWork('tokenizer');
		return {
			filled:
				suffix === undefined
					? []
					: prompts.map((prompt) => fillMiddleTokens(text, model, String(prompt), suffix)),
			stops: suffix === undefined ? [] : fillMiddleStops(text),
			echoed: echo ? prompts.map((prompt) => echoOf(text, prompt)) : [],
		};
	},
};

function textOf(
	text: TextModel,
	prompt: Exclude<GeneratePrompt, { kind: 'tokens' }>,
	atWork: AtWork,
): string {
	if (prompt.kind === 'text') return prompt.text;
	atWork('template');
	return withImages(text.renderChat(prompt, true), prompt);
}

function tokensOf(
	text: TextModel,
	{ kind }: GeneratePrompt,
	rendered: string,
	atWork: AtWork,
): number[] {
	atWork('tokenizer');
	// A template writes what a tokenizer would add by itself.
	return text.encode(rendered, { addSpecial: kind === 'text' });
}

const jsonOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** A token as text; one that is part of a character is shown by its bytes. */
function pieceOf(bytes: Uint8Array = new Uint8Array()): string | number[] {
	const piece = new TextDecoder().decode(bytes);
	return piece.includes('\ufffd') ? [...bytes] : piece;
}

function echoOf(text: TextModel, prompt: string | readonly number[]) {
	const [id] = typeof prompt === 'string' ? text.encode(prompt) : prompt;
	return {
		text: typeof prompt === 'string' ? prompt : text.decode(prompt),
		// Probabilities begin with the second token: nothing predicts the first.
		first: id === undefined ? '' : new TextDecoder().decode(text.tokenBytes(id)),
	};
}
