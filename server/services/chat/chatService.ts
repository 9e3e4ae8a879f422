/** Chat: from a parsed request to an answer, in pieces for streams and as a whole for everybody else. */

import type {
	GeneratePrompt,
	GenerateRequest,
	GenerateSummary,
	Owned,
	TokenLogprob,
} from '../../engine/api.ts';
import { promptOpensReasoning } from '../../engine/template/reasoning.ts';
import { newestTurns, withoutTurns } from '../../engine/text/historyTurns.ts';
import type { ChatFacts, ChatQuestion } from '../../engine/text/textJobs.ts';
import { noChatModel } from '../../hub/downloadOffer.ts';
import { defined } from '../../protocol/defined.ts';
import {
	AppError,
	type FinishReason,
	type ModelInfo,
	readyChatModels,
	type Timings,
	type Usage,
} from '../../protocol/index.ts';
import type { ChatRequest } from '../../protocol/routes/chat.ts';
import type { ModelHost, ProviderFallback } from '../host.ts';
import { type Bill, type Charged, openBill } from '../limits/account.ts';
import {
	AnswerCount,
	answerAmounts,
	answerUnderLimit,
	grantedAnswer,
} from '../limits/answerTokens.ts';
import { type ChoicePiece, ChoiceReader } from './choiceReader.ts';
import { type ContinuedPrompt, continuedTokens } from './continuedPrompt.ts';
import { type ChatPlan, planChat } from './plan.ts';
import type { LoadProfile, ModelProfile } from './profile.ts';
import { imageFiles } from './promptImages.ts';

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
	| {
			readonly type: 'start';
			readonly model: string;
			readonly choices: number;
			/** Tokens of the prompt, where they had to be counted before. */
			readonly promptTokens?: number;
	  }
	| {
			readonly type: 'piece';
			readonly choice: number;
			readonly piece: ChoicePiece;
			/** The tokens it was made of; none in the piece at the end. */
			readonly tokenIds: readonly number[];
			readonly logprobs?: readonly TokenLogprob[];
	  }
	| {
			readonly type: 'finish';
			readonly choice: number;
			readonly reason: FinishReason;
			/** The stop string or end token that ended it. */
			readonly stoppedBy?: string;
	  };

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
	/** Tokens of the prompt, where the request gave a prompt of its own. */
	readonly promptTokens: readonly number[];
}

