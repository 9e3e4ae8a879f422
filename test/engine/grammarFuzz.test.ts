/** Random walks through grammars: whatever a mask allows parses, validates and never runs into a dead end. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createConstraintCompiler } from '../../server/engine/grammar/compileConstraint.ts';
import { toolFormats } from '../../server/engine/template/toolFormat.ts';
import { Random } from '../fixtures/graphBuilder.ts';
import { validateJson } from '../fixtures/validateJson.ts';
import { byteTextModel } from './byteTextModel.ts';

const end = 256;
const compile = createConstraintCompiler(byteTextModel(), toolFormats.hermes);

const schemas: Record<string, unknown>[] = [
	{
		type: 'object',
		properties: {
			name: { type: 'string', minLength: 2, maxLength: 5 },
			age: { type: 'integer', minimum: 0, maximum: 150 },
			height: { type: 'number', exclusiveMinimum: 0, maximum: 2.5 },
			tags: { type: 'array', items: { enum: ['a', 'b', 1, null] }, minItems: 1, maxItems: 3 },
			more: { type: 'object', properties: { x: { type: 'boolean' } }, required: ['x'] },
		},
		required: ['name', 'height'],
	},
	{
		type: 'array',
		items: {
			anyOf: [
				{ type: 'string', pattern: '^[a-z]{2,4}[0-9]?$' },
				{ type: 'integer', minimum: -20, maximum: -3 },
				{ type: 'null' },
			],
		},
		minItems: 2,
		maxItems: 4,
	},
	{
		$defs: {
			node: {
				type: 'object',
				properties: {
					value: { type: 'integer' },
					children: { type: 'array', items: { $ref: '#/$defs/node' }, maxItems: 2 },
				},
				required: ['value'],
			},
		},
		$ref: '#/$defs/node',
	},
	{ type: 'object', additionalProperties: { type: 'integer' }, minProperties: 1, maxProperties: 2 },
	{
		oneOf: [
			{
				type: 'object',
				properties: { kind: { const: 'a' }, v: { type: 'string', maxLength: 3 } },
				required: ['kind', 'v'],
			},
			{
				type: 'object',
				properties: { kind: { const: 'b' }, w: { type: 'number' } },
				required: ['kind'],
			},
		],
	},
	{
		type: 'array',
		prefixItems: [{ type: 'integer' }, { type: 'string', maxLength: 2 }],
		items: false,
	},
	{
		type: 'object',
		properties: {
			a: { type: ['string', 'null'], maxLength: 4 },
			b: { type: ['integer', 'null'], minimum: 5 },
		},
		required: ['a', 'b'],
	},
	{
		type: 'object',
		patternProperties: { '^x_[a-z]+$': { type: 'integer' } },
		additionalProperties: false,
	},
	{
		type: 'object',
		propertyNames: { pattern: '^[a-c]{1,3}$' },
		additionalProperties: { type: 'boolean' },
	},
	{
		type: 'object',
		propertyNames: { enum: ['p', 'q'] },
		additionalProperties: { type: 'integer' },
	},
	{ enum: [{ a: [1, 'x'] }, 'str"\\', 3.5, true, null] },
	{ type: 'integer', enum: [1, 'x', 2] },
	{ type: 'string', pattern: '^(foo|ba[rz])$|^x$' },
	{
		type: 'object',
		properties: { 'we"ird\\ name': { type: 'boolean' } },
		required: ['we"ird\\ name'],
	},
	{
		type: 'object',
		properties: { a: { type: 'integer' } },
		required: ['a'],
		allOf: [{ properties: { b: { type: 'string', maxLength: 2 } }, required: ['b'] }],
	},
	{ type: 'object', properties: { a: { type: 'integer' } }, additionalProperties: true },
	{},
];

/** A random answer: ASCII, ending sooner the longer it gets; `undefined` when it did not end. */
async function walk(schema: Record<string, unknown>, random: Random): Promise<string | undefined> {
	const constraint = await compile({ kind: 'json-schema', schema }, [end]);
	assert.ok(constraint !== undefined);
	const chance = () => random.bits() / 2 ** 32;
	const pick = (ids: readonly number[]) => ids[Math.floor(chance() * ids.length)] as number;
	let answer = '';
	try {
		for (let step = 0; step < 240; step++) {
			const mask = constraint.mask();
			assert.ok(mask !== null);
			const allowed: number[] = [];
			for (let id = 0; id <= end; id++) {
				const isPlain = id < 128 || id === end;
				if (isPlain && (((mask[id >> 5] as number) >>> (id & 31)) & 1) === 1) allowed.push(id);
			}
			assert.ok(allowed.length > 0, `a dead end after ${answer}`);
			const closing = allowed.filter(
				(id) => id === end || '"}],'.includes(String.fromCharCode(id)),
			);
			const visible = allowed.filter((id) => id > 32);
			let id = pick(visible.length > 0 && chance() < 0.95 ? visible : allowed);
			if (step > 60 && closing.length > 0 && chance() < 0.8) id = pick(closing);
			if (id === end) return answer;
			assert.equal(constraint.accept(id), true, `the mask allows what is refused after ${answer}`);
			answer += String.fromCharCode(id);
		}
		return undefined;
	} finally {
		constraint.dispose();
	}
}

describe('random answers within a schema', () => {
	for (const [index, schema] of schemas.entries()) {
		it(`${JSON.stringify(schema).slice(0, 70)}: every one parses and validates`, async () => {
			const random = new Random(index + 1);
			let ended = 0;
			for (let round = 0; round < 25; round++) {
				const answer = await walk(schema, random);
				if (answer === undefined) continue;
				ended++;
				const fault = validateJson(JSON.parse(answer), schema);
				assert.equal(fault, undefined, answer);
			}
			assert.ok(ended > 10, `${ended} of 25 answers ended`);
		});
	}
});
