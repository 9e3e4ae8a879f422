/** Thousands of bodies that are almost right: each is read, or refused by name, whatever has become of it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../server/protocol/index.ts';
import { anthropicRequest } from '../../../server/protocol/routes/anthropicMessages.ts';
import { chatRequest } from '../../../server/protocol/routes/chat.ts';
import { check } from '../../../server/protocol/routes/check.ts';
import { unreadFields } from '../../../server/protocol/routes/fields.ts';
import {
	ollamaChatRequest,
	ollamaGenerateRequest,
} from '../../../server/protocol/routes/ollamaGeneration.ts';
import { responsesRequest } from '../../../server/protocol/routes/responses.ts';
import { routes } from '../../../server/protocol/routes/routes.ts';
import { chatOfAnthropic } from '../../../server/services/anthropic/messagesRequest.ts';
import {
	chatOfOllama,
	completionOfOllama,
	promptOfOllama,
} from '../../../server/services/ollama/chatRequest.ts';
import { chatOf } from '../../../server/services/responses/request.ts';

/** Small and repeatable, so that a failure can be looked at. */
function random(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
const tool = { type: 'function', function: { name: 'f', description: 'd', parameters: schema } };
const user = { role: 'user', content: [{ type: 'text', text: 'hi' }] };

/** Bodies with nearly every field there is. */
const bodies: Readonly<Record<string, { body: object; read(value: unknown): unknown }>> = {
	chat: {
		body: {
			...{ model: 'm', n: 2, seed: 1, top_k: 4, logit_bias: { 5: 1 }, metadata: { a: 'b' } },
			messages: [
				user,
				{ role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] },
				{ role: 'tool', tool_call_id: 'a', content: 'x' },
			],
			...{ tools: [tool], tool_choice: { type: 'function', function: { name: 'f' } } },
			...{ stop: ['a'], chat_template_kwargs: { a: 1 }, enable_thinking: true },
			response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
		},
		read: (value) => check(chatRequest, value),
	},
	responses: {
		body: {
			...{ model: 'm', instructions: 'i', reasoning: { effort: 'low' }, include: [] },
			input: [
				user,
				{ type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
				{ type: 'function_call_output', call_id: 'a', output: 'x' },
			],
			...{ tools: [{ ...tool.function, type: 'function' }], tool_choice: 'auto' },
			text: { format: { type: 'json_schema', name: 'n', schema } },
		},
		read: (value) => chatOf(check(responsesRequest, value)),
	},
	anthropic: {
		body: {
			...{
				model: 'm',
				max_tokens: 5,
				system: [{ type: 'text', text: 's' }],
				stop_sequences: ['a'],
			},
			messages: [
				user,
				{
					role: 'assistant',
					content: [
						{ type: 'thinking', thinking: 't', signature: '' },
						{ type: 'tool_use', id: 'a', name: 'f', input: { a: 1 } },
					],
				},
				{
					role: 'user',
					content: [
						{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'x' }] },
					],
				},
			],
			tools: [{ name: 'f', description: 'd', input_schema: schema }],
			...{ tool_choice: { type: 'tool', name: 'f' }, metadata: { user_id: 'u' } },
			...{ thinking: { type: 'enabled', budget_tokens: 5 }, output_config: { effort: 'low' } },
		},
		read: (value) => chatOfAnthropic(check(anthropicRequest, value)),
	},
	'ollama chat': {
		body: {
			...{ model: 'm', format: schema, keep_alive: '5m', think: 'low', stream: false },
			messages: [
				{ role: 'user', content: 'hi' },
				{ role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] },
				{ role: 'tool', tool_name: 'f', content: 'x' },
			],
			...{ tools: [tool], options: { seed: 1, stop: ['a'], num_predict: 3, top_k: 4 } },
		},
		read: (value) => chatOfOllama(check(ollamaChatRequest, value)),
	},
	'ollama prompt': {
		body: {
			...{ model: 'm', prompt: 'p', system: 's', context: [1, 2], raw: false, format: 'json' },
			...{
				template: '{{ if .System }}a{{ end }}{{ .Prompt }}',
				options: { stop: 'a' },
				suffix: '',
			},
		},
		read: (value) => {
			const request = check(ollamaGenerateRequest, value);
			return completionOfOllama(request) ?? promptOfOllama(request);
		},
	},
};

const junk: readonly unknown[] = [
	...[null, true, 0, -1, 1.5, 1e308, '', 'text', '\u0000', '{{', '-1m', '__proto__', 'constructor'],
	...[
		[],
		[[]],
		[null],
		{},
		{ a: { b: [] } },
		'x'.repeat(5000),
		Number.MAX_SAFE_INTEGER + 2,
		['a', 1],
	],
	...[{ type: 'function' }, { role: 'user' }, { type: 'text' }, [user, user], schema],
];

/** The value with something in it replaced, left out or put twice. */
function mutated(value: unknown, draw: () => number): unknown {
	const odd = () => junk[Math.floor(draw() * junk.length)];
	if (typeof value !== 'object' || value === null || draw() < 0.15) return odd();
	const keys = Object.keys(value);
	const key = keys[Math.floor(draw() * keys.length)];
	if (key === undefined) return odd();
	if (Array.isArray(value)) {
		const at = Number(key);
		if (draw() < 0.2) return value.toSpliced(at, 1);
		if (draw() < 0.2) return value.toSpliced(at, 0, value[at]);
		return value.with(at, mutated(value[at], draw));
	}
	const { [key]: chosen, ...rest } = value as Record<string, unknown>;
	if (draw() < 0.15) return rest;
	return { ...rest, [draw() < 0.1 ? String(odd()) : key]: mutated(chosen, draw) };
}

test('three thousand mutated bodies are read or refused by name, and by nothing else', () => {
	const draw = random(7);
	const schemas = routes.flatMap(({ body }) => (body?.kind === 'json' ? [body.schema] : []));
	let refused = 0;
	for (let count = 0; count < 3000; count++) {
		const [name, { body, read }] = Object.entries(bodies)[count % 5] as [
			string,
			(typeof bodies)[string],
		];
		let value: unknown = body;
		for (let times = draw() < 0.3 ? 2 : 1; times > 0; times--) value = mutated(value, draw);
		const what = `${count} ${name} ${JSON.stringify(value)?.slice(0, 400)}`;
		const other = schemas[count % schemas.length];
		for (const attempt of [() => read(value), () => other && check(other, value)])
			try {
				attempt();
			} catch (error) {
				assert.ok(error instanceof AppError, `${what}: ${String(error)}`);
				assert.ok(error.kind.httpStatus < 500 && error.message.length < 1000, what);
				refused++;
			}
		for (const each of schemas.slice(0, 12))
			assert.ok(Array.isArray(unreadFields(each, value)), what);
	}
	assert.ok(refused > 1000 && refused < 6000, `${refused} of them`);
});

test('the bodies that are mutated are right', () => {
	for (const { body, read } of Object.values(bodies)) assert.ok(read(body));
});
