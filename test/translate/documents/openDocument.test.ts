/** OpenDocument and EPUB: words among tags, notes and boxes inside of sentences, pages of books. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zipOf } from '../../support/zipOf.ts';
import { translated } from './officeFiles.ts';

const content = (body: string) => `<office:document-content>${body}</office:document-content>`;
const text = async (body: string, fileName = 'a.odt') => {
	const source = await zipOf({ mimetype: 'application/x', 'content.xml': content(body) }, [
		'mimetype',
	]);
	const { parts, ...rest } = await translated(source, fileName);
	const made = parts.get('content.xml') ?? '';
	return {
		...rest,
		body: made.slice(content('').indexOf('</'), -'</office:document-content>'.length),
	};
};

test('spans and links move with their words, tabs and breaks end sentences', async () => {
	const { body, asked } = await text(
		'<text:h>The title</text:h><text:p>Read <text:span text:style-name="T1">the file</text:span> <text:a xlink:href="u">now</text:a>.<text:line-break/>Name<text:tab/>of &amp; by</text:p>',
	);
	assert.deepEqual(asked, [
		'The title',
		'Read <t1>the file</t1> <t2>now</t2>.',
		'Name',
		'of &amp; by',
	]);
	assert.equal(
		body,
		'<text:h>THE TITLE</text:h><text:p>READ <text:span text:style-name="T1">THE FILE</text:span> <text:a xlink:href="u">NOW</text:a>.<text:line-break/>NAME<text:tab/>OF &amp; BY</text:p>',
	);
});

test('a footnote stays in its sentence, and its own words are translated', async () => {
	const note = (words: string) =>
		`<text:note text:id="n"><text:note-citation>1</text:note-citation><text:note-body><text:p>${words}</text:p></text:note-body></text:note>`;
	const { body, asked } = await text(
		`<text:p>One thing${note('A note')} and another<office:annotation><text:p>A remark</text:p></office:annotation>.</text:p>`,
	);
	assert.deepEqual(asked, ['A note', 'A remark', 'One thing<t1/> and another<t2/>.']);
	assert.equal(
		body,
		`<text:p>ONE THING${note('A NOTE')} AND ANOTHER<office:annotation><text:p>A REMARK</text:p></office:annotation>.</text:p>`,
	);
});

test('a picture with an alternative text in the frame of a caption leaves the rest whole', async () => {
	const source = (caption: string, words: string) =>
		`<text:p><draw:frame><draw:text-box><text:p><draw:frame><draw:image/><svg:title>Alt text here</svg:title></draw:frame>${caption}</text:p></draw:text-box></draw:frame></text:p><text:p>${words}</text:p>`;
	const { body, refused } = await text(source('Figure of words', 'More words'));
	assert.equal(body, source('FIGURE OF WORDS', 'MORE WORDS'));
	assert.deepEqual(refused, ['Alt text here'], 'it is said what stayed');
});

test('deleted words, fields and page numbers stay', async () => {
	const { body, asked } = await text(
		'<text:tracked-changes><text:p>old words</text:p></text:tracked-changes><text:p>Page <text:page-number>7</text:page-number> of <text:title>My book</text:title></text:p>',
	);
	assert.deepEqual(asked, ['Page <t1/> of']);
	assert.match(
		body,
		/old words.*PAGE <text:page-number>7<\/text:page-number> OF <text:title>My book</,
	);
});

test('cells: texts, but no numbers, results of formulas, and nothing they compare with', async () => {
	const cell = (inner: string, type = 'string', more = '') =>
		`<table:table-cell office:value-type="${type}"${more}><text:p>${inner}</text:p></table:table-cell>`;
	const { body, asked } = await text(
		`<table:table table:name="Some sheet">${cell('Some books')}${cell('1 May', 'date')}${cell('Words made', 'string', ' table:formula="of:=IF([.A1]=&quot;Paid&quot;;1;2)"')}${cell('Paid')}</table:table>`,
		'a.ods',
	);
	assert.deepEqual(asked, ['Some books']);
	assert.match(
		body,
		/table:name="Some sheet".*SOME BOOKS.*1 May.*;1;2\)"><\/table:table-cell>.*>Paid</,
	);
});

test('cells: results of formulas that are texts go, so that they are calculated anew, and no others', async () => {
	const cell = (type: string, value: string, inner: string) =>
		`<table:table-cell table:formula="of:=[.A1]" office:value-type="${type}"${value}>${inner}</table:table-cell>`;
	const number = cell('float', ' office:value="5"', '<text:p>5</text:p>');
	const table = (said: string, inner: string) =>
		`<table:table><table:table-cell office:value-type="string"><text:p>${said}</text:p></table:table-cell>${inner}${number}</table:table>`;
	const kept = cell('string', ' office:string-value="Open"', '<text:p>Open</text:p>');
	const { body } = await text(table('Open the books', kept), 'a.ods');
	assert.ok(body.includes(table('OPEN THE BOOKS', cell('string', '', ''))), body);
	const nothing = await text(table('5 &gt; 4', kept), 'a.ods');
	assert.ok(nothing.body.includes(kept), nothing.body);
});

test('slides: boxes, their notes, and what pictures say', async () => {
	const { body } = await text(
		'<draw:page><draw:frame><draw:text-box><text:p>In a box</text:p></draw:text-box></draw:frame><draw:frame><draw:image/><svg:desc>A red house</svg:desc></draw:frame><presentation:notes><text:p>Say hello</text:p></presentation:notes></draw:page>',
		'a.odp',
	);
	assert.match(body, /IN A BOX.*<svg:desc>A RED HOUSE<.*SAY HELLO/);
});

const book = (more: Readonly<Record<string, string>> = {}) =>
	zipOf(
		{
			mimetype: 'application/epub+zip',
			'META-INF/container.xml':
				'<container><rootfiles><rootfile full-path="OEBPS/content.opf"/></rootfiles></container>',
			'OEBPS/content.opf':
				'<package xmlns:dc="d"><metadata><dc:title>The book</dc:title><dc:creator>Ann Person</dc:creator><dc:language>en-GB</dc:language></metadata><manifest><item href="text/one%20%26%2C%20page.xhtml" media-type="application/xhtml+xml"/><item href="toc.ncx" media-type="application/x-dtbncx+xml"/><item href="../../../etc/passwd" media-type="application/xhtml+xml"/></manifest></package>',
			'OEBPS/text/one &, page.xhtml':
				'<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x.dtd"><html xmlns="h" xml:lang="en" lang="en"><head><title>The page</title><script src="a.js"/></head><body><p>Open <a id="x"/><b>the file</b>.</p><p title="A tip">More</p></body></html>',
			'OEBPS/toc.ncx': '<ncx><navLabel><text>First chapter</text></navLabel></ncx>',
			'OEBPS/other.xhtml': '<html><p>In no list</p></html>',
			...more,
		},
		['mimetype'],
	);

test('books: pages, menu and title; a page says its language; other parts stay', async () => {
	const { parts } = await translated(await book(), 'a.epub');
	assert.equal([...parts.keys()][0], 'mimetype');
	assert.match(parts.get('OEBPS/content.opf') ?? '', />THE BOOK<.*>Ann Person<.*>de</);
	assert.equal(
		parts.get('OEBPS/text/one &, page.xhtml'),
		'<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x.dtd"><html xmlns="h" xml:lang="de" lang="de"><head><title>THE PAGE</title><script src="a.js"/></head><body><p>OPEN <a id="x"/><b>THE FILE</b>.</p><p title="A TIP">MORE</p></body></html>',
	);
	assert.match(parts.get('OEBPS/toc.ncx') ?? '', />FIRST CHAPTER</);
	assert.match(parts.get('OEBPS/other.xhtml') ?? '', />In no list</);
});

test('books: fonts may be encrypted, pages may not', async () => {
	const encryption = (uri: string) => ({
		'META-INF/encryption.xml': `<encryption><CipherReference URI="${uri}"/></encryption>`,
	});
	await translated(await book(encryption('OEBPS/font.otf')), 'a.epub');
	await assert.rejects(
		translated(await book(encryption('OEBPS/text/one%20%26%2C%20page.xhtml')), 'a.epub'),
		/encrypted.*without/,
	);
});

test('templates and shows are read as the documents that are made of them', async () => {
	for (const fileName of ['a.ott', 'a.ots', 'a.otp'])
		assert.match(
			(await text('<text:p>Some words</text:p>', fileName)).body,
			/SOME WORDS/,
			fileName,
		);
	const words = '<p:txBody><a:p><a:r><a:t>Some words</a:t></a:r></a:p></p:txBody>';
	const show = await zipOf({
		'ppt/slides/slide1.xml': `<p:sld xmlns:a="a" xmlns:p="p">${words}</p:sld>`,
	});
	const { parts } = await translated(show, 'a.ppsx');
	assert.match(parts.get('ppt/slides/slide1.xml') ?? '', /SOME WORDS/);
	const strings = await zipOf({ 'xl/sharedStrings.xml': '<sst><si><t>Some words</t></si></sst>' });
	const sheet = await translated(strings, 'a.xltx');
	assert.match(sheet.parts.get('xl/sharedStrings.xml') ?? '', /SOME WORDS/);
});

test('words in styles for code stay, in styles made from these as well', async () => {
	const styles =
		'<office:document-styles><style:style style:name="Mine" style:parent-style-name="Preformatted_20_Text"/></office:document-styles>';
	const automatic = '<style:style style:name="P1" style:parent-style-name="Mine"/>';
	const code = '<text:p text:style-name="P1">git push now</text:p>';
	const line =
		'<text:p>Type <text:span text:style-name="Source_20_Text">your files</text:span> to list them.</text:p>';
	const source = await zipOf(
		{
			mimetype: 'application/x',
			'styles.xml': styles,
			'content.xml': content(automatic + code + line),
		},
		['mimetype'],
	);
	const { parts, asked, refused } = await translated(source, 'a.odt');
	assert.deepEqual([asked, refused], [['Type <t1/> to list them.'], []]);
	assert.equal(
		parts.get('content.xml'),
		content(
			automatic + code + line.replace('Type', 'TYPE').replace('to list them', 'TO LIST THEM'),
		),
	);
});
