/** Markdown that grows: the blocks are those of the whole text at every step. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lexer } from 'marked';
import {
	headingLevels,
	type MarkdownBlocks,
	noBlocks,
	readBlocks,
} from '../../webview/markdownBlocks.ts';
import { parsePageMessage } from '../../webview/protocol.ts';
import { lastSentenceEnd } from '../../webview/sentenceEnd.ts';

const text = `# Title

Some *text* with \`code\`
over two lines.

- one
- two

  more of two
1. three

\`\`\`sh
tar xf a.tar.gz

echo done
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

> quoted
last <b>words</b>`;

test('however the text arrives, the blocks are those of the whole', () => {
	for (const size of [1, 2, 3, 7, 50]) {
		let blocks: MarkdownBlocks = noBlocks;
		for (let end = size; end < text.length + size; end += size) {
			const part = text.slice(0, end);
			blocks = readBlocks(part, blocks);
			assert.deepEqual(
				blocks.tokens.map(({ type, raw }) => [type, raw]),
				lexer(part).map(({ type, raw }) => [type, raw]),
				`after ${Math.min(end, text.length)} characters in steps of ${size}`,
			);
		}
	}
});

test('blocks that are complete are not read again', () => {
	const first = readBlocks('# One\n\ntwo\n\nthree');
	const more = readBlocks('# One\n\ntwo\n\nthree and four', first);
	assert.equal(more.tokens[0], first.tokens[0]);
	assert.equal(more.tokens[1], first.tokens[1]);
	assert.notEqual(more.tokens.at(-1), first.tokens.at(-1));
	assert.equal(more.checkedLength, '# One\n\ntwo\n\n'.length);
});

test('another text is read from its start', () => {
	const first = readBlocks('# One\n\ntext');
	assert.equal(readBlocks('other', first).tokens[0]?.type, 'paragraph');
});

test('messages of a page are checked like any input', () => {
	assert.deepEqual(parsePageMessage({ type: 'ask', text: 'x' }), { type: 'ask', text: 'x' });
	for (const wrong of [
		null,
		'ask',
		{},
		{ type: 'ask' },
		{ type: 'ask', text: 1 },
		{ type: 'toString' },
		{ type: 'detach', index: 'a' },
		{ type: 'run', command: 'x' },
	]) {
		assert.equal(parsePageMessage(wrong), undefined, JSON.stringify(wrong));
	}
});

test('a screen reader hears whole sentences', () => {
	assert.equal(lastSentenceEnd('One. Two'), 4);
	assert.equal(lastSentenceEnd('Version 1.2'), 0);
	assert.equal(lastSentenceEnd('a\nb'), 2);
});

test('headings are drawn without leaving out a level', () => {
	const levels = (text: string) =>
		headingLevels(readBlocks(text).tokens).filter((level) => level !== undefined);
	assert.deepEqual(levels('## a\n\n### b\n\n## c\n'), [3, 4, 3]);
	assert.deepEqual(levels('# a\n\n#### b\n\n# c\n'), [3, 4, 3]);
	assert.deepEqual(levels('#### a\n\ntext\n\n# b\n'), [3, 3]);
});
