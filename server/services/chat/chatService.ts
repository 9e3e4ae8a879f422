/** Chat: from a parsed request to an answer, in pieces for streams and as a whole for everybody else. */

import type { GenerateResult, Owned, TokenLogprob } from '../../engine/api.ts';
import type { ChatQuestion } from '../../engine/text/textJobs.ts';
import { newestTurns, withoutTurns } from '../../engine/text/turns.ts';
import { AppError, type FinishReason, type Timings, type Usage } from '../../protocol/index.ts';
import type { ChatRequest } from '../../protocol/routes/chat.ts';
import type { ModelHost, ProviderFallback } from '../host.ts';
import { type ChoicePiece, ChoiceReader } from './choiceReader.ts';
import { type ChatPlan, planChat } from './plan.ts';
import type { LoadProfile, ModelProfile } from './profile.ts';

/** What happens while a chat is answered. */
export type ChatEvent =
	/** The model does not read the oldest turns; comes first, and only then. */
	| { readonly type: 'omitted'; readonly turns: number }
	/** Fields that mean nothing to this model; comes first. */
	| { readonly type: 'ignored'; readonly fields: readonly string[] }
	/** Another execution provider than the wished one does the work; before anything is written. */
	| { readonly type: 'fallback'; readonly fallback: ProviderFallback }
	/** What the request waits for before its first token. */
	| { readonly type: 'progress'; readonly progress: ChatStage }
	/** The model is known and the request is valid: the answer's head may be sent. */
	| { readonly type: 'start'; readonly model: string; readonly choices: number }
	| {
			readonly type: 'piece';
			readonly choice: number;
			readonly piece: ChoicePiece;
			readonly logprobs?: readonly TokenLogprob[];
	  }
	| { readonly type: 'finish'; readonly choice: number; readonly reason: FinishReason };

/** Where a request is before its first token: loading, waiting for its turn, reading the prompt. */
export type ChatStage =
	| { readonly phase: 'loading'; readonly expectedMs: number | undefined }
	| { readonly phase: 'queued'; readonly place: number }
	| { readonly phase: 'prompt'; readonly done: number; readonly total: number };

export interface ChatOutcome {
	/** Full id of the model that answered. */
	readonly model: string;
	readonly usage: Usage;
	readonly timings: Timings;
	readonly olderForm: boolean;
	/** Oldest turns of the conversation that the model was not given. */
	readonly omittedTurns: number;
}

/** The prompt of a request as the model would get it. */
export interface PromptSize {
	readonly tokens: number;
	readonly omittedTurns: number;
}

export interface ChatDeps {
	readonly host: ModelHost;
	readonly profile: LoadProfile;
	readonly randomSeed: () => number;
	readonly randomId: () => string;
}

export interface ChatService {
	/** Answers; events come in order, `finish` once per choice. */
	run(
		request: ChatRequest & Owned,
		onEvent: (event: ChatEvent) => void,
		signal?: AbortSignal,
	): Promise<ChatOutcome>;
	/** Tokens of the prompt of a request, without inference and without loading the model. */
	countTokens(request: ChatRequest, signal?: AbortSignal): Promise<PromptSize>;
}

interface Prepared {
	readonly id: string;
	readonly plan: ChatPlan;
	readonly profile: ModelProfile;
	readonly omittedTurns: number;
	/** The answer begins inside a reasoning block that the template has opened. */
	readonly startsReasoning: boolean;
	/** Length of the prompt, where it was to be counted. */
	readonly tokens: number;
}

