/** Arguments that a request binds a call to are held against the function's own schema. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundCalls } from '../../server/engine/grammar/boundCalls.ts';
import { prepareSchema } from '../../server/engine/grammar/schemaCheck.ts';
import type { AppError, ToolDefinition } from '../../server/protocol/index.ts';

const tool = (parameters?: object, name = 'order'): ToolDefinition => ({
	type: 'function',
	function: { name, ...(parameters === undefined ? {} : { parameters: { ...parameters } }) },
});

const item = {
	type: 'object',
	properties: { name: { type: 'string', minLength: 2 }, tags: { items: { type: 'string' } } },
	required: ['name'],
};
const parameters = {
	type: 'object',
	properties: {
		count: { type: 'integer', minimum: 1, maximum: 9 },
		size: { enum: ['s', 'l'] },
		item: { $ref: '#/$defs/item' },
		at: { type: 'array', items: [{ type: 'number' }, { type: 'number' }], additionalItems: false },
		code: { type: 'string', pattern: '^[a-z]{2}$' },
	},
	required: ['count', 'item'],
	$defs: { item },
};

test('values that fit are bound, and the model gives the rest', () => {
	for (const values of [
		{ count: 3 },
		{ size: 's', code: 'de' },
		{ item: { name: 'Tea', tags: ['hot'] } },
		{ at: [1, 2.5] },
	]) {
		const [bound] = boundCalls([tool(parameters)], values);
		const schema = bound?.function.parameters as { properties: object; required: string[] };
		assert.ok(Object.keys(values).every((key) => schema.required.includes(key)));
		assert.ok(schema.required.includes('item'));
		assert.doesNotThrow(() => prepareSchema({ ...schema }, 'tools'));
	}
});

test('a value of another kind than the function takes is refused where it stands', () => {
	for (const [values, param] of [
		[{ count: 'three' }, 'count'],
		[{ count: 10 }, 'count'],
		[{ count: 1.5 }, 'count'],
		[{ size: 'm' }, 'size'],
		[{ item: {} }, 'item'],
		[{ item: { name: 'T' } }, 'item.name'],
		[{ item: { name: 'Tea', tags: ['hot', 5] } }, 'item.tags.1'],
		[{ at: [1, 'x'] }, 'at.1'],
		[{ at: [1, 2, 3] }, 'at.2'],
		[{ code: 'DEU' }, 'code'],
		[{ colour: 'red' }, 'colour'],
	] as const)
		assert.throws(
			() => boundCalls([tool(parameters)], values),
			(error: AppError) => {
				assert.equal(error.param, `function_call.arguments.${param}`);
				assert.match(error.message, /'order'/);
				return true;
			},
			JSON.stringify(values),
		);
});

test('schemas made of others count as a whole, and are asked only for what is given', () => {
	const made = {
		allOf: [{ $ref: '#/definitions/base' }],
		oneOf: [
			{ properties: { kind: { const: 'a' }, a: { type: 'string' } }, required: ['kind', 'a'] },
			{ properties: { kind: { const: 'b' }, b: { type: 'integer' } }, required: ['kind', 'b'] },
		],
		definitions: { base: { properties: { id: { type: 'integer' } }, required: ['id'] } },
	};
	assert.equal(boundCalls([tool(made)], { kind: 'b' }).length, 1);
	for (const values of [{ kind: 'c' }, { id: 'x' }, { kind: 'b', b: 'no number' }])
		assert.throws(() => boundCalls([tool(made)], values), { code: 'invalid_request' });
});

test('a function takes what it does not describe only where it says so', () => {
	const open = { properties: { a: { type: 'string' } }, additionalProperties: { type: 'integer' } };
	assert.equal(boundCalls([tool(open)], { b: 1 }).length, 1);
	assert.throws(() => boundCalls([tool(open)], { b: 'x' }), /function_call\.arguments/);
	assert.equal(boundCalls([tool()], { b: 'x' }).length, 1);
});

test('of several functions those are called that take the values', () => {
	const two = [tool(parameters), tool({ properties: { count: { type: 'string' } } }, 'say')];
	const names = (values: object) =>
		boundCalls(two, { ...values }).map((each) => each.function.name);
	assert.deepEqual(names({ count: 2 }), ['order']);
	assert.deepEqual(names({ count: 'two' }), ['say']);
	assert.throws(
		() => names({ count: null }),
		(error: AppError) =>
			error.param === 'function_call.arguments' && /'order'.*'say'/.test(error.message),
	);
});
