/** `/tokenize` and `/detokenize`: the model's own tokenizer, without loading its weights. */

import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import { detokenize, tokenize } from '../protocol/routes/tokens.ts';
import { seenMessages } from '../services/chat/promptImages.ts';
import type { AppEnv } from './env.ts';
import { register } from './register.ts';

export function registerTokenRoutes(app: Hono<AppEnv>, backend: Backend): void {
	register(app, tokenize, async ({ context, body: request }) => {
		const info = await backend.host.resolve(request.model ?? (await onlyModel(backend)));
		const text = await backend.host.textModel(info.id);
		const plain = request.content ?? request.prompt;
		const given = [request.content, request.prompt, request.messages];
		if (given.filter((one) => one !== undefined).length !== 1)
			throw new AppError('invalid_request', "Send one of 'content', 'prompt' and 'messages'.", {
				param: 'content',
			});
		const body = await text.request(
			'tokenize',
			{
				prompt: request.messages
					? {
							kind: 'chat',
							...seenMessages(request.messages, await backend.profile(info.folder ?? ''), info.id),
						}
					: { kind: 'text', text: plain ?? '' },
				addSpecial: request.add_special ?? request.add_special_tokens ?? false,
				pieces: request.with_pieces ?? false,
				...defined({ contextLength: info.contextLength }),
			},
			context.get('signal'),
		);
		await context.get('account')?.look('tokens');
		return context.body(body, 200, { 'content-type': 'application/json' });
	});

	register(app, detokenize, async ({ context, body: request }) => {
		const info = await backend.host.resolve(request.model ?? (await onlyModel(backend)));
		const text = await backend.host.textModel(info.id);
		const { tokens, special = false } = request;
		const signal = context.get('signal');
		const body = await text.request('detokenize', { tokens, skipSpecial: !special }, signal);
		await context.get('account')?.look('tokens');
		return context.body(body, 200, { 'content-type': 'application/json' });
	});
}

/** Clients that know one model per server name none; that works while there is no doubt. */
async function onlyModel(backend: Backend): Promise<string> {
	const models = await backend.host.list('chat-completion');
	const loaded = models.filter(({ state }) => state === 'loaded');
	const [only, ...others] = loaded.length > 0 ? loaded : models;
	if (only !== undefined && others.length === 0) return only.id;
	throw new AppError('invalid_request', "'model' is missing: there is more than one model here.", {
		param: 'model',
	});
}