export function createChatService(deps: ChatDeps): ChatService {
	const prepare = async (
		request: ChatRequest,
		counts: boolean,
		signal: AbortSignal | undefined,
	): Promise<Prepared> => {
		const info = await deps.host.resolve(request.model);
		if (info.task !== 'chat-completion' && info.task !== 'text-generation')
			throw new AppError(
				'unsupported_model',
				`The model '${info.id}' is for ${info.task}, not for chat.`,
				{ param: 'model' },
			);
		const profile = await deps.profile(info.folder ?? '');
		const plan = planChat(request, profile, deps.randomSeed);
		const { prompt, maxTokens } = plan.generate;
		const nothing = { omittedTurns: 0, opensReasoning: false, tokens: 0 };
		const { contextLength, maxHistoryTurns } = info;
		const question: ChatQuestion | undefined =
			prompt.kind === 'chat'
				? {
						prompt,
						counts,
						...(maxHistoryTurns === undefined ? {} : { maxHistoryTurns }),
						...(request.truncation === 'auto' && contextLength !== undefined
							? { room: { contextLength, maxTokens } }
							: {}),
						// Most templates never open a block; those prompts are rendered in the runner alone.
						...(!counts && profile.template?.includes(profile.reasoning.open)
							? { reasoning: profile.reasoning }
							: {}),
					}
				: undefined;
		const { omittedTurns, opensReasoning, tokens } =
			question === undefined ? nothing : await ask(info.id, question, signal);
		const generate =
			prompt.kind === 'chat' && omittedTurns > 0
				? {
						...plan.generate,
						prompt: { ...prompt, messages: withoutTurns(prompt.messages, omittedTurns) },
					}
				: plan.generate;
		return {
			id: info.id,
			plan: { ...plan, generate },
			profile,
			omittedTurns,
			startsReasoning: opensReasoning,
			tokens,
		};
	};

	/** Asks once for all that the template and the tokenizer say, and only where they have a say. */
	const ask = async (id: string, question: ChatQuestion, signal: AbortSignal | undefined) => {
		const { counts, room, reasoning, prompt, maxHistoryTurns } = question;
		if (counts || room !== undefined || reasoning !== undefined) {
			const text = await deps.host.textModel(id);
			return text.ask('chat', question, signal);
		}
		const limits = maxHistoryTurns === undefined ? {} : { maxHistoryTurns };
		const { omittedTurns } = newestTurns(prompt.messages, limits);
		return { omittedTurns, opensReasoning: false, tokens: 0 };
	};

	return {
		run: async (request, onEvent, signal) => {
			const { id, plan, profile, omittedTurns, startsReasoning } = await prepare(
				request,
				false,
				signal,
			);
			if (plan.ignored.length > 0) onEvent({ type: 'ignored', fields: plan.ignored });
			if (omittedTurns > 0) onEvent({ type: 'omitted', turns: omittedTurns });
			const readers = Array.from(
				{ length: plan.generate.n },
				() =>
					new ChoiceReader({
						profile,
						toolNames: plan.toolNames,
						maxCalls: plan.maxCalls,
						startsReasoning,
						newCallId: () => `call_${deps.randomId()}`,
					}),
			);
			await using lease = await deps.host.acquire(
				id,
				{
					...(request.ep === undefined ? {} : { executionProvider: request.ep }),
					...(request.ttl === undefined ? {} : { ttlS: request.ttl }),
					onFallback: (fallback) => onEvent({ type: 'fallback', fallback }),
					onLoading: (expectedMs) =>
						onEvent({ type: 'progress', progress: { phase: 'loading', expectedMs } }),
				},
				signal,
			);
			let started = false;
			const start = () => {
				if (started) return;
				started = true;
				onEvent({ type: 'start', model: id, choices: plan.generate.n });
			};
			const result = await lease.engine.generate(
				{ ...plan.generate, owner: request.owner },
				(event) => {
					if (event.type === 'queued') {
						const { place } = event;
						onEvent({ type: 'progress', progress: { phase: 'queued', place } });
						return;
					}
					if (event.type === 'prompt') {
						const { done, total } = event;
						onEvent({ type: 'progress', progress: { phase: 'prompt', done, total } });
						return;
					}
					const reader = readers[event.choice];
					if (!reader) return;
					start();
					if (event.type === 'text') {
						const piece = reader.push(event.text, event.tokenIds.length);
						const { logprobs } = event;
						onEvent({
							type: 'piece',
							choice: event.choice,
							piece,
							...(logprobs === undefined ? {} : { logprobs }),
						});
						return;
					}
					const piece = reader.end();
					onEvent({ type: 'piece', choice: event.choice, piece });
					const reason = reader.finishReason(event.reason, plan.olderForm);
					onEvent({ type: 'finish', choice: event.choice, reason });
				},
				signal,
			);
			start();
			const reasoning = readers.reduce((sum, reader) => sum + reader.reasoningTokens, 0);
			return {
				model: id,
				usage: usageOf(result, reasoning),
				timings: { ...result.timings, load_ms: lease.loadMs },
				olderForm: plan.olderForm,
				omittedTurns,
			};
		},

		countTokens: async (request, signal) => {
			const { tokens, omittedTurns } = await prepare(request, true, signal);
			return { tokens, omittedTurns };
		},
	};
}

/** Token counts as the interface reports them. */
export function usageOf(result: GenerateResult, reasoningTokens = 0): Usage {
	const completion = result.choices.reduce((sum, choice) => sum + choice.tokenIds.length, 0);
	return {
		prompt_tokens: result.promptTokens,
		completion_tokens: completion,
		total_tokens: result.promptTokens + completion,
		prompt_tokens_details: { cached_tokens: result.cachedTokens },
		completion_tokens_details: { reasoning_tokens: reasoningTokens },
	};
}
