/** `/tokenize` and `/detokenize`: the model's own tokenizer, without loading its weights. */

import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { AppError } from '../protocol/index.ts';
import { array, boolean, integer, object, optional, string } from '../protocol/parser.ts';
import { messagesField } from '../services/chat/messages.ts';
import { readJson } from './body.ts';
import { chatBody, tokensBody } from './bodyLimits.ts';
import type { AppEnv } from './env.ts';
import { parseBody } from './unknownFields.ts';

const model = optional(string({ minLength: 1, maxLength: 300 }));

/** `content` is llama.cpp's word, `prompt` and `messages` are vLLM's. */
export const tokenizeParser = object({
	model,
	content: optional(string()),
	prompt: optional(string()),
	messages: optional(messagesField),
	/** Begin- and end-tokens as the model's tokenizer adds them. */
	add_special: optional(boolean),
	add_special_tokens: optional(boolean),
	/** Also give each token's text. */
	with_pieces: optional(boolean),
});

export const detokenizeParser = object({
	model,
	tokens: array(integer({ min: 0, max: 1 << 30 }), { max: 1_000_000 }),
	/** Leave special tokens in. */
	special: optional(boolean),
});

export function registerTokenRoutes(app: Hono<AppEnv>, backend: Backend): void {
	app.post('/tokenize', async (context) => {
		const request = parseBody(context, await readJson(context, chatBody), tokenizeParser);
		const info = await backend.host.resolve(request.model ?? (await onlyModel(backend)));
		const text = await backend.host.textModel(info.id);
		const plain = request.content ?? request.prompt;
		if ((plain === undefined) === (request.messages === undefined))
			throw new AppError('invalid_request', "Send 'content' or 'messages'.", { param: 'content' });
		const body = await text.ask(
			'tokenize',
			{
				prompt: request.messages
					? { kind: 'chat', messages: request.messages }
					: { kind: 'text', text: plain ?? '' },
				addSpecial: request.add_special ?? request.add_special_tokens ?? false,
				pieces: request.with_pieces ?? false,
				...(info.contextLength === undefined ? {} : { contextLength: info.contextLength }),
			},
			context.get('signal'),
		);
		return context.body(body, 200, { 'content-type': 'application/json' });
	});

	app.post('/detokenize', async (context) => {
		const request = parseBody(context, await readJson(context, tokensBody), detokenizeParser);
		const info = await backend.host.resolve(request.model ?? (await onlyModel(backend)));
		const text = await backend.host.textModel(info.id);
		const { tokens, special = false } = request;
		const signal = context.get('signal');
		const body = await text.ask('detokenize', { tokens, skipSpecial: !special }, signal);
		return context.body(body, 200, { 'content-type': 'application/json' });
	});
}

/** Clients that know one model per server name none; that works while there is no doubt. */
async function onlyModel(backend: Backend): Promise<string> {
	const loaded = backend.host.loaded();
	const [only] =
		loaded.length > 0 ? loaded : (await backend.host.list('chat-completion')).map(({ id }) => id);
	const count =
		loaded.length > 0 ? loaded.length : (await backend.host.list('chat-completion')).length;
	if (only !== undefined && count === 1) return only;
	throw new AppError('invalid_request', "'model' is missing: there is more than one model here.", {
		param: 'model',
	});
}
