/** Changes that are too long for a model. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitDiff } from '../../../extension/chat/fitDiff.ts';

const file = (name: string, lines: number) =>
	`diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n same\n${Array.from({ length: lines }, (_, k) => `+line ${k} of ${name}`).join('\n')}\n`;

test('a short change stays as it is', () => {
	const diff = file('a.ts', 3);
	assert.deepEqual(fitDiff(diff, 1000), { text: diff, cut: false });
});

test('of a long change every file keeps its name and its first changed lines', () => {
	const { text, cut } = fitDiff(file('a.ts', 500) + file('b.ts', 500), 400);
	assert.ok(cut);
	assert.ok(text.length <= 400);
	for (const name of ['a.ts', 'b.ts']) {
		assert.match(text, new RegExp(`^${name}$`, 'm'));
		assert.match(text, new RegExp(`^\\+line 0 of ${name}$`, 'm'));
	}
	assert.doesNotMatch(text, /^ same|@@/m);
});
