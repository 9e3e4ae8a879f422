/** Chat models translate through the chat service, with its queue, templates and schemas. */

import type { JsonSchema } from '../../protocol/index.ts';
import type { ChatService } from '../chat/chatService.ts';
import type { GenerateChat } from './chatTranslator.ts';

/** Asks the models of this machine; greedy, so that equal texts get equal answers. */
export function generateChatOf(chat: Pick<ChatService, 'run'>): GenerateChat {
	return async ({ model, messages, schema, maxTokens, owner, priority }, signal) => {
		let text = '';
		await chat.run(
			{
				...{ model, owner, priority, isTranslation: true },
				messages: [...messages],
				max_tokens: maxTokens,
				temperature: 0,
				seed: 0,
				// Engines elsewhere refuse an effort they do not know.
				...(model.includes('/') ? {} : { reasoning_effort: 'none' as const }),
				response_format: { type: 'json_schema', json_schema: { schema: schema as JsonSchema } },
			} as Parameters<ChatService['run']>[0],
			(event) => {
				if (event.type === 'piece') text += event.piece.content;
			},
			signal,
		);
		return text;
	};
}
