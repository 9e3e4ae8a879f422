/** Constrained decoding: what a grammar lets through is what the schema or format allows. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Constraint } from '../../server/engine/api.ts';
import { createConstraintCompiler } from '../../server/engine/grammar/compileConstraint.ts';
import type { TokenConstraint } from '../../server/engine/sample/constraint.ts';
import { toolFormats } from '../../server/engine/template/toolFormat.ts';
import { byteTextModel } from './byteTextModel.ts';
import { parseToolCalls } from './parseToolCalls.ts';

const text = byteTextModel();
const end = text.tokenToId('</s>') as number;
const compile = createConstraintCompiler(text, toolFormats.hermes);

async function started(constraint: Constraint): Promise<TokenConstraint> {
	const compiled = await compile(constraint, [end]);
	assert.ok(compiled !== undefined);
	return compiled;
}

function allowed(constraint: TokenConstraint, id: number): boolean {
	const mask = constraint.mask();
	return mask === null || (((mask[id >> 5] as number) >>> (id & 31)) & 1) === 1;
}

/** Feeds text; true when all of it and then the end are allowed. */
function accepts(constraint: TokenConstraint, answer: string): boolean {
	for (const id of text.encode(answer)) {
		if (!allowed(constraint, id)) return false;
		assert.equal(constraint.accept(id), true);
	}
	return allowed(constraint, end);
}

async function check(constraint: Constraint, good: readonly string[], bad: readonly string[]) {
	for (const answer of good) {
		const matcher = await started(constraint);
		assert.equal(accepts(matcher, answer), true, `should allow ${answer}`);
		matcher.dispose();
	}
	for (const answer of bad) {
		const matcher = await started(constraint);
		assert.equal(accepts(matcher, answer), false, `should not allow ${answer}`);
		matcher.dispose();
	}
}

const schema = (value: Record<string, unknown>): Constraint => ({
	kind: 'json-schema',
	schema: value,
});

