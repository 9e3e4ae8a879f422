/** The chat service with an engine that says what the test wants, piece by piece. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GenerateRequest, GenerateSummary, TextModel } from '../../../server/engine/api.ts';
import { toolFormats } from '../../../server/engine/template/toolFormat.ts';
import { inProcessTextService } from '../../../server/engine/text/textJobs.ts';
import type { ChatMessage, ModelInfo } from '../../../server/protocol/index.ts';
import { chatRequest } from '../../../server/protocol/routes/chat.ts';
import { check } from '../../../server/protocol/routes/check.ts';
import { type ChatEvent, createChatService } from '../../../server/services/chat/chatService.ts';
import type { ModelProfile } from '../../../server/services/chat/profile.ts';
import {
	AnswerBuilder,
	ChunkBuilder,
	type WireCall,
} from '../../../server/services/chat/serializeCompletion.ts';
import type { ModelClient, ModelHost } from '../../../server/services/host.ts';

interface Script {
	readonly pieces: readonly string[];
	readonly reason?: 'stop' | 'length';
	readonly profile?: Partial<ModelProfile>;
	/** What the template renders. */
	readonly prompt?: string;
	/** What is known of the model. */
	readonly info?: Partial<ModelInfo>;
}

async function run(body: object, script: Script) {
	let asked: GenerateRequest | undefined;
	const generate: ModelClient['generate'] = async (request, onEvent) => {
		asked = request;
		if (request.notifyPromptEnd) onEvent({ type: 'promptEnd', text: script.prompt ?? '' });
		const reason = script.reason ?? 'stop';
		for (const [index, text] of script.pieces.entries())
			onEvent({ type: 'text', choice: 0, text, tokenIds: [index] });
		onEvent({ type: 'finish', choice: 0, reason });
		return {
			promptTokens: 5,
			cachedTokens: 0,
			completionTokens: script.pieces.length,
			timings: {},
		} as unknown as GenerateSummary;
	};
	const info = { id: 'm:1', task: 'chat-completion', folder: '/m', ...script.info };
	const host = {
		resolve: async () => info,
		acquire: async () => ({
			info,
			engine: { generate },
			loadMs: 12,
			[Symbol.asyncDispose]: async () => {},
		}),
		textModel: async () =>
			inProcessTextService({
				renderChat: ({ messages }: { messages: readonly ChatMessage[] }) =>
					messages.map(({ content }) => content).join('') + (script.prompt ?? ''),
				// One token per character, those that the template adds aside.
				encode: (text: string) =>
					Array.from(text.slice(0, text.length - (script.prompt ?? '').length), () => 1),
			} as unknown as TextModel),
	} as unknown as ModelHost;
	const profile: ModelProfile = {
		sampling: { temperature: 0.7, topP: 0.8, topK: 20, minP: 0.1, repetitionPenalty: 1.1 },
		toolFormat: toolFormats.hermes,
		reasoning: { open: '<think>', close: '</think>' },
		template: '<think> enable_thinking',
		vocabularySize: 100,
		...script.profile,
	};
	const service = createChatService({
		host,
		profile: async () => profile,
		randomSeed: () => 99,
		randomId: () => 'id',
	});
	const request = check(chatRequest, {
		model: 'm',
		messages: [{ role: 'user', content: 'hi' }],
		...body,
	});
	const events: ChatEvent[] = [];
	const outcome = await service.run({ ...request, owner: 'local' }, (event) => events.push(event));
	const head = { id: 'x', created: 1 };
	const whole = new AnswerBuilder();
	for (const event of events) whole.take(event);
	const chunks = new ChunkBuilder(head, { withUsage: true, olderForm: outcome.olderForm });
	return {
		answer: whole.build(head, outcome),
		chunks: events.flatMap((event) => chunks.take(event)) as {
			choices: { delta: Record<string, unknown>; finish_reason: string | null }[];
		}[],
		outcome,
		asked: asked as GenerateRequest,
		events,
		contents: (asked?.prompt.kind === 'chat' ? asked.prompt.messages : []).map(
			({ content }) => content,
		),
		counted: await service.countTokens(request),
	};
}

const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
const letters = (text: string) => [...text];

test('reasoning is split from the answer, whole and streamed, and its tokens are counted', async () => {
	const text = '<think>\nLet me see.\n</think>\n\nForty-two.';
	const { answer, chunks, outcome } = await run({}, { pieces: letters(text) });
	assert.equal(answer.choices[0]?.message.reasoning_content, 'Let me see.');
	assert.equal(answer.choices[0]?.message.content, 'Forty-two.');
	const deltas = chunks.map((chunk) => chunk.choices[0]?.delta ?? {});
	assert.equal(deltas.map((delta) => delta['reasoning_content'] ?? '').join(''), 'Let me see.');
	assert.equal(deltas.map((delta) => delta['content'] ?? '').join(''), 'Forty-two.');
	const { reasoning_tokens: reasoning } = outcome.usage.completion_tokens_details;
	assert.ok(
		reasoning >= 'Let me see.'.length && reasoning < text.length - 'Forty-two.'.length + 2,
		String(reasoning),
	);
});

