/** `POST /v1/embeddings`. */

import type { Context, Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { embeddings } from '../protocol/routes/embeddings.ts';
import { fallbackField } from '../services/chat/serializeCompletion.ts';
import type { ProviderFallback } from '../services/host.ts';
import { base64Vector } from '../services/text/embeddingService.ts';
import { embedTruncated } from '../services/text/embedTruncated.ts';
import type { AppEnv } from './env.ts';
import { noteFallback } from './fallbackHeader.ts';
import { owned } from './owner.ts';
import { register } from './register.ts';
import { announcedBytes } from './requestBody.ts';
import { recordRequest, withMetrics } from './requestMetrics.ts';
import { noteTruncated } from './truncatedHeader.ts';

export function registerEmbeddingRoutes(app: Hono<AppEnv>, backend: Backend): void {
	const checkRoom = (context: Context<AppEnv>): void =>
		backend.embeddings.checkRoom(announcedBytes(context));
	register(
		app,
		embeddings,
		async ({ context, body: request, answer }) => {
			const record = recordRequest(context, backend, request.model, request);
			return withMetrics(record, async () => {
				let fallback: ProviderFallback | undefined;
				const { outcome, truncated } = await embedTruncated(
					backend,
					owned(context, request),
					request.truncate ?? false,
					(found) => {
						fallback = found;
						noteFallback(context, found);
					},
					context.get('signal'),
				);
				noteTruncated(context, truncated);
				const { model, vectors, promptTokens } = outcome;
				record.model = model;
				const asText = request.encoding_format === 'base64';
				return answer({
					object: 'list',
					data: vectors.map((vector, index) => ({
						object: 'embedding',
						index,
						embedding: asText ? base64Vector(vector) : [...vector],
					})),
					model,
					...(truncated.length === 0 ? {} : { truncated: [...truncated] }),
					usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
					...fallbackField(fallback),
				});
			});
		},
		{ checkRoom },
	);
}
