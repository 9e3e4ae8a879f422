/** One request to generate: its choices, its text, its events and its figures. */

import { defined } from '../../protocol/defined.ts';
import { AppError, type Timings } from '../../protocol/index.ts';
import type {
	GenerateEvent,
	GenerateRequest,
	GenerateResult,
	TextModel,
	TokenLogprob,
} from '../api.ts';
import { type RawLogprob, rawLogprob, toTokenLogprob } from '../sample/logprobs.ts';
import type { Sample } from '../sample/sampler.ts';
import { type TextPiece, TextStream } from '../sample/textStream.ts';
import type { Sequence } from './sequence.ts';

type Choice = GenerateResult['choices'][number];

interface Output {
	readonly stream: TextStream;
	readonly tokens: number[];
	readonly logprobs: RawLogprob[];
	readonly shown: number[];
	text: string;
	finished?: 'stop' | 'length';
}

export interface GenerationOptions {
	readonly request: GenerateRequest;
	readonly prompt: readonly number[];
	readonly maxTokens: number;
	readonly endTokens: ReadonlySet<number>;
	readonly text: TextModel;
	readonly onEvent: (event: GenerateEvent) => void;
	readonly signal: AbortSignal | undefined;
	readonly now: () => number;
}

const noBytes = new Uint8Array(0);
/** After so many tokens without text (marks, parts of a letter) nobody is taken to wait for the first one. */
const maxSilentTokens = 4;

export class Generation {
	readonly request: GenerateRequest;
	readonly prompt: readonly number[];
	readonly maxTokens: number;
	readonly signal: AbortSignal | undefined;
	readonly result: Promise<GenerateResult>;
	sequences: Sequence[] = [];
	cachedTokens = 0;
	/** Log-probability of every prompt token but the first, when asked for. */
	readonly #promptLogprobs: RawLogprob[] = [];
	readonly #options: GenerationOptions;
	readonly #outputs: Output[];
	readonly #submittedAt: number;
	#admittedAt: number;
	#position = 0;
	#firstTokenAt = 0;
	#resolve: (result: GenerateResult) => void = () => {};
	#reject: (error: Error) => void = () => {};
	#settled = false;

