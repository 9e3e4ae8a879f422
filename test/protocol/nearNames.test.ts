/** Names that somebody may have meant. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearNames, nearNamesHint } from '../../server/protocol/modelNames.ts';

const names = [
	...['tiny:1', 'starter-chat:1', 'starter-translate:1', 'whisper-base', 'opus-mt-en-de'],
	...['qwen2.5-coder-0.5b', 'qwen3-4b', 'Grosse-ss:1'],
];

test('a misspelt name finds the one that was meant', () => {
	const meant: Readonly<Record<string, string>> = {
		...{ tnyi: 'tiny:1', tiy: 'tiny:1', tinyy: 'tiny:1', tony: 'tiny:1', 'TINY:7': 'tiny:1' },
		...{ 'strater-chat': 'starter-chat:1', wisper: 'whisper-base', 'opus-en-de': 'opus-mt-en-de' },
		...{ 'qwen2-5-coder': 'qwen2.5-coder-0.5b', 'qwen3-4bb': 'qwen3-4b', 'Größe-ß': 'Grosse-ss:1' },
	};
	for (const [wanted, name] of Object.entries(meant))
		assert.equal(nearNames(names, wanted)[0], name, wanted);
	assert.equal(nearNamesHint(names, 'tnyi'), ' Did you mean tiny:1?');
});

test('a name that is none of them, or no name, finds nothing', () => {
	for (const wanted of ['', ' ', '../x', '?', 'no-such-model', 'x'.repeat(100_000), 'ab'])
		assert.deepEqual(nearNames(names, wanted), [], wanted.slice(0, 20));
	assert.equal(nearNamesHint(names, '??'), '');
});
