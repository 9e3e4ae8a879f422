/**
 * A chat service that sends requests which name a model of another engine (`lab/qwen3-32b`) to that engine, and all
 * others to this machine. Neither ever stands in for the other.
 */

import { AppError } from '../../protocol/index.ts';
import type { ChatRequest } from '../../protocol/routes/chat.ts';
import { type FunctionsRequest, upstreamChatOf } from '../../remote/upstreams/chatBody.ts';
import {
	charactersPerToken,
	type UpstreamUsage,
	upstreamPiecesOf,
	usageOf,
} from '../../remote/upstreams/chatObject.ts';
import { shownUpstream } from '../../remote/upstreams/upstreamErrors.ts';
import type { NamedUpstream, Upstreams } from '../../remote/upstreams/upstreams.ts';
import { type Bill, openBill } from '../limits/account.ts';
import {
	AnswerCount,
	answerAmounts,
	answerUnderLimit,
	grantedAnswer,
} from '../limits/answerTokens.ts';
import { type ChatOutcome, type ChatService, chatUsageOf } from './chatService.ts';
import { functionsOf, shownTools } from './customCalls.ts';
import { upstreamTimings } from './upstreamTimings.ts';

export interface UpstreamChatDeps {
	readonly upstreams: Pick<Upstreams, 'find'>;
	/** Milliseconds, monotonic. */
	readonly now: () => number;
	readonly randomId: () => string;
}

type RunOptions = Parameters<ChatService['run']>;

export function upstreamChat(local: ChatService, deps: UpstreamChatDeps): ChatService {
	return {
		run: async (request, onEvent, signal) => {
			const named = await deps.upstreams.find(request.model, useOf(request));
			return named === undefined
				? local.run(request, onEvent, signal)
				: runThere(named, deps, [request, onEvent, signal]);
		},
		countTokens: async (request, signal) => {
			const named = await deps.upstreams.find(request.model, 'chat');
			if (named === undefined) return local.countTokens(request, signal);
			throw new AppError(
				'unsupported_model',
				`${shownUpstream(named.upstream.entry)} does not tell how many tokens a prompt has before it answers.`,
				{ param: 'model' },
			);
		},
		check: async (request, signal) => {
			const named = await deps.upstreams.find(request.model, 'chat');
			if (named === undefined) return local.check(request, signal);
			await using _bill = await billOf(named, request);
		},
	};
}

/** Translations come as chats, too. */
const useOf = (request: RunOptions[0]) => (request.isTranslation ? 'translate' : 'chat');

type Priced = Parameters<ChatService['check']>[0];

/** Tokens of a prompt, as nobody here can count them. */
const estimatedTokens = ({ messages }: Priced): number =>
	Math.ceil(JSON.stringify(messages).length / charactersPerToken);

const askedTokens = (request: Priced): number | undefined =>
	request.max_completion_tokens ?? request.max_tokens;

function billOf({ id }: NamedUpstream, request: Priced): Promise<Bill> {
	const asked = askedTokens(request);
	return openBill(request.account, {
		kind: 'chat',
		model: id,
		...answerAmounts({
			...{ prompts: [estimatedTokens(request)], n: request.n ?? 1 },
			...{ maxTokens: asked ?? answerUnderLimit, isFixed: asked !== undefined },
		}),
	});
}

async function runThere(
	named: NamedUpstream,
	deps: UpstreamChatDeps,
	[request, onEvent, signal]: RunOptions,
): Promise<ChatOutcome> {
	const { upstream, model, id } = named;
	if (request.ownPrompt !== undefined)
		throw new AppError(
			'unsupported_model',
			`${shownUpstream(upstream.entry)} takes messages, not prompts that are ready: use /v1/chat/completions.`,
			{ param: 'model' },
		);
	const who = shownUpstream(upstream.entry);
	const estimated = estimatedTokens(request);
	await using bill = await billOf(named, request);
	const granted = request.account?.isLimited('tokens')
		? grantedAnswer(bill.granted, estimated, request.n ?? 1)
		: askedTokens(request);
	const { body, ignored, olderForm, choices } = upstreamChatOf(
		withFunctions(request),
		model,
		granted,
	);
	if (ignored.length > 0) onEvent({ type: 'ignored', fields: ignored });
	const count = new AnswerCount(bill, estimated);
	const begunAt = deps.now();
	let firstAt: number | undefined;
	let usage: UpstreamUsage | undefined;
	let characters = 0;
	const ended = new Set<number>();
	const calls = new Set<string>();
	const start = () => {
		if (firstAt !== undefined) return;
		firstAt = deps.now();
		onEvent({ type: 'start', model: id, choices });
	};
	await upstream.stream(
		'/chat/completions',
		body,
		(object) => {
			usage = usageOf(object) ?? usage;
			for (const { choice, reason, ...piece } of upstreamPiecesOf(object, choices)) {
				start();
				if (ended.has(choice)) continue;
				characters += piece.content.length + piece.reasoning.length;
				count.answer(1);
				const named = piece.calls.map((call) => {
					const key = `${choice} ${call.index}`;
					if (calls.has(key)) return call;
					calls.add(key);
					return { ...call, id: call.id ?? `call_${deps.randomId()}` };
				});
				onEvent({ type: 'piece', choice, piece: { ...piece, calls: named }, tokenIds: [] });
				if (reason === undefined) continue;
				ended.add(choice);
				const older = reason === 'tool_calls' && olderForm;
				onEvent({ type: 'finish', choice, reason: older ? 'function_call' : reason });
			}
			return ended.size === choices;
		},
		signal,
		request.conversation ?? request.prompt_cache_key,
	);
	if (ended.size < choices)
		throw new AppError(
			'upstream_failed',
			`${who} ended in the middle of the answer. What had come is incomplete; try again.`,
		);
	const {
		promptTokens = estimated,
		completionTokens = Math.ceil(characters / charactersPerToken),
		cachedTokens = 0,
		reasoningTokens = 0,
	} = usage ?? {};
	const used = { promptTokens, completionTokens, cachedTokens };
	const timings = upstreamTimings({ begunAt, firstAt, endedAt: deps.now() }, used);
	const summary = { ...used, timings };
	count.end(summary);
	return {
		model: id,
		usage: chatUsageOf(summary, reasoningTokens),
		timings,
		olderForm,
		omittedTurns: 0,
		promptTokens: [],
	};
}

/**
 * Grammars of custom tools are told, as part of their descriptions; to hold an answer to them is for models here.
 * @throws AppError `unsupported_parameter` for a grammar that could not be enforced here either
 */
function withFunctions({ tools, ...request }: ChatRequest): FunctionsRequest {
	if (tools === undefined) return request;
	functionsOf({ tools });
	return { ...request, tools: shownTools({ tools }) };
}
