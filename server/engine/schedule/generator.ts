/** Text generation over a scheduler: checks a request, builds its samplers, hands it in. */

import { AppError, maxChoices } from '../../protocol/index.ts';
import type {
	Constraint,
	GenerateEvent,
	GenerateRequest,
	GenerateResult,
	TextModel,
} from '../api.ts';
import type { PromptImage } from '../prompt.ts';
import type { TokenConstraint } from '../sample/constraint.ts';
import type { SuppressionRules } from '../sample/logitsProcessor.ts';
import { Sampler } from '../sample/sampler.ts';
import type { TextReader } from '../text/textReader.ts';
import { Generation } from './generation.ts';
import type { Scheduler } from './scheduler.ts';

/** Compiles a constraint for one sequence; supplied by engine/grammar. */
export type ConstraintCompiler = (
	constraint: Constraint,
	endTokens: readonly number[],
	promptEnd?: string,
	signal?: AbortSignal,
	owner?: string,
) => Promise<TokenConstraint | undefined>;

export interface GeneratorOptions {
	readonly scheduler: Scheduler;
	readonly text: TextModel;
	/** Reads prompts; absent: on the spot, whatever it takes. */
	readonly reader?: Pick<TextReader, 'prompt'>;
	/** Reads the images of prompts; absent: there are none. */
	readonly images?: {
		read(
			tokens: readonly number[],
			images: readonly PromptImage[],
			owner: string | undefined,
			signal?: AbortSignal,
		): Promise<{ readonly tokens: number[]; release(): void }>;
	};
	/** Prompt plus answer. */
	readonly contextLength: number;
	/** Ids the model can be fed are below this. */
	readonly vocabularySize: number;
	readonly endTokens: readonly number[];
	readonly suppression: SuppressionRules;
	readonly compile: ConstraintCompiler;
	/** Milliseconds, monotonic. */
	readonly now: () => number;
}

export type Generate = (
	request: GenerateRequest,
	onEvent: (event: GenerateEvent) => void,
	signal?: AbortSignal,
) => Promise<GenerateResult>;

/** Tokens of an answer as queues expect it: hardly any goes to the end of what it may have. */
const usualAnswer = 256;

/** `generate` of a decoder-only model. */
export function createGenerator(options: GeneratorOptions): Generate {
	const { scheduler, text, contextLength, endTokens, now } = options;
	return async (request, onEvent, signal) => {
		if (signal?.aborted === true) throw new AppError('cancelled');
		// Runs of background work would otherwise follow each other for as long as the prompt is read.
		using expected = request.priority === 'interactive' ? scheduler.expect() : undefined;
		const read =
			options.reader === undefined
				? text.promptTokens(request.prompt)
				: await options.reader.prompt(request.prompt, contextLength, signal, request.priority);
		checkPrompt(read, options.vocabularySize, contextLength);
		if (!Number.isInteger(request.n) || request.n < 1 || request.n > maxChoices) {
			throw new AppError(
				'invalid_request',
				`n must be a whole number from 1 to ${maxChoices}, not ${request.n}.`,
				{
					param: 'n',
				},
			);
		}
		const pictures = request.prompt.kind === 'chat' ? (request.prompt.images ?? []) : [];
		if (pictures.length === 0) return await submit(request, read, read, onEvent, signal, expected);
		if (options.images === undefined)
			throw new AppError('unsupported_parameter', 'This model does not see images.', {
				param: 'messages',
			});
		const seen = await options.images.read(read, pictures, request.owner, signal);
		try {
			return await submit(request, read, seen.tokens, onEvent, signal, expected);
		} finally {
			seen.release();
		}
	};

	/** @param read the tokens of the prompt, in which one stands for every vector of an image */
	async function submit(
		request: GenerateRequest,
		read: readonly number[],
		prompt: readonly number[],
		onEvent: (event: GenerateEvent) => void,
		signal: AbortSignal | undefined,
		expected: Disposable | undefined,
	): Promise<GenerateResult> {
		const endOf = (tokens: number) => text.decode(read.slice(-tokens), { skipSpecial: false });
		if (request.notifyPromptEnd) onEvent({ type: 'promptEnd', text: endOf(16) });
		const room = contextLength - prompt.length;
		const maxTokens = Math.max(0, Math.min(request.maxTokens ?? room, room));
		const samplers: Sampler[] = [];
		try {
			for (let choice = 0; choice < request.n; choice++) {
				const constraint =
					request.constraint === undefined
						? undefined
						: await options.compile(request.constraint, endTokens, endOf(8), signal, request.owner);
				samplers.push(
					new Sampler({
						sampling: request.sampling,
						choice,
						prompt,
						endTokens,
						constraint,
						suppression: options.suppression,
						topLogprobs: request.topLogprobs,
					}),
				);
			}
		} catch (error) {
			for (const sampler of samplers) sampler.dispose();
			throw error;
		}
		const generation = new Generation({
			request,
			prompt,
			maxTokens,
			endTokens: new Set(endTokens),
			text,
			onEvent,
			signal,
			now,
		});
		const { priority, owner } = request;
		const work = prompt.length + request.n * Math.min(maxTokens, usualAnswer);
		scheduler.submit({ generation, samplers, priority, owner, work });
		expected?.[Symbol.dispose]();
		return generation.result;
	}
}

function checkPrompt(
	prompt: readonly number[],
	vocabularySize: number,
	contextLength: number,
): void {
	if (prompt.length === 0) {
		throw new AppError('invalid_request', 'The prompt is empty: give at least one token.', {
			param: 'prompt',
		});
	}
	if (prompt.length >= contextLength) {
		const over = prompt.length - contextLength + 1;
		throw new AppError(
			'context_length_exceeded',
			`The prompt has ${prompt.length} tokens; this model reads ${contextLength} tokens including the answer. Shorten it by at least ${over}.`,
			{ param: 'messages', data: { promptTokens: prompt.length, contextLength, over } },
		);
	}
	const wrong = prompt.find((id) => !Number.isInteger(id) || id < 0 || id >= vocabularySize);
	if (wrong !== undefined) {
		throw new AppError('invalid_request', `Token ${wrong} is not in the model's vocabulary.`, {
			param: 'prompt',
		});
	}
}