describe('grammars', () => {
	it('what contains itself works where it has an end, and is refused where it has none', async () => {
		const node = (next: unknown) => ({
			type: 'object',
			properties: { v: { type: 'integer' }, next },
			required: ['v', 'next'],
			additionalProperties: false,
		});
		await check(
			schema(node({ anyOf: [{ $ref: '#' }, { type: 'null' }] })),
			['{"v": 1, "next": {"v": 2, "next": null}}', '{"v": 1, "next": null}'],
			['{"v": 1, "next": {"v": 2}}', '{"v": 1}'],
		);
		await check(
			schema({
				$ref: '#/$defs/n',
				$defs: { n: node({ type: 'array', items: { $ref: '#/$defs/n' } }) },
			}),
			['{"v": 1, "next": [{"v": 2, "next": []}]}'],
			['{"v": 1, "next": [1]}'],
		);
		const endless = [
			node({ $ref: '#' }),
			{ $ref: '#' },
			{
				$ref: '#/$defs/a',
				$defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }] } },
			},
			{ type: 'array', items: { $ref: '#' }, minItems: 1 },
			{
				...node({ $ref: '#/$defs/n' }),
				required: ['v'],
				$defs: { n: node({ $ref: '#/$defs/n' }) },
			},
		];
		for (const value of endless)
			await assert.rejects(started(schema(value)), {
				...{ code: 'invalid_request', param: 'response_format' },
				message: /contains itself and never ends/,
			});
		await assert.rejects(started({ kind: 'ebnf', grammar: 'root ::= root' }), {
			...{ code: 'invalid_request', param: 'grammar', message: /allows no answer/ },
		});
	});

	it('tuples are read as drafts up to 7 write them and as later ones do', async () => {
		const pair = [{ type: 'string' }, { type: 'integer' }];
		for (const tuple of [
			{ type: 'array', items: pair, additionalItems: false },
			{ type: 'array', prefixItems: pair, items: false },
		])
			await check(schema(tuple), ['["a", 1]'], ['["a", "b"]', '[1, "a"]', '["a", 1, 2]', '5']);
		await check(
			schema({ type: 'array', items: [{ type: 'null' }], additionalItems: { type: 'integer' } }),
			['[null]', '[null, 1, 2]'],
			['[1]', '[null, "a"]'],
		);
		// Names of properties and listed values are no keywords.
		await check(
			schema({
				properties: {
					additionalItems: { enum: [{ items: [1] }] },
					default: { items: [{ type: 'null' }], additionalItems: false, type: 'array' },
				},
				required: ['additionalItems', 'default'],
			}),
			['{"additionalItems": {"items":[1]}, "default": [null]}'],
			['{"additionalItems": {"items":[1]}, "default": [1]}', '{"default": [null]}'],
		);
	});

	it('json_object allows objects with any content and nothing else', async () => {
		await check(
			{ kind: 'json-object' },
			['{}', '{"a": [1, {"b": null}], "ü": "你\\n"}', '{\n  "a": true\n}'],
			['[]', '1', 'text', '{"a": }', '{"a": 1} more'],
		);
	});

	it('a schema is enforced: types, required and optional properties, bounds, patterns, enums', async () => {
		const person = schema({
			type: 'object',
			properties: {
				name: { type: 'string', pattern: '^[A-Z][a-z]+$' },
				age: { type: 'integer', minimum: 0, maximum: 150 },
				tags: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 1, maxItems: 2 },
			},
			required: ['name', 'age'],
		});
		await check(
			person,
			['{"name": "Ada", "age": 36}', '{"name": "Ada", "age": 36, "tags": ["a", "b"]}'],
			[
				'{"name": "ada", "age": 36}',
				'{"name": "Ada"}',
				'{"name": "Ada", "age": 151}',
				'{"name": "Ada", "age": 1, "tags": []}',
				'{"name": "Ada", "age": 1, "tags": ["a", "b", "a"]}',
				'{"name": "Ada", "age": 1, "tags": ["c"]}',
				'{"name": "Ada", "age": 1, "extra": 1}',
			],
		);
	});

	it('$ref, anyOf, allOf, nullable and excluded bounds are enforced', async () => {
		const tree = schema({
			$defs: {
				node: {
					type: 'object',
					properties: {
						value: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
						children: { type: 'array', items: { $ref: '#/$defs/node' } },
					},
					required: ['value'],
				},
			},
			$ref: '#/$defs/node',
		});
		await check(
			tree,
			['{"value": 1, "children": [{"value": null}]}'],
			['{"value": "x"}', '{"children": []}'],
		);
		const both = schema({
			allOf: [
				{ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
				{ $ref: '#/$defs/b' },
			],
			$defs: { b: { properties: { b: { type: 'boolean' } }, required: ['b'] } },
		});
		await check(both, ['{"a": 1, "b": true}'], ['{"a": 1}', '{"b": true}', '{}']);
		await check(schema({ type: 'number', exclusiveMinimum: 0 }), ['0.5', '3'], ['0', '-1']);
		await check(schema({ type: 'integer', exclusiveMaximum: 10 }), ['9'], ['10']);
		await check(schema({ type: 'string', nullable: true }), ['null', '"x"'], ['1']);
		await check(
			schema({
				required: ['a'],
				anyOf: [{ properties: { a: { const: 1 } } }, { properties: { a: { const: 2 }, b: {} } }],
			}),
			['{"a": 1}', '{"a": 2, "b": "x"}'],
			['{"a": 3}', '{}'],
		);
	});

	it('a schema that cannot be enforced is refused with the field and the keyword', async () => {
		const bad: [Record<string, unknown>, RegExp][] = [
			[{ type: 'strin' }, /type "strin"/],
			[{ type: 'object', properties: { a: { $ref: '#/$defs/nope' } } }, /#\/properties\/a .*nope/],
			[{ $ref: 'http://example.com/x' }, /only '#/],
			[{ type: 'string', pattern: '([' }, /pattern/],
			[{ type: 'array', uniqueItems: true }, /uniqueItems/],
			[{ not: { type: 'string' } }, /'not'/],
			[{ type: 'string', minLength: 3, maxLength: 2 }, /minLength/],
			[{ type: 'number', multipleOf: 0.1 }, /multipleOf/],
			[{ type: 'object', properties: {}, required: ['x'] }, /requires 'x'/],
			[{ enum: [] }, /enum/],
		];
		for (const [value, words] of bad) {
			await assert.rejects(
				compile(schema(value), [end]),
				(error: Error & { code?: string; param?: string }) => {
					assert.equal(error.code, 'invalid_request');
					assert.equal(error.param, 'response_format');
					assert.match(error.message, words);
					return true;
				},
			);
		}
		await check(schema({ type: 'boolean' }), ['true'], ['1']);
	});

	it('EBNF is followed, and a broken one is refused with its line', async () => {
		await check(
			{ kind: 'ebnf', grammar: 'root ::= "yes" | "no" tail\ntail ::= "!"*' },
			['yes', 'no', 'no!!'],
			['yes!', 'maybe'],
		);
		await assert.rejects(
			compile({ kind: 'ebnf', grammar: 'root ::= "yes" | nope(' }, [end]),
			(error: Error & { code?: string }) =>
				error.code === 'invalid_request' && /line 1/.test(error.message),
		);
		await check({ kind: 'ebnf', grammar: 'root ::= "ok"' }, ['ok'], ['no']);
	});

	it('a reasoning block that the prompt opened may be finished first', async () => {
		const yes = { kind: 'ebnf' as const, grammar: 'root ::= "yes" | "no"' };
		const open = async () => {
			const compiled = await compile(yes, [end], '<|im_start|>assistant\n<think>\n');
			assert.ok(compiled !== undefined);
			return compiled;
		};
		assert.equal(accepts(await open(), 'Hm, 1 < 2.</think>\n\nyes'), true);
		assert.equal(accepts(await open(), 'yes'), false);
		assert.equal(accepts(await open(), 'Hm.</think>maybe'), false);
		assert.equal(accepts(await started(yes), 'Hm.</think>yes'), false);
		const call = await compile(
			{
				kind: 'tools',
				tools: [{ type: 'function', function: { name: 'f' } }],
				choice: 'required',
				parallel: false,
			},
			[end],
			'<think>',
		);
		assert.ok(call !== undefined);
		const answer = 'Hm.</think>\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>';
		assert.equal(accepts(call, answer), true);
	});

	it('rolling back returns to the state before', async () => {
		const matcher = await started(schema({ enum: ['aa', 'ab'] }));
		for (const id of text.encode('"aa')) matcher.accept(id);
		assert.equal(allowed(matcher, text.encode('b')[0] as number), false);
		matcher.rollback(1);
		assert.equal(allowed(matcher, text.encode('b')[0] as number), true);
		assert.equal(matcher.accept(text.encode('c')[0] as number), false);
		for (const id of text.encode('b"')) assert.equal(matcher.accept(id), true);
		assert.equal(matcher.isTerminated(), true);
		matcher.dispose();
	});

	it('a number that may go on is not complete yet', async () => {
		const matcher = await started(schema({ type: 'integer' }));
		for (const id of text.encode('12')) matcher.accept(id);
		assert.equal(allowed(matcher, end), true);
		assert.equal(matcher.isTerminated(), false);
		matcher.dispose();
	});
});

describe('grammars of tool calls', () => {
	const tools = [
		{
			type: 'function' as const,
			function: {
				name: 'get_weather',
				parameters: {
					type: 'object',
					properties: { city: { type: 'string' } },
					required: ['city'],
				},
			},
		},
		{ type: 'function' as const, function: { name: 'get_time' } },
	];

	for (const format of Object.values(toolFormats)) {
		it(`${format.name}: what is forced is what the parser reads`, async () => {
			const own = createConstraintCompiler(text, format);
			const write = (name: string, args: string) =>
				format.call.replace('{name}', name).replace('{arguments}', args);
			const one = `${format.open}${write('get_weather', '{"city": "Bern"}')}${format.close}`;
			const two = `${format.open}${write('get_weather', '{"city": "Bern"}')}${format.separator}${write('get_time', '{}')}${format.close}`;
			const wrong = `${format.open}${write('get_weather', '{"town": "Bern"}')}${format.close}`;
			const start = async (choice: 'required' | 'auto' | { name: string }, parallel: boolean) => {
				const compiled = await own({ kind: 'tools', tools, choice, parallel }, [end]);
				assert.ok(compiled !== undefined);
				return compiled;
			};
			assert.equal(accepts(await start('required', true), one), true, one);
			assert.equal(accepts(await start('required', true), two), true, two);
			assert.equal(accepts(await start('required', false), two), false);
			assert.equal(accepts(await start('required', true), wrong), false);
			assert.equal(accepts(await start('required', true), 'Hello'), false);
			assert.equal(accepts(await start({ name: 'get_time' }, true), one), false);
			if (format.name === 'gemma') {
				// Its calls are bare JSON, which may be an answer too.
				const free = await own({ kind: 'tools', tools, choice: 'auto', parallel: true }, [end]);
				assert.equal(free, undefined);
			} else {
				const marker = format.name === 'llama3' ? '<|python_tag|>' : '';
				assert.equal(accepts(await start('auto', true), 'Hello, how are you?'), true);
				assert.equal(accepts(await start('auto', true), 'Like {"name": "Ada"}'), true);
				assert.equal(accepts(await start('auto', true), marker + one), true);
				assert.equal(accepts(await start('auto', true), one), true);
				assert.equal(accepts(await start('auto', true), marker + wrong), false);
			}
			assert.equal(parseToolCalls(format, two, ['get_weather', 'get_time']).calls.length, 2);
		});
	}

	it('naming a tool that is not there is refused', async () => {
		await assert.rejects(
			compile({ kind: 'tools', tools, choice: { name: 'nope' }, parallel: true }, [end]),
			(error: Error & { param?: string }) => error.param === 'tool_choice',
		);
		assert.equal(
			await compile({ kind: 'tools', tools, choice: 'none', parallel: true }, [end]),
			undefined,
		);
	});
});
