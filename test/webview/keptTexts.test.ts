import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptTexts } from '../../webview/keptTexts.ts';

test('each text that stayed as it was has its place and reason', () => {
	const source = '# Title\n\nSome words. Other words.\n';
	assert.deepEqual(
		keptTexts(source, {
			refused: ['Title'],
			refusedAt: [{ line: 1, column: 3, why: "'*' would be added" }],
			left: [
				{ text: 'Some words. Other words.', sentences: ['Other words.'] },
				{ text: '<t1>a</t1>' },
			],
		}),
		[
			{ text: 'Title', place: '1:3', why: "'*' would be added" },
			{ text: 'Other words.', place: '3:13' },
			{ text: '<t1>a</t1>' },
		],
	);
});
