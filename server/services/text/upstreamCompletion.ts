/** Plain completions that send requests which name a model of another engine to that engine, and all others to this machine. */

import { defined } from '../../protocol/defined.ts';
import { AppError } from '../../protocol/index.ts';
import type { CompletionRequest } from '../../protocol/routes/completions.ts';
import { drawingOf } from '../../remote/upstreams/chatBody.ts';
import {
	charactersPerToken,
	type UpstreamUsage,
	usageOf,
} from '../../remote/upstreams/chatObject.ts';
import { textPiecesOf } from '../../remote/upstreams/textAnswers.ts';
import { shownUpstream } from '../../remote/upstreams/upstreamErrors.ts';
import type { NamedUpstream, Upstreams } from '../../remote/upstreams/upstreams.ts';
import { chatUsageOf } from '../chat/chatService.ts';
import { upstreamTimings } from '../chat/upstreamTimings.ts';
import { openBill } from '../limits/account.ts';
import { answerAmounts } from '../limits/answerTokens.ts';
import type { CompletionChoice, CompletionService } from './completionService.ts';

export interface UpstreamCompletionDeps {
	readonly upstreams: Pick<Upstreams, 'find'>;
	/** Milliseconds, monotonic. */
	readonly now: () => number;
}

type RunOptions = Parameters<CompletionService['run']>;

/** What the interface promises where nobody says. */
const defaultMaxTokens = 16;

export function upstreamCompletions(
	local: CompletionService,
	deps: UpstreamCompletionDeps,
): CompletionService {
	return {
		run: async (request, listener, signal) => {
			const named = await deps.upstreams.find(request.model, 'completions');
			return named === undefined
				? local.run(request, listener, signal)
				: runThere(named, deps, [request, listener, signal]);
		},
	};
}

async function runThere(
	{ upstream, model, id }: NamedUpstream,
	{ now }: UpstreamCompletionDeps,
	[request, { onPiece }, signal]: RunOptions,
) {
	const n = request.n ?? 1;
	checkPromised(request, n);
	const choices = request.prompt.length * n;
	const prompts = request.prompt.map((prompt) =>
		typeof prompt === 'string' ? Math.ceil(prompt.length / charactersPerToken) : prompt.length,
	);
	const maxTokens = request.max_tokens ?? defaultMaxTokens;
	const estimated = prompts.reduce((sum, tokens) => sum + tokens, 0);
	await using bill = await openBill(request.account, {
		kind: 'chat',
		model: id,
		...answerAmounts({ prompts, n, maxTokens, isFixed: true }),
	});
	const found = Array.from({ length: choices }, () => ({
		text: '',
		reason: undefined as CompletionChoice['reason'] | undefined,
	}));
	const begunAt = now();
	let firstAt: number | undefined;
	let usage: UpstreamUsage | undefined;
	let characters = 0;
	await upstream.stream(
		'/completions',
		bodyOf(request, model, maxTokens),
		(object) => {
			usage = usageOf(object) ?? usage;
			for (const { index, text, reason } of textPiecesOf(object, choices)) {
				const choice = found[index];
				if (choice === undefined || choice.reason !== undefined) continue;
				firstAt ??= now();
				characters += text.length;
				if (!request.stream) choice.text += text;
				if (reason !== undefined) choice.reason = reason;
				bill.total({
					promptTokens: estimated,
					completionTokens: Math.ceil(characters / charactersPerToken),
				});
				if (request.stream) onPiece({ index, text, ...defined({ reason }) }, id);
			}
			return found.every(({ reason }) => reason !== undefined);
		},
		signal,
	);
	if (found.some(({ reason }) => reason === undefined))
		throw new AppError(
			'upstream_failed',
			`${shownUpstream(upstream.entry)} ended in the middle of the answer. What had come is incomplete; try again.`,
		);
	const {
		promptTokens = estimated,
		completionTokens = Math.ceil(characters / charactersPerToken),
		cachedTokens = 0,
	} = usage ?? {};
	const used = { promptTokens, completionTokens, cachedTokens };
	const timings = upstreamTimings({ begunAt, firstAt, endedAt: now() }, used);
	bill.total(used);
	return {
		model: id,
		choices: request.stream
			? []
			: found.map(({ text, reason = 'stop' }) => ({ text, reason, logprobs: undefined })),
		usage: chatUsageOf({ ...used, timings }),
		timings,
	};
}

/** @throws AppError `unsupported_parameter`, `invalid_request` for what cannot be promised of an engine elsewhere */
function checkPromised(request: CompletionRequest, n: number): void {
	const refuse = (param: string, why: string) =>
		new AppError('unsupported_parameter', `'${param}' ${why}`, { param });
	const here = 'is for models of this computer.';
	if (request.grammar !== undefined) throw refuse('grammar', here);
	if (request.response_format !== undefined && request.response_format.type !== 'text')
		throw refuse(
			'response_format',
			'of an engine elsewhere is for chats: use /v1/chat/completions.',
		);
	if (request.logprobs !== undefined)
		throw refuse('logprobs', `${here} Tokens of engines elsewhere are not known here.`);
	if ((request.best_of ?? n) !== n)
		throw refuse('best_of', "is for models of this computer: an engine elsewhere draws 'n'.");
	if (request.stream_options && !request.stream)
		throw new AppError(
			'invalid_request',
			"'stream_options' is for streams: set 'stream' to true.",
			{ param: 'stream_options' },
		);
}

const bodyOf = (request: CompletionRequest, model: string, maxTokens: number) => ({
	model,
	// Most engines take one prompt as it is, and few a list of one.
	prompt: request.prompt.length === 1 ? request.prompt[0] : request.prompt,
	stream: true,
	stream_options: { include_usage: true },
	max_tokens: maxTokens,
	...drawingOf(request),
	...defined({ suffix: request.suffix, echo: request.echo }),
});
