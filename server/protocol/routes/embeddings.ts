/** Embeddings: vectors of texts. */

import * as z from 'zod';
import { fallbackSchema } from './answers.ts';
import { tokensBody } from './bodyLimits.ts';
import { boolean, integer, object, oneOf, optional } from './fields.ts';
import { loadFields } from './loadFields.ts';
import { callerFields, embeddedTextsField, modelField } from './requestFields.ts';
import { jsonBody, route } from './route.ts';

const embeddingRequest = object({
	model: modelField,
	input: embeddedTextsField,
	encoding_format: optional(oneOf('float', 'base64')),
	dimensions: optional(integer({ min: 1, max: 1 << 20 })),
	/** Leave out the end of texts that are too long, instead of refusing them; default false. */
	truncate: optional(boolean),
	...callerFields,
	...loadFields,
});

export type EmbeddingRequest = z.output<typeof embeddingRequest>;

export const embeddings = route({
	method: 'POST',
	path: '/v1/embeddings',
	who: 'member',
	scope: 'embeddings',
	summary:
		'vectors of texts, as floats or base64; with `truncate` the end of texts that are too long is left out, and `truncated` and `X-Truncated-Inputs` say of which',
	body: jsonBody(embeddingRequest, tokensBody),
	answer: z.object({
		object: z.literal('list'),
		data: z.array(
			z.object({
				object: z.literal('embedding'),
				index: z.number(),
				/** Numbers, or base64 of little-endian float32. */
				embedding: z.union([z.array(z.number()), z.string()]),
			}),
		),
		model: z.string(),
		/** Places of the texts whose end was left out; absent: none. */
		truncated: z.array(z.int()).exactOptional(),
		usage: z.object({ prompt_tokens: z.number(), total_tokens: z.number() }),
		execution_provider: fallbackSchema.exactOptional(),
	}),
	errors: ['model_not_found', 'context_length_exceeded', 'overloaded'],
	section: 'chat',
});

export const embeddingRoutes = [embeddings] as const;
