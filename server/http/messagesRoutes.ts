/** `POST /v1/messages`, whole and streamed, and the count of a prompt's tokens: Anthropic's interface over the chat service. */

import { randomUUID } from 'node:crypto';
import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { countMessageTokens, createMessage } from '../protocol/routes/anthropicMessages.ts';
import { anthropicError } from '../protocol/routes/errorShapes.ts';
import { MessageBuilder, type MessageEvent } from '../services/anthropic/messageBuilder.ts';
import { anthropicNames, chatOfAnthropic } from '../services/anthropic/messagesRequest.ts';
import type { ChatEvent } from '../services/chat/chatService.ts';
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

export function registerMessagesRoutes(app: Hono<AppEnv>, backend: Backend): void {
	register(app, createMessage, async ({ context, body: request, signal }) => {
		const chat = {
			...chatOfAnthropic(request),
			// The first event says how long the prompt is.
			ownPrompt: { before: [], text: undefined },
		};
		const record = recordRequest(context, backend, request.model, chat);
		const answer = async (emit: (event: MessageEvent) => void, stop: AbortSignal) => {
			const builder = new MessageBuilder({
				id: `msg_${randomUUID().replaceAll('-', '')}`,
				model: request.model,
				stopSequences: request.stop_sequences ?? [],
				maxTokens: request.max_tokens,
				emit,
			});
			const onEvent = (event: ChatEvent) => {
				if (event.type === 'omitted') noteOmittedTurns(context, event.turns);
				if (event.type === 'ignored')
					nameIgnored(
						context,
						event.fields.map((name) => anthropicNames.get(name) ?? name),
					);
				if (event.type === 'fallback') noteFallback(context, event.fallback);
				if (event.type === 'piece') record.firstToken();
				builder.take(event);
			};
			const outcome = await backend.chat.run(owned(context, chat), onEvent, stop);
			record.model = outcome.model;
			record.usage = outcome.usage;
			return builder.finish(outcome);
		};
		if (!request.stream)
			return withMetrics(record, async () => answerJson(context, await answer(() => {}, signal)));
		const response = await sse(
			{
				signal,
				caller: context.get('caller'),
				heartbeat: { value: { type: 'ping' }, event: 'ping' },
				error: (error) => ({ value: anthropicError(error), event: 'error' }),
			},
			(writer, stop) =>
				withMetrics(record, async () => {
					await answer((event) => writer.data(event, event.type), stop);
				}),
		);
		return withHeaders(context, response);
	});

	register(app, countMessageTokens, async ({ context, body, signal, answer }) => {
		const { tokens } = await backend.chat.countTokens(chatOfAnthropic(body), signal);
		await context.get('account')?.look('tokens');
		return answer({ input_tokens: tokens });
	});
}
