/** `POST /v1/completions`, whole and streamed. */

import { randomUUID } from 'node:crypto';
import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { completions } from '../protocol/routes/completions.ts';
import { fallbackField } from '../services/chat/serializeCompletion.ts';
import type { ProviderFallback } from '../services/host.ts';
import type { AppEnv } from './env.ts';
import { noteFallback } from './fallbackHeader.ts';
import { owned } from './owner.ts';
import { register } from './register.ts';
import { recordRequest, withMetrics } from './requestMetrics.ts';
import { sse } from './sseResponse.ts';
import { withHeaders } from './streamedAnswer.ts';

export function registerCompletionRoutes(app: Hono<AppEnv>, backend: Backend): void {
	register(app, completions, async ({ context, body: request, answer }) => {
		const record = recordRequest(context, backend, request.model, request);
		const head = {
			id: `cmpl-${randomUUID().replaceAll('-', '')}`,
			object: 'text_completion' as const,
			created: Math.floor(Date.now() / 1000),
		};
		let fallback: ProviderFallback | undefined;
		const onFallback = (found: ProviderFallback) => {
			fallback = found;
			noteFallback(context, found);
		};
		if (!request.stream)
			return withMetrics(record, async () => {
				const outcome = await backend.completions.run(
					owned(context, request),
					{ onPiece: () => {}, onFallback },
					context.get('signal'),
				);
				record.model = outcome.model;
				record.usage = outcome.usage;
				return answer({
					...head,
					model: outcome.model,
					choices: outcome.choices.map(({ text, reason, logprobs }, index) => ({
						text,
						index,
						logprobs: logprobs ?? null,
						finish_reason: reason,
					})),
					usage: outcome.usage,
					timings: outcome.timings,
					...fallbackField(fallback),
				});
			});
		const response = await sse(
			{ signal: context.get('signal'), caller: context.get('caller'), last: '[DONE]' },
			(writer, signal) =>
				withMetrics(record, async () => {
					const withUsage = request.stream_options?.include_usage ?? false;
					const extra = withUsage ? { usage: null } : {};
					const outcome = await backend.completions.run(
						owned(context, request),
						{
							onFallback,
							onPiece: ({ text, index, reason, logprobs }, model) => {
								record.firstToken();
								const choice = {
									text,
									index,
									logprobs: logprobs ?? null,
									finish_reason: reason ?? null,
								};
								const place = reason === undefined ? {} : fallbackField(fallback);
								writer.data({ ...head, model, choices: [choice], ...place, ...extra });
							},
						},
						signal,
					);
					record.model = outcome.model;
					record.usage = outcome.usage;
					const { model, usage, timings } = outcome;
					if (withUsage) writer.data({ ...head, model, choices: [], usage, timings });
				}),
		);
		return withHeaders(context, response);
	});
}
