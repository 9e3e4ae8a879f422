/** HTML files: which words are found, and that tags, code and attributes of machines stay. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	formatOf,
	translatePieces,
} from '../../../server/translate/documents/translateDocument.ts';
import { shouted } from './shouted.ts';

const html = formatOf('a.html')!;
const mark = async (texts: readonly string[]) => texts.map((text) => `«${text}»`);
const upper = async (texts: readonly string[]) =>
	texts.map((text) =>
		text.replace(/\{\w+\}|&\w+;|(\p{L}+)/gu, (all, word) => (word ? all.toUpperCase() : all)),
	);

const page = `<!DOCTYPE html>
<html lang="en">
<head><meta charset=utf-8><title>Caf&eacute; menu</title>
<style>p { color: red }</style>
<script>const text = "<p>Not words</p>";</script></head>
<body class='main page'>
<!-- a note -->
<h1 title="The &quot;best&quot; one">Today&rsquo;s <em>special</em> menu</h1>
<p>Press <code>make all</code> and read the
   <a href="a.html?x=1&amp;y=2" title='More of it'>long manual</a> &lt;now&gt;.<br/>
   Then wait.
<p>Unclosed paragraph
<ul><li>One<li>Two</ul>
<pre>keep   this</pre>
<span translate="no">Acme Cloud</span>
<p>Ask <span class="x notranslate">Acme <b>Cloud</b></span> for help.</p>
<img src=a.png alt="A red door"> <input placeholder="Your name" value="raw words">
<textarea title="Notes">do not touch</textarea>
</body>
</html>
`;

test('HTML with a translation that changes nothing is the same, byte for byte', async () => {
	for (const text of [
		page,
		page.replaceAll('\n', '\r\n'),
		page.trimEnd(),
		'<p>a <b>bold',
		'&',
		'',
	]) {
		const same = await translatePieces(text, html, async (texts) => texts, 'de');
		assert.equal(same.text, text);
		assert.deepEqual(same.refused, []);
	}
});

test('HTML: sentences with their inline tags, attributes that are read, nothing else', async () => {
	const sources: string[] = [];
	const { text } = await translatePieces(page, html, async (texts) => {
		sources.push(...texts);
		return mark(texts);
	});
	assert.deepEqual(sources, [
		'The "best" one',
		'More of it',
		'A red door',
		'Your name',
		'Café menu',
		'Today’s <t1>special</t1> menu',
		'Press <t1/> and read the <t2>long manual</t2> &lt;now&gt;.',
		'Then wait.',
		'Unclosed paragraph',
		'One',
		'Two',
		'Ask <t1/> for help.',
	]);
	assert.match(
		text,
		/<h1 title="«The &quot;best&quot; one»">«Today’s <em>special<\/em> menu»<\/h1>/,
	);
	assert.match(
		text,
		/<p>«Press <code>make all<\/code> and read the <a href="a\.html\?x=1&amp;y=2" title='«More of it»'>long manual<\/a> &lt;now&gt;\.»<br\/>\n {3}«Then wait\.»\n<p>/,
	);
	assert.match(text, /<ul><li>«One»<li>«Two»<\/ul>\n<pre>keep {3}this<\/pre>/);
	assert.match(text, /«Ask <span class="x notranslate">Acme <b>Cloud<\/b><\/span> for help\.»/);
	assert.match(text, /<textarea title="Notes">do not touch<\/textarea>/);
	assert.match(text, /const text = "<p>Not words<\/p>";/);
	assert.match(text, /alt="«A red door»"> <input placeholder="«Your name»" value="raw words">/);
});

test('HTML: what a translation adds is escaped, and a lost tag makes it go again in parts', async () => {
	const adds = await translatePieces('<p>Fish</p>', html, async () => ['a < b & "c"']);
	assert.equal(adds.text, '<p>a &lt; b &amp; "c"</p>');
	const attribute = await translatePieces('<i title="Fish">x</i>', html, async () => ['"a < b"']);
	assert.equal(attribute.text, '<i title="&quot;a &lt; b&quot;">x</i>');
	const loses = async (texts: readonly string[]) =>
		upper(texts.map((text) => text.replace(/\{t\d\}/, '')));
	const parts = await translatePieces('<p>Read <b>this</b> now</p>', html, loses);
	assert.equal(parts.text, '<p>READ <b>THIS</b> NOW</p>');
	assert.deepEqual(parts.refused, []);
});

test('HTML: tags that cross or are never closed stay as they are', async () => {
	const crossed = '<p>Text <b>bold <i>both</b> tail</i> end</p>';
	assert.equal(
		(await translatePieces(crossed, html, upper)).text,
		'<p>TEXT <b>BOLD <i>BOTH</b> TAIL</i> END</p>',
	);
	const nested = `<p>${'<b>'.repeat(3000)}words${'</b>'.repeat(3000)} more <i>words</i></p>`;
	const { text, refused } = await translatePieces(nested, html, upper);
	assert.deepEqual(refused, []);
	assert.equal(text, nested.replaceAll('words', 'WORDS').replace('more', 'MORE'));
	assert.equal(
		(await translatePieces(`${'<b>'.repeat(3000)}words`, html, upper)).text.length,
		9005,
	);
});

test('HTML names the language that it is now in, and its direction', async () => {
	const into = async (text: string, to: string) =>
		(await translatePieces(text, html, mark, to)).text.replaceAll(
			/[«»]|<meta charset="utf-8">/g,
			'',
		);
	for (const [source, to, made] of [
		['<html lang="en"><p>Words', 'de', '<html lang="de"><p>Words'],
		["<HTML LANG='en-US'>\n<p>Words", 'pt-BR', "<HTML LANG='pt-BR'>\n<p>Words"],
		['<html lang=en class=x><p>Words', 'zh-Hans', '<html lang="zh-Hans" class=x><p>Words'],
		['<html lang=""><p>Words', 'fr', '<html lang="fr"><p>Words'],
		[
			'<html xmlns="x" lang="en" xml:lang="en"><p>Words',
			'fr',
			'<html xmlns="x" lang="fr" xml:lang="fr"><p>Words',
		],
		['<html><p>Words', 'de', '<html><p>Words'],
		['<p lang="en">Words', 'de', '<p lang="en">Words'],
		// A part in another language is what it is; one in the document's own has been translated.
		[
			'<html lang="en"><p lang="fr">Mot</p><p lang="en-GB">Words</p><code lang="en">x</code>',
			'de',
			'<html lang="de"><p lang="fr">Mot</p><p lang="de">Words</p><code lang="en">x</code>',
		],
		['<html lang="en"><p>Words', 'ar', '<html dir="rtl" lang="ar"><p>Words'],
		['<html lang="en" dir="ltr"><p>Words', 'he', '<html lang="he" dir="rtl"><p>Words'],
		["<html dir='rtl' lang='ar'><p>Words", 'en', "<html dir='ltr' lang='en'><p>Words"],
		[
			'<html lang="en"><body lang="en" dir="ltr"><p lang="en-US" dir=ltr>Words<p dir="ltr">Words<p lang="fr" dir="ltr">Mot',
			'ar',
			'<html dir="rtl" lang="ar"><body lang="ar" dir="rtl"><p lang="ar" dir="rtl">Words<p dir="ltr">Words<p lang="fr" dir="ltr">Mot',
		],
		[
			'<html lang="en"><body dir="ltr">Words',
			'fa',
			'<html dir="rtl" lang="fa"><body dir="rtl">Words',
		],
		[
			'<html lang="en"><body lang="fr" dir="ltr">Mots',
			'ar',
			'<html dir="rtl" lang="ar"><body lang="fr" dir="ltr">Mots',
		],
		['<html lang="en"><p>Words', 'pt_br', '<html lang="pt-BR"><p>Words'],
		['<html lang="en"><p>Words', 'de-12', '<html lang="de"><p>Words'],
		['<html lang="en"><p>Words', '"x', '<html lang="en"><p>Words'],
		['<html lang="en" dir="auto"><p>Words', 'ar', '<html lang="ar" dir="auto"><p>Words'],
		[
			'<html lang="en"><meta property="og:locale" content="en_US"><meta http-equiv=Content-Language content=en><meta property="og:locale:alternate" content="fr_FR"><p>Words',
			'de',
			'<html lang="de"><meta property="og:locale" content="de_DE"><meta http-equiv=Content-Language content="de"><meta property="og:locale:alternate" content="fr_FR"><p>Words',
		],
		[
			'<meta property="og:locale" content="en_GB"><meta name="language" content="English"><p>Words',
			'pt-BR',
			'<meta property="og:locale" content="pt_BR"><meta name="language" content="English"><p>Words',
		],
		['<html lang="en" translate="no"><p>Words', 'de', '<html lang="en" translate="no"><p>Words'],
	] as const)
		assert.equal(await into(source, to), made);
});

test('HTML: a page without tags of its head says its encoding and direction as well', async () => {
	const into = async (text: string, to: string) =>
		(await translatePieces(text, html, mark, to)).text.replaceAll(/[«»]/g, '');
	const encoding = '<meta charset="utf-8">';
	for (const [source, to, made] of [
		[
			'<!doctype html>\n<title>Words</title>\n<p>Words',
			'de',
			`<!doctype html>${encoding}\n<title>Words</title>\n<p>Words`,
		],
		[
			'<!doctype html>\n<html lang=en>\n<title>Words</title>\n<body>Words',
			'ja',
			`<!doctype html>\n<html lang="ja">${encoding}\n<title>Words</title>\n<body>Words`,
		],
		[
			'<!DOCTYPE html><body lang="en" dir="ltr"><p lang="en">Words',
			'ar',
			`<!DOCTYPE html><html dir="rtl">${encoding}<body lang="ar" dir="rtl"><p lang="ar">Words`,
		],
		[
			'<html><meta charset=ascii><body lang="en-GB">Words',
			'fr',
			'<html><meta charset=ascii><body lang="fr">Words',
		],
		[
			'<!DOCTYPE html><p>Words',
			'he',
			`<!DOCTYPE html><html dir="rtl" lang="he">${encoding}<p>Words`,
		],
		['<html><head></head><p>Words', 'de', `<html><head>${encoding}</head><p>Words`],
		['<!doctype html><p>Größe and words', 'de', '<!doctype html><p>Größe and words'],
		// Parts of pages.
		['<title>Words</title>', 'de', '<title>Words</title>'],
		['<p lang="en">Words', 'ar', '<p lang="en">Words'],
	] as const)
		assert.equal(await into(source, to), made);
});

test('HTML: a tag around a sign that is written by its name may hold the sign itself', async () => {
	const { text, refused } = await shouted(
		'a.html',
		'<p>Some <b>words</b><a href="#i"> &para;</a></p>',
	);
	assert.match(text, /<b>WORDS<\/b>\s*<a href="#i">\s*(?:¶|&para;|&PARA;)<\/a>/);
	assert.deepEqual(refused, []);
});

test('HTML: a line that ends with a sentence is one of its own, any other break moves along', async () => {
	const { asked } = await shouted(
		'a.html',
		'<p>Some <b>words. <br>Others</b> here <br>and <i>there</i>.<br/>The <code>x</code> line:<br>The last</p>',
	);
	assert.deepEqual(
		asked.map((text) => text.replace(/<[^>]*>/g, '|')),
		['Some |words. |Others| here |and |there|.', 'The | line:', 'The last'],
	);
});

test('HTML: instructions of template engines stay as they are, in attributes too', async () => {
	const source = '<p title="The <%= name %> here">Some <%= link_to "a" %> words <% end %></p>';
	const { text } = await shouted('a.html', source);
	assert.equal(text, source.replace('Some', 'SOME').replace('words', 'WORDS'));
});
