/** `/tokenize` and `/detokenize`: the model's own tokenizer, without loading its weights. */

import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import type { GeneratePrompt } from '../engine/api.ts';
import { AppError } from '../protocol/index.ts';
import { array, boolean, integer, object, optional, string } from '../protocol/parser.ts';
import { messagesField } from '../services/chat/messages.ts';
import { readJson } from './body.ts';
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
		const request = parseBody(context, await readJson(context), tokenizeParser);
		const info = await backend.host.resolve(request.model ?? (await onlyModel(backend)));
		const text = await backend.host.textModel(info.id);
		const plain = request.content ?? request.prompt;
		if ((plain === undefined) === (request.messages === undefined))
			throw new AppError('invalid_request', "Send 'content' or 'messages'.", { param: 'content' });
		const addSpecial = request.add_special ?? request.add_special_tokens ?? false;
		const chat: GeneratePrompt | undefined = request.messages && {
			kind: 'chat',
			messages: request.messages,
		};
		const tokens = chat ? text.promptTokens(chat) : text.encode(plain ?? '', { addSpecial });
		const pieces = () =>
			tokens.map((id) => {
				const bytes = text.tokenBytes(id);
				const piece = new TextDecoder().decode(bytes);
				// A token that is part of a character is shown by its bytes.
				return { id, piece: piece.includes('\ufffd') ? [...bytes] : piece };
			});
		return context.json({
			tokens: request.with_pieces ? pieces() : tokens,
			count: tokens.length,
			...(info.contextLength === undefined ? {} : { max_model_len: info.contextLength }),
		});
	});

	app.post('/detokenize', async (context) => {
		const request = parseBody(context, await readJson(context), detokenizeParser);
		const info = await backend.host.resolve(request.model ?? (await onlyModel(backend)));
		const text = await backend.host.textModel(info.id);
		const wrong = request.tokens.findIndex((id) => id >= text.vocabularySize);
		if (wrong >= 0)
			throw new AppError(
				'invalid_request',
				`'tokens[${wrong}]' is ${request.tokens[wrong]}, but the model has ${text.vocabularySize} tokens.`,
				{ param: `tokens[${wrong}]` },
			);
		const content = text.decode(request.tokens, { skipSpecial: !(request.special ?? false) });
		return context.json({ content, prompt: content });
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