	constructor(options: GenerationOptions) {
		this.#options = options;
		this.request = options.request;
		this.prompt = options.prompt;
		this.maxTokens = options.maxTokens;
		this.signal = options.signal;
		this.#submittedAt = options.now();
		this.#admittedAt = this.#submittedAt;
		this.#outputs = Array.from({ length: options.request.n }, () => ({
			stream: new TextStream(options.request.stop),
			tokens: [],
			logprobs: [],
			shown: [],
			text: '',
		}));
		this.result = new Promise((resolve, reject) => {
			this.#resolve = resolve;
			this.#reject = reject;
		});
	}

	get priority(): GenerateRequest['priority'] {
		return this.request.priority;
	}

	get settled(): boolean {
		return this.#settled;
	}

	/** Notifies of the position in the queue (1 = next) if it has changed. */
	queued(position: number): void {
		if (this.#settled || position === this.#position) return;
		this.#position = position;
		this.#options.onEvent({ type: 'queued', queuePosition: position });
	}

	admitted(): void {
		this.#admittedAt = this.#options.now();
	}

	prefilled(done: number): void {
		this.#options.onEvent({ type: 'prompt', done, total: this.prompt.length });
	}

	/** Takes a token drawn for a sequence; returns true when that choice is finished. */
	accept(sequence: Sequence, sample: Sample): boolean {
		if (this.#firstTokenAt === 0) this.#firstTokenAt = this.#options.now();
		const output = this.#outputs[sequence.choice] as Output;
		const { endTokens, text } = this.#options;
		if (endTokens.has(sample.token)) {
			this.#finish(sequence.choice, 'stop', tokenName(text, sample.token));
			return true;
		}
		output.tokens.push(sample.token);
		if (sample.logprob !== undefined) output.logprobs.push(sample.logprob);
		const bytes = text.specialIds.has(sample.token) ? noBytes : this.#bytes(output, sample.token);
		const piece = output.stream.push(bytes);
		this.#show(sequence.choice, piece);
		if (output.text !== '' || output.tokens.length >= maxSilentTokens) sequence.isAwaited = false;
		if (piece.stop !== undefined) {
			this.#finish(sequence.choice, 'stop', piece.stop);
			return true;
		}
		if (output.tokens.length >= this.maxTokens) {
			this.#finish(sequence.choice, 'length');
			return true;
		}
		if (sequence.sampler.isComplete) {
			this.#finish(sequence.choice, 'stop');
			return true;
		}
		return false;
	}

	/** Log-probabilities of the prompt's own tokens, from the logits of a step. */
	takePromptLogits({ cache }: Sequence, logits: readonly Float32Array[]): void {
		const first = cache.length - logits.length;
		for (const [index, values] of logits.entries()) {
			const token = this.prompt[first + index + 1];
			if (token === undefined) continue;
			this.#promptLogprobs.push(rawLogprob(values, token, this.request.topLogprobs ?? 0));
		}
	}

	/** The prompt has been read and nothing is to be made (only its log-probabilities were wanted). */
	endAtPrompt(): void {
		this.#firstTokenAt = this.#options.now();
		for (const choice of this.#outputs.keys()) this.#finish(choice, 'length');
	}

	/** Sentence-piece tokens carry their space in front; an answer does not begin with it. */
	#bytes(output: Output, token: number): Uint8Array {
		const { text, request } = this.#options;
		const bytes = text.tokenBytes(token);
		const isFirst = output.tokens.length === 1 && request.prompt.kind === 'chat';
		if (!isFirst || bytes[0] !== 0x20) return bytes;
		return text.decode([token]).startsWith(' ') ? bytes : bytes.subarray(1);
	}

	#show(choice: number, piece: TextPiece): void {
		if (piece.text === '' && piece.tokens.length === 0) return;
		const output = this.#outputs[choice] as Output;
		output.text += piece.text;
		output.shown.push(...piece.tokens);
		const tokenIds = piece.tokens.map((index) => output.tokens[index] as number);
		this.#options.onEvent({
			type: 'text',
			choice,
			text: piece.text,
			tokenIds,
			...(this.request.topLogprobs === undefined
				? {}
				: { logprobs: this.#tokenLogprobs(output, piece.tokens) }),
		});
	}

	#tokenLogprobs(output: Output, indices: readonly number[]): TokenLogprob[] {
		return indices.flatMap((index) => {
			const raw = output.logprobs[index];
			return raw === undefined ? [] : [toTokenLogprob(raw, this.#options.text)];
		});
	}

	#finish(choice: number, reason: 'stop' | 'length', stoppedBy?: string): void {
		const output = this.#outputs[choice] as Output;
		this.#show(choice, output.stream.end());
		output.finished = reason;
		this.#options.onEvent({
			type: 'finish',
			choice,
			reason,
			...defined({ stoppedBy }),
		});
		if (this.#outputs.every(({ finished }) => finished !== undefined)) this.#complete();
	}

	#complete(): void {
		this.#settled = true;
		const choices = this.#outputs.map(
			(output): Choice => ({
				text: output.text,
				tokenIds: output.shown.map((index) => output.tokens[index] as number),
				reason: output.finished ?? 'stop',
				...(this.request.topLogprobs === undefined
					? {}
					: { logprobs: this.#tokenLogprobs(output, output.shown) }),
			}),
		);
		const { text } = this.#options;
		this.#resolve({
			promptTokens: this.prompt.length,
			cachedTokens: this.cachedTokens,
			completionTokens: choices.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0),
			choices,
			...(this.request.echoLogprobs === true
				? { promptLogprobs: this.#promptLogprobs.map((raw) => toTokenLogprob(raw, text)) }
				: {}),
			timings: this.#timings(),
		});
	}

	#timings(): Timings {
		const end = this.#options.now();
		const promptMs = this.#firstTokenAt - this.#admittedAt;
		const predictedMs = end - this.#firstTokenAt;
		const fed = this.prompt.length - this.cachedTokens;
		const predicted = this.#outputs.reduce((sum, { tokens }) => sum + tokens.length, 0);
		const perSecond = (count: number, ms: number): number => (ms > 0 ? (count * 1000) / ms : 0);
		return {
			prompt_n: fed,
			prompt_ms: promptMs,
			prompt_per_second: perSecond(fed, promptMs),
			predicted_n: predicted,
			predicted_ms: predictedMs,
			predicted_per_second: perSecond(predicted, predictedMs),
			cache_n: this.cachedTokens,
			load_ms: 0,
			queue_ms: this.#admittedAt - this.#submittedAt,
		};
	}

	/** Ends the request with an error. */
	fail(error: unknown): void {
		if (this.#settled) return;
		this.#settled = true;
		this.#reject(
			error instanceof Error ? error : new AppError('internal', String(error), { cause: error }),
		);
	}
}

function tokenName(text: TextModel, token: number): string {
	return new TextDecoder().decode(text.tokenBytes(token));
}
