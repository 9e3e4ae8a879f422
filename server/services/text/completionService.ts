/** Completions: raw prompts to text. Several prompts are answered side by side. */

import type {
	GenerateEvent,
	GeneratePrompt,
	GenerateSummary,
	Owned,
	Prioritized,
	TokenLogprob,
} from '../../engine/api.ts';
import type { CompletionFacts } from '../../engine/text/textJobs.ts';
import { defined } from '../../protocol/defined.ts';
import type { Timings, Usage } from '../../protocol/index.ts';
import type { CompletionRequest } from '../../protocol/routes/completions.ts';
import { chatUsageOf } from '../chat/chatService.ts';
import type { LoadProfile } from '../chat/profile.ts';
import { namingField } from '../fieldNames.ts';
import type { ModelHost, ProviderFallback } from '../host.ts';
import { type Charged, openBill } from '../limits/account.ts';
import { AnswerCount, answerAmounts } from '../limits/answerTokens.ts';
import { inputTokens, sumOf } from '../limits/inputTokens.ts';
import { checkCompletion, planCompletion } from './completionRequest.ts';

export interface CompletionChoice {
	readonly text: string;
	readonly reason: 'stop' | 'length';
	/** Tokens in order, those of the prompt first when it is echoed. */
	readonly logprobs: CompletionLogprobs | undefined;
}

/** The older interface's columns. */
export interface CompletionLogprobs {
	readonly tokens: readonly string[];
	/** `null` for the very first token of an echoed prompt. */
	readonly token_logprobs: readonly (number | null)[];
	readonly top_logprobs: readonly (Readonly<Record<string, number>> | null)[];
	/** UTF-16 offset of each token in the text. */
	readonly text_offset: readonly number[];
}

export interface CompletionPiece {
	readonly index: number;
	readonly text: string;
	readonly reason?: 'stop' | 'length';
	readonly logprobs?: CompletionLogprobs;
}

export interface CompletionOutcome {
	readonly model: string;
	/** None in streams. */
	readonly choices: readonly CompletionChoice[];
	readonly usage: Usage;
	readonly timings: Timings;
}

export interface CompletionListener {
	/** Told in streams only. */
	readonly onPiece: (piece: CompletionPiece, model: string) => void;
	/** Told before the first piece. */
	readonly onFallback: (fallback: ProviderFallback) => void;
}

export interface CompletionService {
	run(
		request: CompletionRequest & Owned & Charged & Prioritized,
		listener: CompletionListener,
		signal?: AbortSignal,
	): Promise<CompletionOutcome>;
}

export interface CompletionDeps {
	readonly host: ModelHost;
	readonly profile: LoadProfile;
	readonly randomSeed: () => number;
}

export function createCompletionService(deps: CompletionDeps): CompletionService {
	return {
		run: async (request, { onPiece, onFallback }, signal) => {
			const info = await deps.host.resolve(request.model);
			const profile = await deps.profile(info.folder ?? '');
			checkCompletion(request, profile);
			const facts = await namingField('messages', 'prompt', () =>
				factsOf(deps.host, info.id, request, signal),
			);
			const plan = planCompletion(request, profile, deps.randomSeed, facts);
			const prompts = await inputTokens(
				deps.host,
				info.id,
				plan.generate.map(({ prompt }) => plainInput(prompt)),
				request.account,
				signal,
			);
			await using bill = await openBill(request.account, {
				kind: 'chat',
				model: info.id,
				...answerAmounts({
					prompts,
					n: plan.generate[0]?.n ?? 1,
					maxTokens: plan.generate[0]?.maxTokens ?? 1,
					isFixed: true,
					contextLength: info.contextLength,
				}),
			});
			const count = new AnswerCount(bill, sumOf(prompts));
			await using lease = await deps.host.acquire(
				info.id,
				{
					...defined({ executionProvider: request.ep, exact: request.exact, ttlS: request.ttl }),
					onFallback,
				},
				signal,
			);
			const answers = () =>
				plan.generate.map(async (generate, promptIndex) => {
					const ask = (onEvent: (event: GenerateEvent) => void) =>
						lease.engine.generate(
							{ ...generate, owner: request.owner },
							(event) => {
								if (event.type === 'text') count.answer(event.tokenIds.length);
								onEvent(event);
							},
							signal,
						);
					if (!request.stream) {
						const collected = new Choices(generate.n);
						const summary = await ask((event) => collected.take(event));
						return { summary, choices: collected.choices };
					}
					const echoed = facts.echoed[promptIndex]?.text ?? '';
					const offsets = Array.from({ length: generate.n }, () => echoed.length);
					const greeted = new Set<number>();
					const summary = await ask((event) => {
						if (event.type !== 'text' && event.type !== 'finish') return;
						const index = promptIndex * plan.n + event.choice;
						if (echoed !== '' && !greeted.has(index)) onPiece({ index, text: echoed }, info.id);
						greeted.add(index);
						if (event.type === 'finish') {
							onPiece({ index, text: '', reason: event.reason }, info.id);
						} else if (request.max_tokens !== 0) {
							const logprobs =
								request.logprobs === undefined || !event.logprobs
									? {}
									: { logprobs: columns(event.logprobs, [], offsets[event.choice] ?? 0) };
							offsets[event.choice] = (offsets[event.choice] ?? 0) + event.text.length;
							onPiece({ index, text: event.text, ...logprobs }, info.id);
						}
					});
					return { summary, choices: [] };
				});
			const results = await namingField('messages', 'prompt', () => Promise.all(answers()));
			count.end(...results.map(({ summary }) => summary));
			const choices = results.flatMap(({ summary, choices: found }, promptIndex) => {
				const { text = '', first } = facts.echoed[promptIndex] ?? {};
				return bestChoices(found, plan.n).map((choice) =>
					choiceOf(choice, summary, request, text, first),
				);
			});
			const head = results[0]?.summary;
			return {
				model: info.id,
				choices,
				usage: results.map(({ summary }) => chatUsageOf(summary)).reduce(addUsage),
				timings: { ...(head as GenerateSummary).timings, load_ms: lease.loadMs },
			};
		},
	};
}

