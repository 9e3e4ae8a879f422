/** The model's own tokenizer: text to token ids and back. */

import * as z from 'zod';
import { chatBody, tokensBody } from './bodyLimits.ts';
import { boolean, integers, object, optional, string } from './fields.ts';
import { messagesField } from './messageFields.ts';
import { modelField } from './requestFields.ts';
import { jsonBody, route } from './route.ts';

/** `content` is llama.cpp's word, `prompt` and `messages` are vLLM's. */
export const tokenize = route({
	method: 'POST',
	path: '/tokenize',
	who: 'member',
	scope: 'chat',
	summary: 'text or messages to token ids',
	body: jsonBody(
		object({
			model: optional(modelField),
			content: optional(string()),
			prompt: optional(string()),
			messages: optional(messagesField),
			/** Begin- and end-tokens as the model's tokenizer adds them. */
			add_special: optional(boolean),
			add_special_tokens: optional(boolean),
			/** Also give each token's text. */
			with_pieces: optional(boolean),
		}),
		chatBody,
	),
	answer: z.looseObject({
		tokens: z.array(z.union([z.number(), z.object({ id: z.number(), piece: z.unknown() })])),
		count: z.number(),
	}),
	errors: ['model_not_found'],
	section: 'chat',
});

export const detokenize = route({
	method: 'POST',
	path: '/detokenize',
	who: 'member',
	scope: 'chat',
	summary: 'token ids to text',
	body: jsonBody(
		object({
			model: optional(modelField),
			tokens: integers({ min: 0, max: 1 << 30 }, 1_000_000),
			/** Leave special tokens in. */
			special: optional(boolean),
		}),
		tokensBody,
	),
	answer: z.looseObject({ content: z.string() }),
	errors: ['model_not_found'],
	section: 'chat',
});

export const tokenRoutes = [tokenize, detokenize] as const;
