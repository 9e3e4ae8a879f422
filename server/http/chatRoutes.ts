/** `POST /v1/chat/completions`, whole and streamed, and the count of a prompt's tokens. */

import { randomUUID } from 'node:crypto';
import type { Context, Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { defined } from '../protocol/defined.ts';
import { type ChatRequest, chatCompletions, countChatTokens } from '../protocol/routes/chat.ts';
import { customNames } from '../protocol/routes/customTools.ts';
import type { ChatEvent } from '../services/chat/chatService.ts';
import {
	AnswerBuilder,
	type AnswerHead,
	ChunkBuilder,
	omittedField,
} from '../services/chat/serializeCompletion.ts';
import type { AppEnv } from './env.ts';
import { noteFallback } from './fallbackHeader.ts';
import { answerJson } from './jsonAnswer.ts';
import { noteOmittedTurns } from './omittedTurns.ts';
import { owned } from './owner.ts';
import { register } from './register.ts';
import { recordRequest, withMetrics } from './requestMetrics.ts';
import { sse } from './sseResponse.ts';
import { withHeaders } from './streamedAnswer.ts';
import { nameIgnored } from './unknownFields.ts';

export function registerChatRoutes(app: Hono<AppEnv>, backend: Backend): void {
	register(app, chatCompletions, ({ context, body }) =>
		body.stream ? streamChat(context, backend, body) : answerChat(context, backend, body),
	);

	register(app, countChatTokens, async ({ context, body, signal, answer }) => {
		const { tokens, omittedTurns } = await backend.chat.countTokens(body, signal);
		noteOmittedTurns(context, omittedTurns);
		await context.get('account')?.look('tokens');
		return answer({ tokenCount: tokens, ...omittedField(omittedTurns) });
	});
}

function newHead(): AnswerHead {
	return {
		id: `chatcmpl-${randomUUID().replaceAll('-', '')}`,
		created: Math.floor(Date.now() / 1000),
	};
}

async function answerChat(
	context: Context<AppEnv>,
	backend: Backend,
	request: ChatRequest,
): Promise<Response> {
	const record = recordRequest(context, backend, request.model ?? 'default', request);
	return withMetrics(record, async () => {
		const builder = new AnswerBuilder(customNames(request.tools));
		const outcome = await backend.chat.run(
			owned(context, request),
			(event) => {
				if (event.type === 'ignored') nameIgnored(context, event.fields);
				if (event.type === 'fallback') noteFallback(context, event.fallback);
				if (event.type === 'piece') record.firstToken();
				builder.take(event);
			},
			context.get('signal'),
		);
		record.model = outcome.model;
		record.usage = outcome.usage;
		noteOmittedTurns(context, outcome.omittedTurns);
		return answerJson(context, builder.build(newHead(), outcome));
	});
}

async function streamChat(
	context: Context<AppEnv>,
	backend: Backend,
	request: ChatRequest,
): Promise<Response> {
	const record = recordRequest(context, backend, request.model ?? 'default', request);
	const response = await sse(
		{ signal: context.get('signal'), caller: context.get('caller'), last: '[DONE]' },
		(writer, signal) =>
			withMetrics(record, async () => {
				const chunks = new ChunkBuilder(newHead(), {
					withUsage: request.stream_options?.include_usage ?? false,
					olderForm: request.functions !== undefined,
					withProgress: request.return_progress ?? false,
					customs: customNames(request.tools),
					...defined({ model: request.model }),
				});
				const onEvent = (event: ChatEvent) => {
					// Before anything is written: the head of the answer goes out with the first chunk.
					if (event.type === 'omitted') noteOmittedTurns(context, event.turns);
					if (event.type === 'ignored') nameIgnored(context, event.fields);
					if (event.type === 'fallback') noteFallback(context, event.fallback);
					if (event.type === 'start') record.model = event.model;
					if (event.type === 'piece') record.firstToken();
					for (const chunk of chunks.take(event)) writer.data(chunk);
				};
				const outcome = await backend.chat.run(owned(context, request), onEvent, signal);
				record.usage = outcome.usage;
				for (const chunk of chunks.last(outcome)) writer.data(chunk);
			}),
	);
	return withHeaders(context, response);
}
