/** `POST /v1/embeddings`. */

import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { fallbackField } from '../services/chat/completionShape.ts';
import type { ProviderFallback } from '../services/host.ts';
import { base64Vector, embeddingParser } from '../services/text/embeddingService.ts';
import { readJson } from './body.ts';
import { tokensBody } from './bodyLimits.ts';
import type { AppEnv } from './env.ts';
import { noteFallback } from './fallbackHeader.ts';
import { answerJson } from './jsonAnswer.ts';
import { recorded, recordRequest } from './record.ts';
import { parseBody } from './unknownFields.ts';

export function registerEmbeddingRoutes(app: Hono<AppEnv>, backend: Backend): void {
	app.post('/v1/embeddings', async (context) => {
		const request = parseBody(context, await readJson(context, tokensBody), embeddingParser);
		const record = recordRequest(context, backend, request.model, request);
		return recorded(record, async () => {
			let fallback: ProviderFallback | undefined;
			const { model, vectors, promptTokens } = await backend.embeddings.run(
				request,
				(found) => {
					fallback = found;
					noteFallback(context, found);
				},
				context.get('signal'),
			);
			record.model = model;
			const asText = request.encoding_format === 'base64';
			return answerJson(context, {
				object: 'list',
				data: vectors.map((vector, index) => ({
					object: 'embedding',
					index,
					embedding: asText ? base64Vector(vector) : [...vector],
				})),
				model,
				usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
				...fallbackField(fallback),
			});
		});
	});
}
