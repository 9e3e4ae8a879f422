/** Long answers are what `JSON.stringify` would have written, and long bodies are measured before they are read. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonBytes } from '../../server/http/jsonAnswer.ts';
import { parseJson } from '../../server/http/jsonText.ts';
import { check } from '../../server/protocol/routes/check.ts';
import { messagesField } from '../../server/protocol/routes/messageFields.ts';

const written = async (value: unknown) => new TextDecoder().decode(await jsonBytes(value));
const list = <T>(length: number, item: (index: number) => T): T[] =>
	Array.from({ length }, (_, at) => item(at));

const values: Readonly<Record<string, unknown>> = {
	nothing: undefined,
	'a text': 'ü"\n',
	'a small object': { a: [1, undefined, null], b: undefined, c: {} },
	'many numbers': list(10_001, (at) => at / 3),
	'vectors beside small things': {
		object: 'list',
		gone: undefined,
		data: list(5, (index) => ({ index, embedding: list(4096, (at) => at / 7) })),
		usage: { total: 1 },
	},
	'a long text among short ones': ['a', 'é'.repeat(2_000_000), 'b', ['c']],
	'many lists': list(3000, (at) => [at, [at, { at }]]),
	'holes in a long list': list(9000, (at) => (at % 3 === 0 ? undefined : at)),
	'many fields': Object.fromEntries(list(9000, (at) => [`k"${at}`, at % 2 ? undefined : [at]])),
	'a long object of nothing': Object.fromEntries(list(9000, (at) => [`k${at}`, undefined])),
};

for (const [name, value] of Object.entries(values))
	test(`${name} is written as JSON.stringify writes it`, async () => {
		assert.equal(await written(value), JSON.stringify(value) ?? 'null');
	});

test('an answer of any length lets others have their turn', async () => {
	let turns = 0;
	let done = false;
	const others = () => {
		turns++;
		if (!done) setImmediate(others);
	};
	setImmediate(others);
	await jsonBytes(list(2_000_000, (at) => at / 3));
	done = true;
	assert.ok(turns > 3, `${turns} turns`);
});

test('a body with more fields than anybody sends is refused before it is read', () => {
	const fields = (count: number) =>
		JSON.stringify(Object.fromEntries(list(count, (at) => [`k${at}`, 'a:b'])));
	const limits = { values: 400_000, fields: 50_000 };
	assert.equal(Object.keys(parseJson(fields(19_000), limits) as object).length, 19_000);
	const refusal = { code: 'too_expensive', message: /20000 different/ };
	assert.throws(() => parseJson(fields(21_000), limits), refusal);
	const rows = (count: number) =>
		JSON.stringify(list(count, () => ({ role: 'user', content: ':' })));
	assert.equal((parseJson(rows(24_000), limits) as unknown[]).length, 24_000);
	assert.throws(() => parseJson(rows(26_000), limits), refusal);
});

test('parts of a message are joined where words would run together', () => {
	const content = (...parts: string[]) =>
		check(messagesField, [
			{ role: 'user', content: parts.map((text) => ({ type: 'text', text })) },
		])[0]?.content;
	assert.equal(content('one', 'two', ' three', '', 'four ', 'five'), 'one\ntwo three\nfour five');
	assert.equal(content('', ''), '');
	assert.equal(content('one', ' ', 'two'), 'one two');
});
