/** Tools and structured output over HTTP: enforced with any model, also one with random weights. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { chat, chatStream, type Reply, refused, text } from './ask.ts';
import { type TinyModels, tinyModels } from './tinyModels.ts';

let server: TestServer;
let models: TinyModels;
before(async () => {
	models = await tinyModels();
	server = await startTestServer({ modelsDir: models.dir });
});
after(async () => {
	await server.close();
	await models.remove();
});

const weather = {
	type: 'function',
	function: {
		name: 'get_weather',
		description: 'Weather of a city',
		parameters: {
			type: 'object',
			properties: {
				city: { type: 'string', maxLength: 12 },
				unit: { enum: ['celsius', 'fahrenheit'] },
			},
			required: ['city', 'unit'],
			additionalProperties: false,
		},
	},
};
const clock = {
	type: 'function',
	function: {
		name: 'get_time',
		parameters: {
			type: 'object',
			properties: { zone: { type: 'integer', minimum: 0, maximum: 24 } },
			required: ['zone'],
			additionalProperties: false,
		},
	},
};
const wild = { model: 'tiny', temperature: 1, max_tokens: 300 };

function checkArguments(name: string | undefined, json: string | undefined): void {
	const value = JSON.parse(json ?? '') as Record<string, unknown>;
	if (name === 'get_weather') {
		assert.deepEqual(Object.keys(value).sort(), ['city', 'unit']);
		assert.ok(['celsius', 'fahrenheit'].includes(String(value['unit'])));
	} else {
		assert.equal(name, 'get_time');
		assert.ok(
			Number.isInteger(value['zone']) && Number(value['zone']) >= 0 && Number(value['zone']) <= 24,
		);
	}
}

test('tool_choice required makes any model call a tool with valid arguments', async () => {
	for (const model of ['tiny', 'starter-chat'])
		for (const seed of [1, 2, 3]) {
			const reply = await chat(server, {
				...wild,
				model,
				seed,
				tools: [weather, clock],
				tool_choice: 'required',
				parallel_tool_calls: false,
			});
			const [choice] = reply.choices;
			assert.equal(choice?.finish_reason, 'tool_calls', JSON.stringify(choice));
			assert.equal(choice.message.content, null);
			assert.equal(choice.message.tool_calls?.length, 1);
			const [call] = choice.message.tool_calls ?? [];
			assert.equal(call?.type, 'function');
			assert.match(call?.id ?? '', /^call_\w+$/);
			checkArguments(call?.function.name, call?.function.arguments);
		}
});

test('a named tool is the one that is called', async () => {
	for (const [name, tool] of [
		['get_weather', weather],
		['get_time', clock],
	] as const) {
		const reply = await chat(server, {
			...wild,
			seed: 5,
			tools: [weather, clock],
			tool_choice: { type: 'function', function: { name } },
		});
		const [call] = reply.choices[0]?.message.tool_calls ?? [];
		assert.equal(call?.function.name, tool.function.name);
		checkArguments(name, call?.function.arguments);
	}
	const error = await refused(server, {
		tools: [clock],
		tool_choice: { type: 'function', function: { name: 'other' } },
	});
	assert.equal(error.param, 'tool_choice');
});

test('streamed calls have the name once, then argument pieces, and the finish reason', async () => {
	const body = {
		...wild,
		seed: 2,
		tools: [weather],
		tool_choice: 'required',
		parallel_tool_calls: false,
	};
	const chunks = await chatStream(server, body);
	const pieces = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
	assert.equal(pieces.filter((piece) => piece.function.name !== undefined).length, 1);
	assert.equal(pieces.filter((piece) => piece.id !== undefined).length, 1);
	assert.ok(pieces.every((piece) => piece.index === 0));
	assert.ok(pieces.length > 3, 'arguments come in pieces');
	checkArguments('get_weather', pieces.map((piece) => piece.function.arguments).join(''));
	assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, 'tool_calls');
	const whole = await chat(server, body);
	assert.equal(
		whole.choices[0]?.message.tool_calls?.[0]?.function.arguments,
		pieces.map((piece) => piece.function.arguments).join(''),
	);
});

test('tool_choice none and a request without tools never call', async () => {
	const reply = await chat(server, {
		...wild,
		max_tokens: 40,
		tools: [weather],
		tool_choice: 'none',
	});
	assert.equal(reply.choices[0]?.message.tool_calls, undefined);
	assert.notEqual(reply.choices[0]?.finish_reason, 'tool_calls');
	const error = await refused(server, { tool_choice: 'required' });
	assert.equal(error.param, 'tool_choice');
});

test('the object form of tools and the older functions work', async () => {
	const asMap = { get_time: { parameters: clock.function.parameters } };
	const mapped = await chat(server, { ...wild, seed: 1, tools: asMap, tool_choice: 'required' });
	assert.equal(mapped.choices[0]?.message.tool_calls?.[0]?.function.name, 'get_time');
	const older = await chat(server, {
		...wild,
		seed: 1,
		functions: [weather.function, clock.function],
		function_call: { name: 'get_time' },
	});
	const [choice] = older.choices;
	assert.equal(choice?.finish_reason, 'function_call');
	assert.equal(choice.message.tool_calls, undefined);
	assert.equal(choice.message.function_call?.name, 'get_time');
	checkArguments('get_time', choice.message.function_call?.arguments);
});

test('function_call as an object chooses the function and binds its arguments', async () => {
	const functions = [weather.function, clock.function];
	const call = async (body: object, tries = 1) => {
		const found: { name: string; arguments: Record<string, unknown> }[] = [];
		for (let seed = 1; seed <= tries; seed++) {
			const { choices } = await chat(server, { ...wild, seed, functions, ...body });
			const { name = '', arguments: text = '{}' } = choices[0]?.message.function_call ?? {};
			checkArguments(name, text);
			found.push({ name, arguments: JSON.parse(text) as Record<string, unknown> });
		}
		return found;
	};
	const given = { city: 'Bonn' };
	for (const values of [given, JSON.stringify(given)])
		for (const made of await call(
			{ function_call: { name: 'get_weather', arguments: values } },
			3,
		)) {
			assert.equal(made.name, 'get_weather');
			assert.equal(made.arguments['city'], 'Bonn');
		}
	// Without a name, whichever function takes them is called.
	for (const made of await call({ function_call: { arguments: given } }, 3)) {
		assert.equal(made.name, 'get_weather');
		assert.equal(made.arguments['city'], 'Bonn');
	}
	const auto = await chat(server, { max_tokens: 4, functions, function_call: {} });
	assert.equal(auto.choices.length, 1);
	for (const [choice, param] of [
		[{ name: 5 }, 'function_call.name'],
		[{ arguments: 'no JSON' }, 'function_call.arguments'],
		[{ arguments: [1] }, 'function_call.arguments'],
		[{ name: 'get_time', arguments: given }, 'function_call.arguments.city'],
		[{ name: 'get_weather', arguments: { city: 5 } }, 'function_call.arguments.city'],
		[{ arguments: { altitude: 5 } }, 'function_call.arguments'],
		[{ name: 'nobody' }, 'function_call'],
	] as const) {
		const error = await refused(server, { functions, function_call: choice });
		assert.equal(error.status, 400);
		assert.equal(error.param, param, JSON.stringify(choice));
	}
});

test('a choice of a call says what of it counts, and refuses what it cannot mean', async () => {
	const functions = [weather.function, clock.function];
	const ignored = async (body: object) => {
		const answer = await server.post('/v1/chat/completions', {
			messages: [{ role: 'user', content: 'Hello' }],
			...wild,
			seed: 1,
			...body,
		});
		assert.equal(answer.status, 200, await answer.text());
		return answer.headers.get('x-ignored-parameters') ?? '';
	};
	const older = { name: 'get_time', argument: {}, strict: true };
	assert.equal(
		await ignored({ functions, function_call: older }),
		'function_call.argument, function_call.strict',
	);
	const newer = { type: 'function', function: { name: 'get_time', arguments: {} }, mode: 'auto' };
	assert.equal(
		await ignored({ tools: [clock], tool_choice: newer }),
		'tool_choice.function.arguments, tool_choice.mode',
	);
	for (const [type, wrong] of [
		['allowed_tools', 'tool_choice.mode'],
		['web_search', 'tool_choice.type'],
	]) {
		const error = await refused(server, {
			tools: [clock],
			tool_choice: { type, name: 'get_time' },
		});
		assert.deepEqual([error.status, error.param], [400, wrong]);
	}
});

test('tools and their results reach the prompt', async () => {
	const count = async (body: object) =>
		(await chat(server, { ...wild, max_tokens: 1, ...body })).usage.prompt_tokens;
	const plain = await count({});
	assert.ok((await count({ tools: [weather] })) > plain);
	const messages = [
		{ role: 'user', content: 'Weather?' },
		{
			role: 'assistant',
			content: null,
			tool_calls: [
				{
					id: 'call_1',
					type: 'function',
					function: { name: 'get_weather', arguments: '{"city":"Bonn"}' },
				},
			],
		},
		{ role: 'tool', tool_call_id: 'call_1', content: '18 degrees and dry' },
	];
	assert.ok(
		(await count({ messages, tools: [weather] })) >
			(await count({ messages: messages.slice(0, 1), tools: [weather] })),
	);
});

const address = {
	type: 'object',
	properties: {
		name: { type: 'string', pattern: '^[A-Z][a-z]{1,8}$' },
		tags: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 1, maxItems: 3 },
		size: { anyOf: [{ type: 'integer', minimum: 1, maximum: 9 }, { type: 'null' }] },
		home: { $ref: '#/$defs/place' },
	},
	required: ['name', 'tags', 'size', 'home'],
	additionalProperties: false,
	$defs: {
		place: {
			type: 'object',
			properties: { zip: { type: 'string', pattern: '^[0-9]{5}$' } },
			required: ['zip'],
			additionalProperties: false,
		},
	},
};

test('a JSON schema is obeyed: pattern, enum, anyOf, $ref and the number of items', async () => {
	const format = {
		type: 'json_schema',
		json_schema: { name: 'address', strict: true, schema: address },
	};
	for (const seed of [1, 2, 3, 4]) {
		const reply = await chat(server, { ...wild, seed, response_format: format });
		assert.equal(reply.choices[0]?.finish_reason, 'stop');
		const value = JSON.parse(text(reply));
		assert.match(value.name, /^[A-Z][a-z]{1,8}$/);
		assert.ok(value.tags.length >= 1 && value.tags.length <= 3);
		assert.ok(value.tags.every((tag: string) => tag === 'a' || tag === 'b'));
		assert.ok(value.size === null || (value.size >= 1 && value.size <= 9));
		assert.match(value.home.zip, /^[0-9]{5}$/);
		assert.deepEqual(Object.keys(value).sort(), ['home', 'name', 'size', 'tags']);
	}
});

test('any text a pattern or a length allows can be parsed', async () => {
	const patterns = ['^.{1,8}$', '^[^a]{4}$', '^\\S\\D{3}$', '^[ -~]{6}$'];
	const schemas = [
		...patterns.map((pattern) => ({ type: 'string', pattern })),
		{ type: 'string', minLength: 2, maxLength: 9 },
	];
	for (const schema of schemas)
		for (const seed of [1, 2, 3, 4, 5]) {
			const format = { type: 'json_schema', json_schema: { schema } };
			const value = JSON.parse(
				text(await chat(server, { ...wild, seed, response_format: format })),
			);
			if ('pattern' in schema) assert.match(value, new RegExp(schema.pattern, 'u'));
			else {
				// Random weights also write bytes that are no character; each run of them was one.
				const { length } = [...value.replace(/\ufffd+/g, '?')];
				assert.ok(length >= 1 && length <= 9, JSON.stringify(value));
			}
		}
});

test('json_object gives an object, and a schema beside it is obeyed too', async () => {
	const valid = (reply: Reply) =>
		reply.choices[0]?.finish_reason === 'length' ? undefined : JSON.parse(text(reply));
	const plain = await chat(server, { ...wild, seed: 3, response_format: { type: 'json_object' } });
	assert.equal(text(plain).trimStart()[0], '{');
	valid(plain);
	const withSchema = await chat(server, {
		...wild,
		response_format: { type: 'json_object', schema: { const: '42' } },
	});
	assert.equal(valid(withSchema), '42');
});

test('a constrained answer that max_tokens cuts says length', async () => {
	const format = { type: 'json_schema', json_schema: { name: 'x', schema: address } };
	const reply = await chat(server, { ...wild, max_tokens: 5, response_format: format });
	assert.equal(reply.choices[0]?.finish_reason, 'length');
	assert.equal(reply.usage.completion_tokens, 5);
});

test('an EBNF grammar is obeyed, as a field and as a response format', async () => {
	const grammar = 'root ::= ("yes" | "no") "!"';
	for (const field of [{ grammar }, { response_format: { type: 'grammar', grammar } }])
		for (const seed of [1, 2, 3])
			assert.match(text(await chat(server, { ...wild, seed, ...field })), /^(yes|no)!$/);
});

test('schemas and grammars that cannot be compiled are refused and leave the model usable', async () => {
	const bad = [
		{ response_format: { type: 'json_schema', json_schema: { schema: { type: 'nonsense' } } } },
		{ response_format: { type: 'json_schema', json_schema: { schema: { $ref: '#/nowhere' } } } },
		{ response_format: { type: 'json_schema' } },
		{ response_format: { type: 'xml' } },
		{ grammar: 'root ::= (' },
		{
			tools: [{ ...weather, function: { ...weather.function, parameters: { type: 7 } } }],
			tool_choice: 'required',
		},
		{ tools: [weather], response_format: { type: 'json_object' } },
	];
	for (const body of bad) {
		const error = await refused(server, { ...wild, ...body });
		assert.equal(error.status, 400, JSON.stringify(body));
	}
	assert.equal((await chat(server, { ...wild, max_tokens: 1 })).choices.length, 1);
});

test('auto leaves the choice to the model and never leaks a half call as text', async () => {
	for (const seed of [1, 2, 3]) {
		const reply = await chat(server, { ...wild, seed, max_tokens: 60, tools: [weather, clock] });
		const [choice] = reply.choices;
		for (const call of choice?.message.tool_calls ?? [])
			if (choice?.finish_reason === 'tool_calls')
				checkArguments(call.function.name, call.function.arguments);
		assert.ok(!text(reply).includes('"arguments"'));
	}
});