interface Choice {
	text: string;
	reason: 'stop' | 'length';
	readonly logprobs: TokenLogprob[];
}

/** The choices of an answer, put together from its events. */
class Choices {
	readonly choices: readonly Choice[];

	constructor(n: number) {
		this.choices = Array.from({ length: n }, () => ({ text: '', reason: 'stop', logprobs: [] }));
	}

	take(event: GenerateEvent): void {
		if (event.type !== 'text' && event.type !== 'finish') return;
		const choice = this.choices[event.choice];
		if (choice === undefined) return;
		if (event.type === 'finish') choice.reason = event.reason;
		else {
			choice.text += event.text;
			for (const logprob of event.logprobs ?? []) choice.logprobs.push(logprob);
		}
	}
}

/** The choices with the highest mean log-probability, in that order; all in their own when none is left out. */
function bestChoices(choices: readonly Choice[], n: number): readonly Choice[] {
	if (choices.length <= n) return choices;
	const mean = ({ logprobs }: Choice) =>
		logprobs.reduce((sum, { logprob }) => sum + logprob, 0) / Math.max(1, logprobs.length);
	return [...choices].sort((left, right) => mean(right) - mean(left)).slice(0, n);
}

function choiceOf(
	choice: Choice,
	{ promptLogprobs = [] }: GenerateSummary,
	request: CompletionRequest,
	echoed: string,
	first: string | undefined,
): CompletionChoice {
	const onlyPrompt = request.max_tokens === 0;
	const own = onlyPrompt ? [] : choice.logprobs;
	const head = first === undefined ? [] : [first];
	const prompt = request.echo ? promptLogprobs : [];
	return {
		text: echoed + (onlyPrompt ? '' : choice.text),
		reason: choice.reason,
		logprobs: request.logprobs === undefined ? undefined : columns([...prompt, ...own], head, 0),
	};
}

function columns(
	logprobs: readonly TokenLogprob[],
	head: readonly string[],
	start: number,
): CompletionLogprobs {
	const tokens = [...head, ...logprobs.map(({ token }) => token)];
	let offset = start;
	const offsets = tokens.map((token) => {
		const at = offset;
		offset += token.length;
		return at;
	});
	return {
		tokens,
		token_logprobs: [...head.map(() => null), ...logprobs.map(({ logprob }) => logprob)],
		top_logprobs: [
			...head.map(() => null),
			...logprobs.map(({ top }) =>
				Object.fromEntries(top.map(({ token, logprob }) => [token, logprob])),
			),
		],
		text_offset: offsets,
	};
}

/** What the tokenizer has to say; most requests need nothing of it here. */
async function factsOf(
	host: ModelHost,
	id: string,
	{ model, prompt: prompts, suffix, echo = false }: CompletionRequest,
	signal: AbortSignal | undefined,
): Promise<CompletionFacts> {
	if (suffix === undefined && !echo) return { filled: [], stops: [], echoed: [] };
	const text = await host.textModel(id);
	const gap = suffix === undefined ? {} : { suffix };
	return text.request('completion', { model, prompts, echo, ...gap }, signal);
}

/** Completions are asked with texts and tokens only. */
const plainInput = (prompt: GeneratePrompt): string | readonly number[] =>
	prompt.kind === 'text' ? prompt.text : prompt.kind === 'tokens' ? prompt.tokens : '';

function addUsage(left: Usage, right: Usage): Usage {
	return {
		prompt_tokens: left.prompt_tokens + right.prompt_tokens,
		completion_tokens: left.completion_tokens + right.completion_tokens,
		total_tokens: left.total_tokens + right.total_tokens,
		prompt_tokens_details: {
			cached_tokens:
				left.prompt_tokens_details.cached_tokens + right.prompt_tokens_details.cached_tokens,
		},
		completion_tokens_details: { reasoning_tokens: 0 },
	};
}
