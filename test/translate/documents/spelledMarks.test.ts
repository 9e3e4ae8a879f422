/** Marks that stand in messages by other names, or that letters touch: none is lost. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeholders } from '../../../server/translate/documents/placeholders.ts';
import { protectedSpans } from '../../../server/translate/protect.ts';
import { shouted } from './shouted.ts';

const kept = (text: string) => protectedSpans(text).map(([from, to]) => text.slice(from, to));

test('words that look like references of XML are written as the words they are', async () => {
	const words = 'Write &amp;amp; or &amp;nbsp; here';
	for (const [fileName, source] of [
		['a.resx', `<root><data name="a"><value>${words}</value></data></root>\n`],
		[
			'a.ts',
			`<!DOCTYPE TS>\n<TS version="2.1"><context><name>A</name><message><source>${words}</source><translation type="unfinished"></translation></message></context></TS>\n`,
		],
	] as const) {
		const { text, refused } = await shouted(fileName, source);
		assert.deepEqual(refused, []);
		assert.ok(text.includes('WRITE &amp;amp; OR &amp;nbsp; HERE'), text);
	}
});

test('a conversion of printf with a unit behind it is one', async () => {
	assert.deepEqual(kept('It took %sms, %dpx, %1$dMB and 100% sure, 5%discount'), [
		'%s',
		'%d',
		'%1$d',
	]);
	assert.deepEqual(placeholders('Up to %dpx or %sms'), ['%d', '%s']);
	const source = '<resources><string name="a">Wait %ds for it</string></resources>\n';
	const { refused } = await shouted('strings.xml', source, {}, (one) => one.replace('%d', '%x'));
	assert.equal(refused.length, 1);
});

test('tags whose brackets are written as references are marks', async () => {
	assert.deepEqual(kept('Some &lt;b>bold&lt;/b> and &lt;a href="x"&gt;linked&lt;/a&gt; words'), [
		'&lt;b>',
		'&lt;/b>',
		'&lt;a href="x"&gt;',
		'&lt;/a&gt;',
	]);
	assert.deepEqual(kept('The &lt;script&gt; element'), ['&lt;script&gt;']);
	assert.deepEqual(kept('It is &lt;now&gt; or never'), ['&lt;', '&gt;']);
	const source = '<resources><string name="a">Open &lt;b>it&lt;/b> now</string></resources>\n';
	const lost = await shouted('strings.xml', source, {}, (one) => one.replaceAll('b>', 'c>'));
	assert.equal(lost.refused.length, 1);
	assert.equal(lost.text, source);
});
