/** What a model is shown to fill a gap. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commentMarker, likePieces, textAround } from '../../../extension/ai/completionContext.ts';

test('what is before the cursor begins at the same place while one types', () => {
	const text = Array.from({ length: 2000 }, (_, line) => `line ${line} of the file`).join('\n');
	const starts = new Set<string>();
	for (let offset = 20_001; offset < 20_400; offset++) {
		const { prefix, suffix } = textAround(text, offset);
		assert.ok(prefix.length <= 3000 && prefix.length >= 1900, String(prefix.length));
		assert.ok(text.endsWith(prefix + text.slice(offset)));
		assert.equal(suffix, text.slice(offset, offset + 1000));
		starts.add(prefix.slice(0, 100));
	}
	assert.equal(starts.size, 1);
	assert.match([...starts][0] ?? '', /^line \d+ of/);
	assert.deepEqual(textAround('ab', 1), { prefix: 'a', suffix: 'b' });
	const long = 'x'.repeat(10_000);
	assert.equal(textAround(long, 9999).prefix.length, 2999);
});

const reader = {
	path: 'src/readRows.ts',
	text: [
		...Array.from({ length: 40 }, (_, at) => `const unrelated${at} = ${at};`),
		'export function readRows(table: Table, limit: number): Row[] {',
		'\tconst rows = table.rows.slice(0, limit);',
		'\treturn rows.map((row) => parseRow(row));',
		'}',
	].join('\n'),
};
const prefix =
	'export function writeRows(table: Table, limit: number): void {\n\tfor (const row of table.rows) parseRow(row);\n\t';

test('a piece of another file that has the same names goes before it, as a comment', () => {
	const pieces = likePieces(prefix, [reader, { path: 'b.ts', text: 'let other = 1;' }], '//');
	assert.match(pieces, /^\/\/ From src\/readRows\.ts:\n/);
	assert.match(pieces, /\/\/ \treturn rows\.map/);
	assert.doesNotMatch(pieces, /other/);
	assert.ok(pieces.split('\n').every((line) => line === '' || line.startsWith('//')));
});

test('nothing goes along that is not alike, and never more than there is room for', () => {
	assert.equal(likePieces(prefix, [{ path: 'c.ts', text: 'nothing alike in here' }], '//'), '');
	assert.equal(likePieces('a = ', [reader], '//'), '');
	const many = Array.from({ length: 20 }, (_, at) => ({ ...reader, path: `src/${at}.ts` }));
	const pieces = likePieces(prefix, many, '//');
	assert.ok(pieces.length <= 1500 && pieces.length > 500, String(pieces.length));
});

test('comments are written as the language has them', () => {
	assert.equal(commentMarker('python'), '#');
	assert.equal(commentMarker('lua'), '--');
	assert.equal(commentMarker('rust'), '//');
	assert.equal(commentMarker('html'), undefined);
});
