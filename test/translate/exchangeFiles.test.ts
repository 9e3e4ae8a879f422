/** Memories and glossaries that are written are read again as they were. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Parser } from 'htmlparser2';
import { tbxText, tmxText } from '../../server/translate/exchangeFiles.ts';
import { type Term, tbxTerms } from '../../server/translate/glossary.ts';
import { tmxMemory } from '../../server/translate/memory.ts';

const odd = ['a < b & c > d', '"quoted" \'and\' ]]>', 'line\nbreak', '打开 😀', '&amp; &#13;'];
const languages = { source: 'en', target: 'zh-Hans' };

/** Names of the elements of a text that is well-formed as far as its tags go. */
function elementsOf(xml: string): string[] {
	const open: string[] = [];
	const seen: string[] = [];
	const parser = new Parser(
		{
			onopentag: (name) => {
				open.push(name);
				seen.push(name);
			},
			onclosetag: (name, isImplied) => {
				assert.equal(open.pop(), name);
				assert.ok(!isImplied || /\/>/.test(xml));
			},
		},
		{ xmlMode: true },
	);
	parser.end(xml);
	assert.deepEqual(open, []);
	return seen;
}

test('a memory comes back from TMX, whatever its sentences hold', () => {
	const pairs = odd.map((source) => ({ source, target: `${source}!` }));
	const text = tmxText(pairs, languages, '1.0');
	assert.deepEqual(tmxMemory(text, 'en', 'zh-Hans'), pairs);
	assert.equal(elementsOf(text).filter((name) => name === 'tu').length, odd.length);
	assert.match(text, /<header [^>]*srclang="en"/);
});

test('a glossary comes back from TBX, with parts of speech', () => {
	const terms = odd.map(
		(source): Term => ({
			...{ source, target: `${source}!`, caseSensitive: /\p{Lu}/u.test(source), examples: [] },
			...(source.includes('<') ? { partOfSpeech: 'noun' } : {}),
		}),
	);
	const text = tbxText(terms, languages, 'my "terms" & more');
	assert.deepEqual(tbxTerms(text, 'en', 'zh-Hans'), terms);
	elementsOf(text);
});

test('examples are written, and come back beside the term', () => {
	const examples = [
		{ source: 'Open the file.', target: '打开文件。' },
		{ source: 'A file <a>', target: '文件 & 文件' },
	];
	const term = { source: 'file', target: '文件', caseSensitive: false, examples };
	const text = tbxText([term], languages, 'x');
	assert.match(text, /<descrip type="context">Open the file\.<\/descrip>/);
	assert.deepEqual(tbxTerms(text, 'en', 'zh-Hans'), [term]);
	// What one language alone has shows nothing of the other.
	const half = text.replace(/<descrip type="context">文件[^/]*<\/descrip>/, '');
	assert.deepEqual(tbxTerms(half, 'en', 'zh-Hans'), [{ ...term, examples: examples.slice(0, 1) }]);
});

test('characters that XML has not are left out', () => {
	const text = tmxText([{ source: 'a\u0000b\u001bc\ud800d\uffff', target: 'x' }], languages, '1');
	assert.deepEqual(tmxMemory(text, 'en', 'zh-Hans'), [{ source: 'abc\ufffdd', target: 'x' }]);
});
