import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../server/protocol/errors.ts';
import * as p from '../../server/protocol/parser.ts';

const paramOf = (work: () => unknown): string | null => {
	try {
		work();
	} catch (error) {
		assert.ok(error instanceof AppError);
		assert.equal(error.code, 'invalid_request');
		return error.param;
	}
	return assert.fail('nothing was thrown');
};

test('numbers keep their range, kind and finiteness', () => {
	const parser = p.number({ min: 0, max: 2 });
	for (const good of [0, 1.5, 2]) assert.equal(parser.parse(good, 'x'), good);
	for (const bad of [-0.1, 2.1, Number.NaN, Number.POSITIVE_INFINITY, '1', null, true, [1]])
		assert.equal(
			paramOf(() => parser.parse(bad, 'x')),
			'x',
		);
	assert.equal(
		paramOf(() => p.integer().parse(1.5, 'n')),
		'n',
	);
	assert.equal(
		paramOf(() => p.integer().parse(2 ** 53, 'n')),
		'n',
	);
});

test('objects name the field at fault by its whole path, and null counts as absent', () => {
	const parser = p.object({
		a: p.string({ minLength: 1 }),
		b: p.optional(p.array(p.object({ c: p.boolean }), { max: 2 })),
	});
	assert.deepEqual(parser.parse({ a: 'x', b: null, other: 1 }, ''), { a: 'x' });
	assert.equal(
		paramOf(() => parser.parse({ a: 'x', b: [{ c: true }, { c: 1 }] }, '')),
		'b[1].c',
	);
	assert.equal(
		paramOf(() => parser.parse({ a: 'x', b: [1, 2, 3] }, '')),
		'b',
	);
	assert.equal(
		paramOf(() => parser.parse({ b: [] }, '')),
		'a',
	);
	assert.equal(
		paramOf(() => parser.parse([], '')),
		null,
	);
	assert.deepEqual(parser.unread?.({ a: 1, z: 2 }, ''), ['z']);
});

test('a choice of two reports the deeper fault', () => {
	const parser = p.either(p.string(), p.array(p.string()), 'a string or strings');
	assert.deepEqual(parser.parse(['a'], 'stop'), ['a']);
	assert.equal(
		paramOf(() => parser.parse(['a', 1], 'stop')),
		'stop[1]',
	);
	assert.equal(
		paramOf(() => parser.parse(7, 'stop')),
		'stop',
	);
});

test('a field named like something every object has is no field', () => {
	const parser = p.object({ a: p.optional(p.string()) });
	assert.deepEqual(parser.parse(JSON.parse('{"__proto__":{"a":"x"}}'), ''), {});
	const parsed = p.record(p.number()).parse(JSON.parse('{"__proto__":1}'), 'r');
	assert.equal(Object.getPrototypeOf(parsed), Object.prototype);
});

test('messages never repeat long texts of the user', () => {
	try {
		p.number().parse('secret '.repeat(100), 'x');
	} catch (error) {
		assert.ok(error instanceof AppError);
		assert.ok(!error.message.includes('secret'));
	}
});

test('every parser describes itself as the schema it checks', () => {
	const { schema } = p.object({ a: p.integer({ min: 1 }), b: p.optional(p.oneOf('x', 'y')) });
	assert.deepEqual(schema, {
		type: 'object',
		properties: { a: { type: 'integer', minimum: 1 }, b: { type: 'string', enum: ['x', 'y'] } },
		required: ['a'],
	});
});