test('an answer that begins inside reasoning opened by the template is split too', async () => {
	const script = { pieces: letters('Hm.</think>Yes.'), prompt: 'user: hi <think>\n' };
	const { answer } = await run({}, script);
	assert.equal(answer.choices[0]?.message.reasoning_content, 'Hm.');
	assert.equal(answer.choices[0]?.message.content, 'Yes.');
});

test('a prompt is rendered and tokenised once: here or in the runner', async () => {
	const template = { reasoning: { open: '<think>', close: '</think>' }, template: 'plain' };
	const plain = await run({}, { pieces: ['a'], profile: template });
	assert.equal(plain.asked.notifyPromptEnd, false);
	assert.ok(plain.asked.prompt.kind === 'chat' && plain.asked.prompt.tokens === undefined);
	const thinking = await run({}, { pieces: ['a'], prompt: 'user: hi <think>\n' });
	assert.equal(thinking.asked.notifyPromptEnd, true);
	assert.ok(thinking.asked.prompt.kind === 'chat' && thinking.asked.prompt.tokens === undefined);
	const messages = ['one', 'ONE', 'two'].map((content, index) => ({
		role: index % 2 === 0 ? 'user' : 'assistant',
		content,
	}));
	const cut = await run(
		{ messages, truncation: 'auto' },
		{ pieces: ['a'], info: { contextLength: 100 } },
	);
	assert.ok(cut.asked.prompt.kind === 'chat');
	assert.equal(cut.asked.prompt.tokens?.length, 'oneONEtwo'.length);
	assert.equal(cut.counted.tokens, 'oneONEtwo'.length);
});

/** What a function is called with. */
function argumentsOf(call: WireCall | undefined): string {
	assert.ok(call?.type === 'function');
	return call.function.arguments;
}

test('parallel calls are streamed by index, each name once, and content before them is kept', async () => {
	const call = (city: string) =>
		`<tool_call>\n{"name": "f", "arguments": {"city": "${city}"}}\n</tool_call>`;
	const text = `Looking.\n${call('Bonn')}\n${call('Köln')}`;
	const { answer, chunks } = await run({ tools }, { pieces: letters(text) });
	const [choice] = answer.choices;
	assert.equal(choice?.finish_reason, 'tool_calls');
	assert.equal(choice.message.content, 'Looking.');
	assert.deepEqual(
		choice.message.tool_calls?.map((each) => JSON.parse(argumentsOf(each))),
		[{ city: 'Bonn' }, { city: 'Köln' }],
	);
	type Piece = { index: number; id?: string; function: { name?: string; arguments: string } };
	const pieces = chunks.flatMap(
		(chunk) => (chunk.choices[0]?.delta['tool_calls'] as Piece[] | undefined) ?? [],
	);
	for (const index of [0, 1]) {
		const own = pieces.filter((piece) => piece.index === index);
		assert.equal(own.filter((piece) => piece.function.name !== undefined).length, 1);
		assert.equal(own[0]?.function.name, 'f');
		assert.equal(
			own.map((piece) => piece.function.arguments).join(''),
			argumentsOf(choice.message.tool_calls?.[index]),
		);
	}
	assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, 'tool_calls');
});

test('without parallel calls only the first one counts', async () => {
	const call = '<tool_call>{"name": "f", "arguments": {}}</tool_call>';
	const { answer, asked } = await run(
		{ tools, parallel_tool_calls: false },
		{ pieces: [call, call] },
	);
	assert.equal(answer.choices[0]?.message.tool_calls?.length, 1);
	assert.ok(asked.constraint?.kind === 'tools' && asked.constraint.parallel === false);
});

test('a call that max_tokens cut says length', async () => {
	const script = { pieces: ['<tool_call>{"name": "f", "argum'], reason: 'length' as const };
	const { answer } = await run({ tools }, script);
	assert.equal(answer.choices[0]?.finish_reason, 'length');
});

