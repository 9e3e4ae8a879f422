/** A chat answer of the daemon, streamed to the studio page. */

import { conversationHeaders } from '../server/protocol/conversationHeader.ts';
import {
	type ChatDelta,
	type ChatEnd,
	type ChatParams,
	readAnswer,
	wireMessages,
} from '../server/protocol/index.ts';
import { chatCompletions } from '../server/protocol/routeAddresses.ts';
import type { StudioApi } from './studioApi.ts';

export async function answerInStudio(
	api: StudioApi,
	{ conversation, ...params }: ChatParams,
	onDelta: (delta: ChatDelta) => void,
	signal: AbortSignal,
): Promise<ChatEnd> {
	onDelta({ progress: { phase: 'connecting' } });
	const headers = conversationHeaders(conversation);
	const body = {
		...params,
		messages: wireMessages(params.messages),
		stream: true,
		stream_options: { include_usage: true },
		return_progress: true,
	};
	const response = await api.client.open(chatCompletions, { body, headers }, { signal });
	return readAnswer(response, { model: params.model ?? '', onDelta, signal });
}
