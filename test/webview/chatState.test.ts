/** What the chat page makes of the messages it is sent. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Conversation, Turn } from '../../server/protocol/index.ts';
import type { Bridge } from '../../webview/bridge.ts';
import { createChatState } from '../../webview/chatState.ts';
import type { HostMessage, PageState } from '../../webview/protocol.ts';

const turn = (id: string, role: Turn['role'], parent: string | null, text = ''): Turn => ({
	id,
	parent,
	role,
	text,
	createdAt: '',
});

function open() {
	Object.assign(globalThis, { requestAnimationFrame: () => 0 });
	let tell = (_message: HostMessage): void => {};
	const bridge: Bridge = {
		send: () => {},
		onMessage: (listener) => {
			tell = listener;
		},
		load: () => undefined,
		store: () => {},
	};
	const state = createChatState(bridge);
	const conversation: Conversation = {
		id: 'c',
		title: '',
		system: '',
		createdAt: '',
		updatedAt: '',
		turns: [turn('q', 'user', null, 'one'), turn('a', 'assistant', 'q')],
		leaf: 'a',
	};
	const page = { conversation, answering: 'a', progress: null } as unknown as PageState;
	tell({ type: 'state', state: page, strings: {} });
	return { state, tell: (message: HostMessage) => tell(message), page };
}

const { text: _, ...ended } = { ...turn('a', 'assistant', 'q'), finishReason: 'stop' as const };

test('an answer that ends keeps the words that were shown, without being sent them again', () => {
	const { state, tell } = open();
	tell({ type: 'delta', id: 'a', text: '', reasoning: 'Hm.' });
	tell({ type: 'delta', id: 'a', text: 'Use ', reasoning: '' });
	tell({ type: 'delta', id: 'a', text: 'tar.', reasoning: '' });
	tell({ type: 'end', turn: ended, answering: null });
	const last = state.turns.value.at(-1);
	assert.deepEqual([last?.text, last?.reasoning, last?.finishReason], ['Use tar.', 'Hm.', 'stop']);
	assert.equal(state.streaming.value, undefined);
});

test('a page that was told the whole in between loses nothing at the end', () => {
	const { state, tell, page } = open();
	tell({ type: 'delta', id: 'a', text: 'Use ', reasoning: '' });
	const turns = page.conversation.turns.map((one) =>
		one.id === 'a' ? { ...one, text: 'Use tar.' } : one,
	);
	const whole = { ...page, answering: null, conversation: { ...page.conversation, turns } };
	tell({ type: 'state', state: whole, strings: {} });
	tell({ type: 'end', turn: ended, answering: null });
	assert.equal(state.turns.value.at(-1)?.text, 'Use tar.');
});

test('what is dictated joins the draft, and goes again when the dictation is given up', () => {
	const { state, tell } = open();
	state.draft.value = 'Please';
	tell({ type: 'dictating', state: 'on' });
	tell({ type: 'dictated', text: 'explain' });
	tell({ type: 'dictated', text: ' this code.' });
	assert.equal(state.draft.value, 'Please explain this code.');
	assert.equal(state.dictatedTo.value, 'Please');
	tell({ type: 'dictating', state: 'off' });
	assert.equal(state.draft.value, 'Please explain this code.');
	assert.equal(state.dictatedTo.value, undefined);
	tell({ type: 'dictating', state: 'on' });
	tell({ type: 'dictated', text: 'Now.' });
	tell({ type: 'dictating', state: 'takenBack' });
	assert.equal(state.draft.value, 'Please explain this code.');
	// What was typed meanwhile stays; a page that was loaded anew has nothing to take back.
	tell({ type: 'dictating', state: 'on' });
	tell({ type: 'dictated', text: 'Now.' });
	state.draft.value += ' And tests.';
	tell({ type: 'dictating', state: 'takenBack' });
	assert.match(state.draft.value, /Now\. And tests\.$/);
	tell({ type: 'dictating', state: 'takenBack' });
	assert.match(state.draft.value, /And tests\.$/);
});
