/** `/translate` in a chat: the translation stands where an answer would, and no chat model is asked. */

import type { ChatSession } from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { targetLanguage } from '../targetLanguage.ts';
import { selectionAttachment } from './attachSelection.ts';

/** @param rest what stands behind the command; empty: the selection */
export async function translateQuestion(
	languageServer: LanguageServerClient,
	session: ChatSession,
	text: string,
	rest: string,
): Promise<void> {
	const to = await targetLanguage(languageServer);
	if (to === undefined) return;
	const source = rest.trim() || selectionAttachment().text;
	await session.send(text, {
		complete: async (_params, onDelta) => {
			const params = { texts: [source], to };
			const { items } = await languageServer.request('nearglot/translate', params);
			onDelta({ text: items[0]?.text ?? '' });
			return { toolCalls: [], finishReason: 'stop', model: 'translate' };
		},
	});
}
