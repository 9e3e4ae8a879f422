/** `@nearglot` in VS Code's own chat: which conversation a turn is of. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { ChatParams } from '../../../server/protocol/index.ts';
import {
	ChatRequestTurn,
	ChatResponseMarkdownPart,
	ChatResponseTurn,
	desk,
} from '../vscodeDouble.ts';

const { registerParticipant } = await import('../../../extension/ai/participant.ts');

interface Result {
	readonly metadata: { readonly conversation: string };
	readonly errorDetails?: object;
}

let asked: ChatParams[] = [];
let failure: Error | undefined;
registerParticipant(
	{
		request: async (_name: string, params: ChatParams) => {
			asked.push(params);
			if (failure !== undefined) throw failure;
			return {};
		},
	} as unknown as Parameters<typeof registerParticipant>[0],
	{} as Parameters<typeof registerParticipant>[1],
);
beforeEach(() => {
	desk.settings = { 'chat.temperature': null, 'chat.maxTokens': null };
	asked = [];
	failure = undefined;
});

const stream = { markdown: () => {}, progress: () => {} };
async function turn(prompt: string, history: readonly unknown[]) {
	const model = { vendor: 'nearglot', id: 'starter-chat' };
	const request = { prompt, model, references: [] };
	return (await desk.participant(request, { history }, stream, {})) as Result;
}
const past = (prompt: string, result: object) => [
	new ChatRequestTurn(prompt),
	new ChatResponseTurn([new ChatResponseMarkdownPart('Yes.')], result),
];

test('turns of one conversation have one id, also after one that failed, and another conversation has another', async () => {
	const first = await turn('one', []);
	failure = new Error('away');
	const second = await turn('two', past('one', first));
	assert.ok(second.errorDetails);
	failure = undefined;
	await turn('three', [...past('one', first), ...past('two', second)]);
	await turn('one', []);
	const [one, two, three, other] = asked.map(({ conversation }) => conversation);
	assert.match(one ?? '', /^[\x21-\x7e]{1,200}$/);
	assert.deepEqual([two, three], [one, one]);
	assert.notEqual(other, one);
	assert.deepEqual(
		asked[2]?.messages.map(({ content }) => content),
		['one', 'Yes.', 'two', 'Yes.', 'three'],
	);
});

test('what VS Code gives back of an answer goes through JSON, and older answers have noted nothing', async () => {
	const first = await turn('one', past('before', {}));
	const kept = JSON.parse(JSON.stringify(first)) as object;
	await turn('two', [...past('before', {}), ...past('one', kept)]);
	assert.equal(asked.length, 2);
	assert.equal(asked[1]?.conversation, asked[0]?.conversation);
});
