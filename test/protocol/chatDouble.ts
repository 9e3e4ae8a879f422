/** A chat without an editor, for tests. */

import {
	type ChatDelta,
	type ChatParams,
	type ChatResult,
	ChatSession,
	type Conversation,
} from '../../server/protocol/index.ts';
import type { HostMessage } from '../../webview/protocol.ts';

export type Complete = (
	params: ChatParams,
	onDelta: (delta: ChatDelta) => void,
	signal: AbortSignal,
) => Promise<ChatResult>;

export const answer = (text: string) => ({
	text,
	toolCalls: [],
	finishReason: 'stop' as const,
	model: 'm',
});

/** A chat whose model is `first`, and notes of what it does. */
export function setUp(first: Complete) {
	const posted: HostMessage[] = [];
	const saved: Conversation[] = [];
	const asked: ChatParams[] = [];
	const how = { complete: first };
	const timers = new Set<() => void>();
	let id = 0;
	const session = new ChatSession(
		{
			later: (_ms, run) => {
				timers.add(run);
				return () => timers.delete(run);
			},
			complete: async (params, onDelta, signal) => {
				asked.push(params);
				let told = '';
				const { text = '', ...end } = await how.complete(
					params,
					(delta) => {
						told += delta.text ?? '';
						onDelta(delta);
					},
					signal,
				);
				// What a test says as a whole comes as the words of a model do.
				if (text.length > told.length) onDelta({ text: text.slice(told.length) });
				return end;
			},
			save: async (conversation) => void saved.push(conversation),
			post: (message) => void posted.push(message),
			id: () => `id${++id}`,
			now: () => new Date(0),
		},
		{ model: '', system: 'Be brief.' },
	);
	/** Lets the time pass that every planned save waits for. */
	const wait = () => {
		for (const run of timers) run();
		timers.clear();
	};
	return { session, posted, saved, asked, how, timers, wait };
}

/** A model that repeats the question. */
export const echo: Complete = async (params, onDelta) => {
	const text = `re: ${params.messages.at(-1)?.content}`;
	onDelta({ text });
	return answer(text);
};
