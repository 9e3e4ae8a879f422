/** `POST /v1/rerank`, where it is also called `/rerank` and `/v2/rerank`, and `/v1/moderations`, which is refused. */

import { randomUUID } from 'node:crypto';
import type { Context, Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { AppError } from '../protocol/index.ts';
import { moderations, rerank, rerankPlain, rerankSecond } from '../protocol/routes/rerank.ts';
import { fallbackField } from '../services/chat/serializeCompletion.ts';
import type { ProviderFallback } from '../services/host.ts';
import type { AppEnv } from './env.ts';
import { noteFallback } from './fallbackHeader.ts';
import { owned } from './owner.ts';
import { register } from './register.ts';
import { announcedBytes } from './requestBody.ts';
import { recordRequest, withMetrics } from './requestMetrics.ts';
import { noteTruncated } from './truncatedHeader.ts';

export function registerRerankRoutes(app: Hono<AppEnv>, backend: Backend): void {
	const checkRoom = (context: Context<AppEnv>): void =>
		backend.reranking.checkRoom(announcedBytes(context));
	for (const route of [rerank, rerankPlain, rerankSecond])
		register(
			app,
			route,
			async ({ context, body: request, answer }) => {
				const record = recordRequest(context, backend, request.model, request);
				return withMetrics(record, async () => {
					let fallback: ProviderFallback | undefined;
					const { model, ranked, promptTokens, truncated } = await backend.reranking.run(
						owned(context, request),
						(found) => {
							fallback = found;
							noteFallback(context, found);
						},
						context.get('signal'),
					);
					record.model = model;
					noteTruncated(context, truncated);
					const { documents, return_documents: shown = false } = request;
					return answer({
						id: `rerank-${randomUUID().replaceAll('-', '')}`,
						model,
						results: ranked.map(({ index, score }) => ({
							index,
							relevance_score: score,
							...(shown ? { document: { text: documents[index] ?? '' } } : {}),
						})),
						usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
						meta: { tokens: { input_tokens: promptTokens } },
						...fallbackField(fallback),
					});
				});
			},
			{ checkRoom },
		);
	register(app, moderations, () => {
		throw new AppError(
			'unsupported_parameter',
			'There are no moderations here: no model of this server judges what may be said. Ask a chat model with a schema.',
		);
	});
}