/** What interfaces with prompts of their own add to a request. */
interface Prompted {
	readonly ownPrompt?: ContinuedPrompt;
	/** Sentences to be translated: engines elsewhere may be for those alone, or for chats alone. */
	readonly isTranslation?: true;
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

/** Which conversation a request belongs to, as its client calls it: for balancers before engines elsewhere. */
export interface InConversation {
	readonly conversation?: string | undefined;
}

export interface ChatService {
	/**
	 * Answers; events come in order, `finish` once per choice.
	 *
	 * @param request `priority`: `batch` gives way to people who wait.
	 */
	run(
		request: ChatRequest &
			Owned &
			Charged &
			Prompted &
			InConversation &
			Partial<Pick<GenerateRequest, 'priority'>>,
		onEvent: (event: ChatEvent) => void,
		signal?: AbortSignal,
	): Promise<ChatOutcome>;
	/** Tokens of the prompt of a request, without inference and without loading the model. */
	countTokens(request: ChatRequest, signal?: AbortSignal): Promise<PromptSize>;
	/**
	 * For what is answered later: refuses at once what cannot be answered, or is over the caller's limits now.
	 * @throws AppError as {@link run} before its first event: `rate_limited` among them
	 */
	check(request: ChatRequest & Charged, signal?: AbortSignal): Promise<void>;
}

interface Prepared {
	readonly id: string;
	readonly plan: ChatPlan;
	readonly profile: ModelProfile;
	readonly omittedTurns: number;
	readonly contextLength: number | undefined;
	/** Tokens of the prompt, where they had to be made. */
	readonly tokens: readonly number[] | undefined;
}

export function createChatService(deps: ChatDeps): ChatService {
	const prepare = async (
		request: ChatRequest & Prompted,
		counts: boolean,
		signal: AbortSignal | undefined,
	): Promise<Prepared> => {
		const info =
			request.model === undefined
				? await defaultModel(deps.host)
				: await deps.host.resolve(request.model);
		if (info.task !== 'chat-completion' && info.task !== 'text-generation')
			throw new AppError(
				'unsupported_model',
				`The model '${info.id}' is for ${info.task}, not for chat.`,
				{ param: 'model' },
			);
		const profile = await deps.profile(info.folder ?? '');
		const plan = planChat(request, profile, deps.randomSeed, info.id);
		const { prompt, maxTokens } = plan.generate;
		const { contextLength, maxHistoryTurns } = info;
		const { ownPrompt: own } = request;
		const question: ChatQuestion | undefined =
			prompt.kind === 'chat' && own?.text === undefined
				? {
						prompt,
						counts: counts || own !== undefined,
						...defined({ maxHistoryTurns }),
						...(request.truncation === 'auto' && contextLength !== undefined
							? { room: { contextLength, maxTokens } }
							: {}),
					}
				: undefined;
		const { omittedTurns, tokens }: ChatFacts =
			question === undefined ? { omittedTurns: 0 } : await ask(info.id, question, signal);
		const whole =
			own && (await continuedTokens(deps.host, info, own, profile.vocabularySize, tokens, signal));
		const images = imageFiles(withoutTurns(request.messages, omittedTurns));
		const read: GeneratePrompt =
			own?.text !== undefined
				? { kind: 'tokens', tokens: whole ?? [] }
				: prompt.kind === 'chat'
					? {
							...prompt,
							messages: withoutTurns(prompt.messages, omittedTurns),
							// What was rendered and tokenised here is not once more in the runner.
							...defined({ tokens: whole ?? tokens }),
							...(images.length === 0 ? {} : { images }),
						}
					: prompt;
		const generate = {
			...plan.generate,
			prompt: read,
			// Most templates never open a block.
			notifyPromptEnd: profile.template?.includes(profile.reasoning.open) === true,
		};
		return {
			id: info.id,
			plan: { ...plan, generate },
			profile,
			omittedTurns,
			contextLength,
			tokens: whole ?? tokens,
		};
	};

	/** Asks for all that the template and the tokenizer say, and only where they have a say. */
	const ask = async (
		id: string,
		question: ChatQuestion,
		signal: AbortSignal | undefined,
	): Promise<ChatFacts> => {
		const { counts, room, prompt, maxHistoryTurns } = question;
		if (counts || room !== undefined) {
			const text = await deps.host.textModel(id);
			return text.request('chat', question, signal);
		}
		const limits = maxHistoryTurns === undefined ? {} : { maxHistoryTurns };
		const { omittedTurns } = newestTurns(prompt.messages, limits);
		return { omittedTurns };
	};

	const billOf = (
		{ id, plan, contextLength, tokens }: Prepared,
		account: Charged['account'],
	): Promise<Bill> =>
		openBill(account, {
			kind: 'chat',
			model: id,
			...answerAmounts({
				...{ prompts: [tokens?.length ?? 0], n: plan.generate.n, contextLength },
				maxTokens: plan.generate.maxTokens ?? answerUnderLimit,
				isFixed: plan.generate.maxTokens !== undefined,
			}),
		});

	return {
		run: async (request, onEvent, signal) => {
			const { account } = request;
			const isLimited = account?.isLimited('tokens') === true;
			const prepared = await prepare(request, isLimited, signal);
			const { id, plan, profile, omittedTurns, tokens } = prepared;
			const { n } = plan.generate;
			const prompted = tokens?.length ?? 0;
			await using bill = await billOf(prepared, account);
			const count = new AnswerCount(bill, prompted);
			const answerTokens = isLimited ? { maxTokens: grantedAnswer(bill.granted, prompted, n) } : {};
			if (plan.ignored.length > 0) onEvent({ type: 'ignored', fields: plan.ignored });
			if (omittedTurns > 0) onEvent({ type: 'omitted', turns: omittedTurns });
			let startsReasoning = false;
			const readers = new Map<number, ChoiceReader>();
			const readerOf = (choice: number): ChoiceReader => {
				const reader =
					readers.get(choice) ??
					new ChoiceReader({
						profile,
						toolNames: plan.toolNames,
						maxCalls: plan.maxCalls,
						startsReasoning,
						newCallId: () => `call_${deps.randomId()}`,
					});
				readers.set(choice, reader);
				return reader;
			};
			await using lease = await deps.host.acquire(
				id,
				{
					...defined({ executionProvider: request.ep, exact: request.exact, ttlS: request.ttl }),
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
				onEvent({
					type: 'start',
					model: id,
					choices: plan.generate.n,
					...defined({ promptTokens: tokens?.length }),
				});
			};
			const result = await lease.engine.generate(
				{
					...{ ...plan.generate, ...answerTokens },
					owner: request.owner,
					...defined({ priority: request.priority }),
				},
				(event) => {
					if (event.type === 'queued') {
						const { queuePosition } = event;
						onEvent({ type: 'progress', progress: { phase: 'queued', place: queuePosition } });
						return;
					}
					if (event.type === 'prompt') {
						const { done, total } = event;
						count.prompt(done);
						onEvent({ type: 'progress', progress: { phase: 'prompt', done, total } });
						return;
					}
					if (event.type === 'promptEnd') {
						startsReasoning = promptOpensReasoning(event.text, profile.reasoning);
						return;
					}
					const reader = readerOf(event.choice);
					start();
					if (event.type === 'text') {
						count.answer(event.tokenIds.length);
						const piece = reader.push(event.text, event.tokenIds.length);
						const { logprobs } = event;
						onEvent({
							type: 'piece',
							choice: event.choice,
							piece,
							tokenIds: event.tokenIds,
							...defined({ logprobs }),
						});
						return;
					}
					const piece = reader.end();
					const { choice, stoppedBy } = event;
					onEvent({ type: 'piece', choice, piece, tokenIds: [] });
					const reason = reader.finishReason(event.reason, plan.olderForm);
					onEvent({ type: 'finish', choice, reason, ...defined({ stoppedBy }) });
				},
				signal,
			);
			start();
			count.end(result);
			const reasoning = [...readers.values()].reduce(
				(sum, reader) => sum + reader.reasoningTokens,
				0,
			);
			return {
				model: id,
				usage: chatUsageOf(result, reasoning),
				timings: { ...result.timings, load_ms: lease.loadMs },
				olderForm: plan.olderForm,
				omittedTurns,
				promptTokens: request.ownPrompt === undefined ? [] : (tokens ?? []),
			};
		},

		countTokens: async (request, signal) => {
			const { tokens, omittedTurns } = await prepare(request, true, signal);
			return { tokens: tokens?.length ?? 0, omittedTurns };
		},

		check: async (request, signal) => {
			const prepared = await prepare(request, true, signal);
			await using _bill = await billOf(prepared, request.account);
		},
	};
}

/** The model of a request that names none: the best that is on this machine. */
async function defaultModel(host: ModelHost): Promise<ModelInfo> {
	const [best] = readyChatModels(await host.list('chat-completion'));
	if (best !== undefined) return best;
	throw noChatModel('There is no chat model on this computer.');
}

/** Token counts as the interface reports them. */
export function chatUsageOf(
	{ promptTokens, completionTokens, cachedTokens }: GenerateSummary,
	reasoningTokens = 0,
): Usage {
	return {
		prompt_tokens: promptTokens,
		completion_tokens: completionTokens,
		total_tokens: promptTokens + completionTokens,
		prompt_tokens_details: { cached_tokens: cachedTokens },
		completion_tokens_details: { reasoning_tokens: reasoningTokens },
	};
}
