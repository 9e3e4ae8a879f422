/** `POST /v1/responses`: the stateless core, whole and as typed events. */

import { randomUUID } from 'node:crypto';
import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { responses } from '../protocol/routes/responses.ts';
import type { ChatEvent } from '../services/chat/chatService.ts';
import { namingField } from '../services/fieldNames.ts';
import { ResponseBuilder, type ResponseEvent } from '../services/responses/builder.ts';
import { chatOf } from '../services/responses/request.ts';
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

const newId = () => randomUUID().replaceAll('-', '');

export function registerResponsesRoutes(app: Hono<AppEnv>, backend: Backend): void {
	register(app, responses, async ({ context, body: request }) => {
		const chat = chatOf(request);
		const record = recordRequest(context, backend, request.model, request);
		const builder = (emit: (event: ResponseEvent) => void) =>
			new ResponseBuilder(request, {
				id: `resp_${newId()}`,
				created: Math.floor(Date.now() / 1000),
				newId,
				emit,
			});
		const answer = async (response: ResponseBuilder, signal: AbortSignal) => {
			const onEvent = (event: ChatEvent) => {
				if (event.type === 'omitted') noteOmittedTurns(context, event.turns);
				if (event.type === 'ignored')
					nameIgnored(
						context,
						event.fields.map((name) => name.replace('reasoning_effort', 'reasoning.effort')),
					);
				if (event.type === 'fallback') noteFallback(context, event.fallback);
				if (event.type === 'piece') record.firstToken();
				response.take(event);
			};
			const outcome = await namingField('messages', 'input', () =>
				backend.chat.run(owned(context, chat), onEvent, signal),
			);
			record.model = outcome.model;
			record.usage = outcome.usage;
			return response.finish(outcome);
		};
		if (!request.stream) {
			const whole = builder(() => {});
			return withMetrics(record, async () =>
				answerJson(context, await answer(whole, context.get('signal'))),
			);
		}
		let building: ResponseBuilder | undefined;
		const response = await sse(
			{
				signal: context.get('signal'),
				caller: context.get('caller'),
				error: (error) => {
					const failure = building?.failure({ code: error.code, message: error.message });
					return { value: failure ?? {}, event: 'response.failed' };
				},
			},
			(writer, signal) =>
				withMetrics(record, async () => {
					building = builder((event) => writer.data(event, event.type));
					await answer(building, signal);
				}),
		);
		return withHeaders(context, response);
	});
}
