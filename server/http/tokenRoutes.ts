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
		const signal = context.get('signal');
		const tokens = chat
			? await text.ask('prompt', { prompt: chat }, signal)
			: (await text.ask('encode', { texts: [plain ?? ''], addSpecial }, signal)).flat();
		const pieces = async () => {
			const bytes = await text.ask('bytes', { tokens, skipSpecial: false }, signal);
			return tokens.map((id, index) => ({ id, piece: pieceOf(bytes[index]) }));
		};
		return context.json({
			tokens: request.with_pieces ? await pieces() : tokens,
			count: tokens.length,
			...(info.contextLength === undefined ? {} : { max_model_len: info.contextLength }),
		});
	});

	app.post('/detokenize', async (context) => {
		const request = parseBody(context, await readJson(context), detokenizeParser);
		const info = await backend.host.resolve(request.model ?? (await onlyModel(backend)));
		const text = await backend.host.textModel(info.id);
		const { tokens, special = false } = request;
		const signal = context.get('signal');
		const content = await text.ask('decode', { tokens, skipSpecial: !special }, signal);
		return context.json({ content, prompt: content });
	});
}

/** A token as text; one that is part of a character is shown by its bytes. */
function pieceOf(bytes: Uint8Array = new Uint8Array()): string | number[] {
	const piece = new TextDecoder().decode(bytes);
	return piece.includes('\ufffd') ? [...bytes] : piece;
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