test('the publisher decides how to sample until the request says otherwise', async () => {
	const { asked } = await run({}, { pieces: ['a'] });
	assert.deepEqual(asked.sampling, {
		temperature: 0.7,
		topP: 0.8,
		topK: 20,
		minP: 0.1,
		presencePenalty: 0,
		frequencyPenalty: 0,
		repetitionPenalty: 1.1,
		logitBias: {},
		seed: 99,
	});
	const body = { temperature: 0, top_p: 1, top_k: -1, min_p: 0, repetition_penalty: 1, seed: -1 };
	const { sampling } = (await run(body, { pieces: ['a'] })).asked;
	assert.deepEqual(
		[sampling.temperature, sampling.topP, sampling.topK, sampling.minP, sampling.repetitionPenalty],
		[0, 1, 0, 0, 1],
	);
	assert.equal(sampling.seed, 2 ** 32 - 1);
});

test('reasoning_effort becomes the variable the template reads', async () => {
	const none = await run({ reasoning_effort: 'none' }, { pieces: ['a'] });
	assert.ok(none.asked.prompt.kind === 'chat');
	assert.deepEqual(none.asked.prompt.templateVariables, { enable_thinking: false });
	const high = await run(
		{ reasoning_effort: 'high' },
		{ pieces: ['a'], profile: { template: 'reasoning_effort' } },
	);
	assert.ok(high.asked.prompt.kind === 'chat');
	assert.deepEqual(high.asked.prompt.templateVariables, { reasoning_effort: 'high' });
});

test('the time of a load is in the timings', async () => {
	assert.equal((await run({}, { pieces: ['a'] })).answer.timings.load_ms, 12);
});

const turns = (...contents: string[]) => ({
	messages: [
		{ role: 'system', content: 'S' },
		...contents.map((content, index) => ({
			role: index % 2 === 0 ? 'user' : 'assistant',
			content,
		})),
	],
});

test('a model is given the earlier turns its publisher allows, and the rest is told first, last and in the count', async () => {
	const info = { maxHistoryTurns: 1, contextLength: 100 };
	const asked = turns('one', 'ONE', 'two', 'TWO', 'three');
	const { contents, events, answer, chunks, outcome, counted } = await run(asked, {
		pieces: ['a'],
		info,
	});
	assert.deepEqual(contents, ['S', 'two', 'TWO', 'three']);
	assert.deepEqual(events[0], { type: 'omitted', turns: 1 });
	assert.equal(outcome.omittedTurns, 1);
	assert.equal(answer.omitted_turns, 1);
	assert.deepEqual(
		chunks.map((chunk) => (chunk as { omitted_turns?: number }).omitted_turns),
		chunks.map(() => 1),
	);
	assert.deepEqual(counted, { tokens: 'StwoTWOthree'.length, omittedTurns: 1 });
});

test('what a model reads as a whole says nothing of turns', async () => {
	const asked = turns('one', 'ONE', 'two');
	for (const info of [{}, { maxHistoryTurns: 1 }]) {
		const { contents, events, answer, chunks } = await run(asked, { pieces: ['a'], info });
		assert.deepEqual(contents, ['S', 'one', 'ONE', 'two']);
		assert.ok(events.every(({ type }) => type !== 'omitted'));
		assert.ok(!('omitted_turns' in answer) && chunks.every((chunk) => !('omitted_turns' in chunk)));
	}
});

test('a conversation loses its oldest turns where it is too long, when the request asks for that', async () => {
	const info = { contextLength: 40 };
	const old = 'x'.repeat(14);
	const asked = turns(old, old, 'two', 'TWO', 'three');
	const whole = ['S', old, old, 'two', 'TWO', 'three'];
	for (const truncation of [undefined, 'disabled']) {
		const { contents } = await run({ ...asked, truncation }, { pieces: ['a'], info });
		assert.deepEqual(contents, whole, 'the engine refuses what is too long');
	}
	// 40 tokens, a quarter of them for the answer: 30 are left for a prompt of 40.
	const auto = { ...asked, truncation: 'auto' };
	const cut = await run(auto, { pieces: ['a'], info });
	assert.deepEqual(cut.contents, ['S', 'two', 'TWO', 'three']);
	assert.equal(cut.outcome.omittedTurns, 1);
	assert.deepEqual(cut.counted, { tokens: 12, omittedTurns: 1 });
	const brief = await run(
		{ ...auto, max_tokens: 1 },
		{ pieces: ['a'], info: { contextLength: 41 } },
	);
	assert.deepEqual(brief.contents, whole, 'a short answer needs less room');
});

test('neither the system message nor the last turn is ever left out', async () => {
	const asked = { ...turns('one', 'ONE', 'x'.repeat(99)), truncation: 'auto' };
	const { contents, outcome } = await run(asked, { pieces: ['a'], info: { contextLength: 20 } });
	assert.deepEqual(contents, ['S', 'x'.repeat(99)]);
	assert.equal(outcome.omittedTurns, 1);
});
