import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonSafeClasses } from '../../server/engine/grammar/jsonClasses.ts';

/** The class as a JavaScript expression, to see what it takes. */
const takes = (line: string) => {
	const safe = jsonSafeClasses(line)
		.replace(/\\U([0-9a-f]{8})/g, (_, hex) => `\\u{${hex}}`)
		.replace('\\0', '\\u0000');
	return new RegExp(`^${safe}$`, 'u');
};

test('no class takes what JSON must escape', () => {
	for (const line of [
		'[^a]',
		'[^"\\\\\\r\\n]',
		'[\\u0000-\\U0010FFFF]',
		'[ -~]',
		'["a]',
		'[^[\\f\\n]',
		'[\\x00-\\x7f]',
	]) {
		const found = takes(line);
		for (const bad of ['"', '\\', '\u0000', '\n', '\u001f'])
			assert.ok(!found.test(bad), `${line} ${JSON.stringify(bad)}`);
	}
});

test('a class keeps everything else it took', () => {
	const cases: readonly (readonly [string, string, string])[] = [
		['[^a]', 'bÄ日🎉 ', 'a'],
		['[ -~]', ' !#[]~z', 'ä'],
		['[a-c_-]', 'abc_-', 'd'],
		['[\\u0041-\\u0043]', 'ABC', 'D'],
		['[a\\-z]', 'a-z', 'b'],
	];
	for (const [line, good, bad] of cases) {
		for (const char of good) assert.ok(takes(line).test(char), `${line} ${char}`);
		for (const char of bad) assert.ok(!takes(line).test(char), `${line} ${char}`);
	}
});

test('texts in quotes are no classes', () => {
	assert.equal(jsonSafeClasses('x ::= "[^a]\\"" [b]'), 'x ::= "[^a]\\"" [b]');
});
