/** A translator that answers with what it was asked changes no byte of a document, whatever its format. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runDocumentJob } from '../../../server/translate/documents/documentJob.ts';
import type { TranslateTexts } from '../../../server/translate/documents/documentLanguage.ts';
import { htmlPieces } from '../../../server/translate/htmlBlocks.ts';
import { plainBlock } from '../../../server/translate/plainBlock.ts';
import { translateBlocks } from '../../../server/translate/translateBlocks.ts';
import { inEnglish } from '../inEnglish.ts';

const options = { source: 'en', target: 'de', links: false, maxSentence: 400 };
const echo: Parameters<typeof translateBlocks>[1] = async (sentences) =>
	sentences.map((text) => ({
		text,
		links: [...text.matchAll(/\S+/g)].map(({ index, 0: word }) => {
			const span = [index, index + word.length] as const;
			return { source: span, target: span };
		}),
	}));
/** As the model server translates the texts of documents: in sentences, with masks and tags. */
const echoing: TranslateTexts = async (texts) => {
	const made: string[] = [];
	for (const text of texts)
		made.push((await translateBlocks([plainBlock(text)], echo, options)).text);
	return made;
};

const documents: readonly (readonly [string, string])[] = [
	['a.md', '<div align="center">\n\t<b>\n\t\t<a href="x">Get support here</a>\n\t</b>\n</div>\n'],
	['b.md', 'Open *the *file* now* and **save **it.  \r\nOne more `code `line.\r\n'],
	['c.md', '| One cell | <i> two words </i> |\n|---|---|\n| &quot;a&quot; word | b |\n'],
	['d.mdx', '<Tab title="Some words">\n  Open the <b>file </b>.\n</Tab>\n'],
	['e.html', '<p>See <code>one </code> &copy; and <a href="b"> another page</a> .</p>\n'],
	['f.json', '{"a":"<p>Error code: <code>Aborted </code> </p> <p>More words</p>"}'],
	[
		'g.po',
		'msgid ""\nmsgstr "Language: de\\n"\n\nmsgid "Open <b>it </b> in the other window"\nmsgstr ""\n',
	],
	['h.srt', '1\n00:00:01,000 --> 00:00:02,000\n<i>Some words </i>\n- Other words\n'],
	['i.rst', 'A title\n=======\n\nWords with ``code`` and `a link`_ .\n'],
	['j.adoc', '= A title\n\nSome *bold * words, https://a.b[a link ].\n'],
	['k.csv', 'id,text\n1," Some words, "\n'],
	['l.yaml', 'a: "Some <b>words </b>"\nb: >\n  folded words\n  go on\n'],
];

for (const [name, text] of documents)
	test(`${name} stays byte for byte where no word changes`, async () => {
		const columns = name.endsWith('.csv') ? { columns: ['text'] } : {};
		const job = { fileName: name, text, to: 'de', from: 'en', ...columns };
		const done = await runDocumentJob(job, inEnglish(echoing));
		assert.ok(done.type === 'document' && done.result.pieces > 0, 'no words found');
		assert.equal(done.result.text, text);
	});

test('tags keep their white space and escapes around words that stay', async () => {
	for (const source of [
		'<t1>#</t1>add<t2>i</t2><t3>tional</t3><t6># </t6>',
		'<p>See <a href="x"> this page </a> , <b>now </b>&quot;or&quot; &copy; later</p>',
	])
		for (const pieces of [[plainBlock(source)], htmlPieces(source)]) {
			const { text } = await translateBlocks(pieces, echo, options);
			assert.equal(text, source);
		}
});

test('empty places for translations get short texts that stay as they are, and long ones stay empty', async () => {
	const long = 'Open it in the other window';
	const forms = 'msgid "%d Job"\nmsgid_plural "%d Jobs"\nmsgstr[0] ""\nmsgstr[1] ""\n';
	const cases: [string, string, RegExp][] = [
		['a.po', `msgid "Name"\nmsgstr ""\n\nmsgid "${long}"\nmsgstr ""\n`, /"Name"\nmsgstr "Name"/],
		[
			'b.po',
			`${forms}\nmsgid "${long}"\nmsgstr ""\n`,
			/msgstr\[0\] "%d Job"\nmsgstr\[1\] "%d Jobs"/,
		],
	];
	for (const [fileName, text, wanted] of cases) {
		const done = await runDocumentJob({ fileName, text, to: 'de', from: 'en' }, inEnglish(echoing));
		assert.ok(done.type === 'document');
		assert.match(done.result.text, wanted);
		assert.equal(done.result.text.split(long).length, 2, done.result.text);
	}
});
