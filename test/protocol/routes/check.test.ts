/** Fields of requests: what they take, and the sentences about what they do not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { AppError } from '../../../server/protocol/errors.ts';
import { check, invalid, Refused } from '../../../server/protocol/routes/check.ts';
import * as f from '../../../server/protocol/routes/fields.ts';

function refusal(schema: z.ZodType, value: unknown): readonly [string, string | null] {
	try {
		check(schema, value);
	} catch (error) {
		assert.ok(error instanceof AppError);
		assert.equal(error.code, 'invalid_request');
		return [error.message, error.param];
	}
	return assert.fail(`${JSON.stringify(value)} was taken`);
}
const paramOf = (schema: z.ZodType, value: unknown) => refusal(schema, value)[1];

test('numbers keep their range, kind and finiteness', () => {
	const limited = f.object({ x: f.number({ min: 0, max: 2 }) });
	for (const x of [0, 1.5, 2]) assert.deepEqual(check(limited, { x }), { x });
	for (const x of [-0.1, 2.1, Number.NaN, Number.POSITIVE_INFINITY, '1', null, true, [1]])
		assert.equal(paramOf(limited, { x }), 'x', String(x));
	const whole = f.object({ n: f.integer() });
	assert.equal(paramOf(whole, { n: 1.5 }), 'n');
	assert.equal(paramOf(whole, { n: 2 ** 53 }), 'n');
});

test('a sentence names the field, what it must be and what it is', () => {
	const schema = f.object({
		n: f.optional(f.integer({ min: 1, max: 128 })),
		t: f.optional(f.number({ min: 0, max: 2 })),
		text: f.optional(f.string({ minLength: 1, maxLength: 3 })),
		one: f.optional(f.oneOf('a', 'b')),
		list: f.optional(f.array(f.object({ on: f.boolean }), { max: 2 })),
		plain: f.optional(z.number().min(3)),
		some: f.optional(f.record(f.number(), 2)),
	});
	const cases: readonly (readonly [unknown, string, string | null])[] = [
		[[], 'The body must be an object, but it is an array of 0.', null],
		[{ n: 0 }, "'n' must be an integer from 1 to 128, but it is 0.", 'n'],
		[{ t: 'x' }, "'t' must be a number from 0 to 2, but it is 'x'.", 't'],
		[{ text: '' }, "'text' must be a string that is not empty.", 'text'],
		[{ text: 'long' }, "'text' must be a string of at most 3 characters.", 'text'],
		[{ one: 'c' }, "'one' must be one of 'a', 'b', but it is 'c'.", 'one'],
		[
			{ list: [{ on: true }, { on: 1 }] },
			"'list[1].on' must be true or false, but it is 1.",
			'list[1].on',
		],
		[{ list: [{}] }, "'list[0].on' is missing.", 'list[0].on'],
		[
			{ list: [1, 2, 3] },
			"'list' must be an array of at most 2 entries, but it is an array of 3.",
			'list',
		],
		[{ plain: 1 }, "'plain' must be a number of at least 3, but it is 1.", 'plain'],
		[{ plain: {} }, "'plain' must be a number, but it is an object.", 'plain'],
		[{ some: { a: 1, b: 2, c: 3 } }, "'some' must be an object of at most 2 keys.", 'some'],
	];
	for (const [value, ...said] of cases) assert.deepEqual(refusal(schema, value), said);
});

test('null counts as absent, and what nobody reads is named', () => {
	const schema = f.object({
		a: f.string({ minLength: 1 }),
		b: f.optional(f.array(f.object({ c: f.boolean }), { max: 2 })),
	});
	const value = { a: 'x', b: null, other: 1 };
	assert.deepEqual(check(schema, value), { a: 'x' });
	assert.deepEqual(f.unreadFields(schema, value), ['other']);
	assert.deepEqual(f.unreadFields(schema, { a: 'x', b: [{ c: true, d: 1 }] }), ['b[0].d']);
	assert.equal(paramOf(schema, { b: [] }), 'a');
});

test('a choice of two reports the deeper fault', () => {
	const stop = f.either(f.string(), f.array(f.string()), 'a string or strings');
	const schema = f.object({ stop });
	assert.deepEqual(check(schema, { stop: ['a'] }), { stop: ['a'] });
	assert.equal(paramOf(schema, { stop: ['a', 1] }), 'stop[1]');
	assert.deepEqual(refusal(schema, { stop: 7 }), [
		"'stop' must be a string or strings, but it is 7.",
		'stop',
	]);
});

test('the rule of a field speaks of the field, wherever it stands', () => {
	const even = f.mapped(f.integer(), (value) => {
		if (value % 2 === 1) throw invalid('', 'even', value);
		return value / 2;
	});
	const own = f.ruled({ type: 'object' }, () => {
		throw new Refused('.deep[0]', (name) => `${name} is not for you.`);
	});
	const schema = f.object({ list: f.array(even), own: f.optional(f.object({ field: own })) });
	assert.deepEqual(check(schema, { list: [2, 4] }), { list: [1, 2] });
	assert.deepEqual(refusal(schema, { list: [2, 3] }), [
		"'list[1]' must be even, but it is 3.",
		'list[1]',
	]);
	assert.deepEqual(refusal(schema, { list: [], own: { field: 1 } }), [
		"'own.field.deep[0]' is not for you.",
		'own.field.deep[0]',
	]);
});

test('names in any letter case are the same field, in one spelling', () => {
	const schema = f.anyCase({
		Name: f.optional(f.string()),
		Inner: f.optional(f.anyCase({ A: f.boolean })),
	});
	assert.deepEqual(check(schema, { nAME: 'x', inner: { a: true } }), {
		Name: 'x',
		Inner: { A: true },
	});
	assert.equal(paramOf(schema, { name: 'x', NAME: 'y' }), 'NAME');
	assert.deepEqual(f.unreadFields(schema, { name: 'x', zip: 1, INNER: { a: true, b: 1 } }), [
		'zip',
		'Inner.b',
	]);
});

test('a field named like something every object has is no field', () => {
	const schema = f.object({ a: f.optional(f.string()) });
	assert.deepEqual(check(schema, JSON.parse('{"__proto__":{"a":"x"}}')), {});
	const parsed = check(f.record(f.number()), JSON.parse('{"__proto__":1}'));
	assert.equal(Object.getPrototypeOf(parsed), Object.prototype);
});

test('messages never repeat long texts of the user', () => {
	const [message] = refusal(f.object({ x: f.number() }), { x: 'secret '.repeat(100) });
	assert.ok(!message.includes('secret'), message);
});

test('every schema describes itself as what it checks', () => {
	const schema = f.object({ a: f.integer({ min: 1, max: 9 }), b: f.optional(f.oneOf('x', 'y')) });
	assert.deepEqual(f.requestSchema(schema), {
		type: 'object',
		properties: {
			a: { type: 'integer', minimum: 1, maximum: 9 },
			b: { type: 'string', enum: ['x', 'y'] },
		},
		required: ['a'],
	});
});
