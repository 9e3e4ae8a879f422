/** Custom tools in chats, as the published client asks for them: whole, streamed, answered, chosen, held by grammars. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI, { BadRequestError } from 'openai';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { type TinyModels, tinyModels } from './tinyModels.ts';

let server: TestServer;
let models: TinyModels;
let openai: OpenAI;
before(async () => {
	models = await tinyModels();
	server = await startTestServer({ modelsDir: models.dir });
	openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
});
after(async () => {
	await server.close();
	await models.remove();
});

type Tool = OpenAI.ChatCompletionTool;
const grammars = {
	regex: { syntax: 'regex', definition: '\\d{1,3}\\+"\\d' },
	lark: { syntax: 'lark', definition: 'start: INT "+\\"" INT\nINT: /[0-9]{1,3}/' },
} as const;
const sum = (grammar: OpenAI.ChatCompletionCustomTool.Custom.Grammar.Grammar): Tool => ({
	type: 'custom',
	custom: { name: 'sum', description: 'Adds numbers.', format: { type: 'grammar', grammar } },
});
const look: Tool = {
	type: 'function',
	function: { name: 'look', parameters: { type: 'object', properties: {} } },
};
const ask = {
	...{ model: 'tiny', parallel_tool_calls: false, max_completion_tokens: 300, temperature: 0 },
	messages: [{ role: 'user' as const, content: 'How much is it?' }],
};
const chosen = { type: 'custom' as const, custom: { name: 'sum' } };

for (const [syntax, grammar] of Object.entries(grammars))
	test(`a custom tool with a grammar in ${syntax} is called, whole and streamed alike, and its result is read`, async () => {
		const body = { ...ask, tools: [look, sum(grammar)], tool_choice: chosen };
		const whole = await openai.chat.completions.create(body);
		const [choice] = whole.choices;
		assert.equal(choice?.finish_reason, 'tool_calls');
		const [call] = choice.message.tool_calls ?? [];
		assert.ok(call?.type === 'custom', JSON.stringify(choice.message));
		assert.match(call.custom.input, /^\d{1,3}\+"\d{1,3}$/);
		assert.equal(call.custom.name, 'sum');

		const deltas: OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall[] = [];
		for await (const chunk of await openai.chat.completions.create({ ...body, stream: true }))
			deltas.push(...(chunk.choices[0]?.delta.tool_calls ?? []));
		const texts = deltas.map((each) => Object(each).custom);
		assert.equal(texts.map(({ input }) => input).join(''), call.custom.input);
		assert.ok(deltas.length > 2, `in ${deltas.length} pieces`);
		assert.deepEqual([deltas[0]?.type, texts[0].name], ['custom', 'sum']);
		const later = deltas.slice(1);
		assert.ok(later.every(({ id, type, index }) => !id && !type && index === 0));

		const answered = await openai.chat.completions.create({
			...{ ...ask, tools: body.tools, max_completion_tokens: 4 },
			messages: [
				...ask.messages,
				choice.message,
				{ role: 'tool', tool_call_id: call.id, content: '7' },
			],
		});
		const grown = (answered.usage?.prompt_tokens ?? 0) - (whole.usage?.prompt_tokens ?? 0);
		assert.ok(grown > 10, 'the call and its result were read');
	});

test('a custom tool without a grammar takes any text, beside functions and among allowed ones', async () => {
	const plain: Tool = { type: 'custom', custom: { name: 'note', format: { type: 'text' } } };
	const answer = await openai.chat.completions.create({
		...{ ...ask, tools: [look, plain] },
		tool_choice: {
			type: 'allowed_tools',
			allowed_tools: { mode: 'required', tools: [{ type: 'custom', custom: { name: 'note' } }] },
		},
	});
	const [call] = answer.choices[0]?.message.tool_calls ?? [];
	assert.ok(call?.type === 'custom', JSON.stringify(answer.choices));
	assert.equal(typeof call.custom.input, 'string');
	const required = await openai.chat.completions.create({
		...{ ...ask, tools: [look], tool_choice: 'required' },
	});
	assert.equal(required.choices[0]?.message.tool_calls?.[0]?.type, 'function');
});

test('either form of the tool is read in both interfaces', async () => {
	const format = { type: 'grammar', ...grammars.regex };
	const flat = { type: 'custom', name: 'sum', format };
	const answer = await server.post('/v1/chat/completions', {
		...{ ...ask, tools: [flat], tool_choice: { type: 'custom', name: 'sum' } },
	});
	const { choices } = (await answer.json()) as OpenAI.ChatCompletion;
	const [call] = choices[0]?.message.tool_calls ?? [];
	assert.ok(call?.type === 'custom', JSON.stringify(choices));
	const response = await server.post('/v1/responses', {
		...{ model: 'tiny', input: 'How much?', max_output_tokens: 300 },
		...{ tools: [sum(grammars.regex)], tool_choice: chosen },
	});
	const { output, tools, usage } = (await response.json()) as OpenAI.Responses.Response;
	assert.ok(output?.[0]?.type === 'custom_tool_call', JSON.stringify(output));
	assert.match(output[0].input, /^\d{1,3}\+"\d$/);
	assert.deepEqual(tools, [{ type: 'custom', name: 'sum', description: 'Adds numbers.', format }]);
	// Newer versions of the client count what was written to a cache, too.
	assert.equal(Object(usage?.input_tokens_details).cache_write_tokens, 0);
});

test('what is wrong with a custom tool is said of its own field', async () => {
	const refused = (tool: object, choice?: object) =>
		openai.chat.completions.create({
			...{ ...ask, tools: [tool as Tool] },
			...(choice === undefined ? {} : { tool_choice: choice as typeof chosen }),
		});
	const param = (name: string) => (error: unknown) =>
		error instanceof BadRequestError && error.param === name;
	const grammar = 'tools[0].custom.format.grammar';
	await assert.rejects(
		refused(sum({ syntax: 'regex', definition: '(?=a)' })),
		param(`${grammar}.definition`),
	);
	await assert.rejects(
		refused({ type: 'custom', custom: { name: 'f', format: { type: 'grammar' } } }),
		param('tools[0].custom.format.syntax'),
	);
	await assert.rejects(
		refused({ type: 'custom', custom: { name: 'f', format: { type: 'grammar', grammar: {} } } }),
		param(`${grammar}.syntax`),
	);
	await assert.rejects(refused({ type: 'custom', custom: 7 }), param('tools[0].custom'));
	await assert.rejects(refused({ type: 'custom', custom: {} }), param('tools[0].custom.name'));
	await assert.rejects(
		refused(sum(grammars.regex), { type: 'custom', custom: { name: 'other' } }),
		param('tool_choice'),
	);
});
