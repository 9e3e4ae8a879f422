import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anthropicRequest } from '../../../server/protocol/routes/anthropicMessages.ts';
import { check } from '../../../server/protocol/routes/check.ts';
import { chatOfAnthropic } from '../../../server/services/anthropic/messagesRequest.ts';

const chat = (body: object) =>
	chatOfAnthropic(check(anthropicRequest, { model: 'm', max_tokens: 5, ...body }));
const user = { role: 'user', content: 'hi' };
const text = (said: string) => ({ type: 'text', text: said });

test('turns of blocks become messages; results of tools come before what the user says', () => {
	const { messages } = chat({
		system: [text('Be brief.'), { ...text('Be kind.'), cache_control: { type: 'ephemeral' } }],
		messages: [
			user,
			{
				role: 'assistant',
				content: [
					{ type: 'thinking', thinking: 'hm', signature: 'x' },
					{ type: 'redacted_thinking', data: 'x' },
					text('Look:'),
					{ type: 'tool_use', id: 'toolu_1', name: 'time', input: { zone: 2 } },
					{ type: 'tool_use', id: 'toolu_2', name: 'date', input: {} },
				],
			},
			{
				role: 'user',
				content: [
					{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'noon' },
					text('And'),
					{
						type: 'tool_result',
						tool_use_id: 'toolu_2',
						content: [text('no clock')],
						is_error: true,
					},
					{ type: 'tool_result', tool_use_id: 'toolu_3' },
					{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'page' } },
				],
			},
		],
	});
	const call = (id: string, name: string, json: string) => ({
		...{ id, type: 'function', function: { name, arguments: json } },
	});
	assert.deepEqual(messages, [
		{ role: 'system', content: 'Be brief.\nBe kind.' },
		user,
		{
			role: 'assistant',
			content: 'Look:',
			reasoning_content: 'hm',
			tool_calls: [call('toolu_1', 'time', '{"zone":2}'), call('toolu_2', 'date', '{}')],
		},
		{ role: 'tool', tool_call_id: 'toolu_1', content: 'noon' },
		{ role: 'tool', tool_call_id: 'toolu_2', content: 'Error: no clock' },
		{ role: 'tool', tool_call_id: 'toolu_3', content: '' },
		{ role: 'user', content: 'And\npage' },
	]);
});

test('tools, their choice and the switches are those of chat completions', () => {
	const schema = { type: 'object', properties: {} };
	const { messages: _, ...rest } = chat({
		messages: [user],
		tools: [{ name: 'time', description: 'Tells.', input_schema: schema, cache_control: {} }],
		tool_choice: { type: 'any', disable_parallel_tool_use: true },
		thinking: { type: 'enabled', budget_tokens: 1024 },
		output_config: { effort: 'max', format: { type: 'json_schema', schema } },
		stop_sequences: ['END'],
		metadata: { user_id: 'u' },
	});
	assert.deepEqual(rest, {
		model: 'm',
		max_tokens: 5,
		tools: [
			{ type: 'function', function: { name: 'time', description: 'Tells.', parameters: schema } },
		],
		stop: ['END'],
		user: 'u',
		tool_choice: 'required',
		parallel_tool_calls: false,
		reasoning_effort: 'xhigh',
		chat_template_kwargs: { enable_thinking: true },
		response_format: { type: 'json_schema', json_schema: { schema } },
	});
	assert.deepEqual(
		chat({ messages: [user], tools: [], tool_choice: { type: 'tool', name: 'time' } }).tool_choice,
		{ name: 'time' },
	);
});

test('what is not understood is refused at its place', () => {
	const tool = (fields: object) => ({ messages: [user], tools: [{ name: 'a', ...fields }] });
	const said = (content: unknown, role = 'user') => ({ messages: [{ role, content }, user] });
	for (const [body, param] of [
		[{}, 'messages'],
		[{ messages: [] }, 'messages'],
		[said([{ type: 'image', source: {} }]), 'messages[0].content[0].source.type'],
		[said([{ type: 'image', source: { type: 'url' } }]), 'messages[0].content[0].source.type'],
		[said([{ type: 'constructor' }]), 'messages[0].content[0]'],
		[said([{}]), 'messages[0].content[0].type'],
		[said(5), 'messages[0].content'],
		[said([{ type: 'tool_use', id: 'a', name: 'b' }], 'assistant'), 'messages[0].content[0].input'],
		[said([{ type: 'tool_result' }]), 'messages[0].content[0].tool_use_id'],
		[
			said([{ type: 'document', source: { type: 'base64' } }]),
			'messages[0].content[0].source.type',
		],
		[{ messages: [user, { role: 'assistant', content: 'It' }] }, 'messages[1].role'],
		[tool({ type: 'web_search_20250305' }), 'tools[0].type'],
		[tool({ input_schema: 5 }), 'tools[0].input_schema'],
		[tool({ name: 'a b' }), 'tools[0].name'],
		[{ messages: [user], tool_choice: { type: 'tool' } }, 'tool_choice.name'],
		[{ messages: [user], max_tokens: 0 }, 'max_tokens'],
	] as const)
		assert.throws(() => chat(body), { param }, JSON.stringify(body));
});
