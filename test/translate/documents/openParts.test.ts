/** What readers see of OpenDocument files and books beside their paragraphs and pages. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zipOf } from '../../support/zipOf.ts';
import { translated } from './officeFiles.ts';

const content = (body: string) => `<office:document-content>${body}</office:document-content>`;
const made = async (
	parts: Readonly<Record<string, string>>,
	fileName: string,
	to = 'de',
	translate?: Parameters<typeof translated>[2],
) => {
	const file = await zipOf({ mimetype: 'application/x', ...parts }, ['mimetype']);
	return translated(file, fileName, translate, to);
};

test('slides: headers and footers that many slides share, keywords, and words on controls are translated', async () => {
	const body = (header: string, footer: string, label: string, hint: string) =>
		`<office:presentation><presentation:header-decl presentation:name="Header one">${header}</presentation:header-decl><presentation:footer-decl presentation:name="ftr1">${footer}</presentation:footer-decl><draw:page presentation:use-footer-name="ftr1"><form:button form:name="Send now" form:label="${label}"/><text:p>See <text:a xlink:href="u" office:title="${hint}">here</text:a></text:p></draw:page></office:presentation>`;
	const { parts, refused } = await made(
		{
			'content.xml': content(body('Our paper', 'Our meeting', 'Send now', 'More words')),
			'meta.xml': '<office:meta><meta:keyword>new books</meta:keyword></office:meta>',
		},
		'a.odp',
	);
	assert.deepEqual(refused, []);
	assert.equal(
		parts.get('content.xml'),
		content(
			body('OUR PAPER', 'OUR MEETING', 'SEND NOW', 'MORE WORDS')
				.replace('>See <', '>SEE <')
				.replace('>here<', '>HERE<'),
		),
	);
	assert.match(parts.get('meta.xml') ?? '', />NEW BOOKS</);
});

test('texts: titles that indexes get when they are updated, fields to type into, and words below readings', async () => {
	const body = (title: string, hint: string, field: string) =>
		`<text:table-of-content-source><text:index-title-template text:style-name="Contents heading">${title}</text:index-title-template></text:table-of-content-source><text:p>${field === 'Your name' ? 'Write' : 'WRITE'} <text:text-input text:description="${hint}">${field}</text:text-input></text:p>`;
	const ruby =
		'<text:p><text:ruby><text:ruby-base>東京</text:ruby-base><text:ruby-text>とうきょう</text:ruby-text></text:ruby>の図書館です</text:p>';
	const { parts, asked, refused } = await made(
		{ 'content.xml': content(body('Table of contents', 'Your name here', 'Your name') + ruby) },
		'a.odt',
		'de',
		async (texts) =>
			texts.map((text) =>
				text.startsWith('東京')
					? 'The library of Tokyo'
					: text.replace(/(<[^<>]*>)|[^<]+/g, (own, tag?: string) => tag ?? own.toUpperCase()),
			),
	);
	assert.deepEqual(refused, []);
	assert.ok(asked.includes('東京の図書館です'), asked.join('\n'));
	assert.equal(
		parts.get('content.xml'),
		content(
			`${body('TABLE OF CONTENTS', 'YOUR NAME HERE', 'YOUR NAME')}<text:p>The library of Tokyo</text:p>`,
		),
	);
});

test('charts in sheets say what their cells say, and messages of cells have their titles translated', async () => {
	const cell = (words: string) =>
		`<table:table-cell office:value-type="string"><text:p>${words}</text:p></table:table-cell>`;
	const sheet = (title: string, words: string) =>
		`<table:content-validation table:name="Kind of word"><table:help-message table:title="${title}"/></table:content-validation><table:table table:name="Sales of books">${cell('Paid')}${cell(words)}<table:table-cell table:formula="of:=IF([.A1]=&quot;Paid&quot;;1;2)" office:value-type="float"/></table:table>`;
	const chart = (title: string, words: string) =>
		`<office:chart><chart:title><text:p>${title}</text:p></chart:title><table:table table:name="local-table">${cell('Paid')}${cell(words)}</table:table></office:chart>`;
	const { parts, refused } = await made(
		{
			'content.xml': content(sheet('What to write', 'Open books')),
			'Object 1/content.xml': content(chart('Sales in a year', 'Open books')),
		},
		'a.ods',
	);
	assert.deepEqual(refused, []);
	const body = parts.get('content.xml') ?? '';
	assert.match(
		body,
		/table:name="Kind of word".*table:title="WHAT TO WRITE".*table:name="Sales of books".*>Paid<.*>OPEN BOOKS</,
	);
	assert.equal(parts.get('Object 1/content.xml'), content(chart('SALES IN A YEAR', 'OPEN BOOKS')));
});

test('charts in sheets say what formatted cells say', async () => {
	const cell = (words: string) =>
		`<table:table-cell office:value-type="string"><text:p>${words}</text:p></table:table-cell>`;
	const { parts } = await made(
		{
			'content.xml': content(cell('Open <text:span text:style-name="b">books</text:span> now')),
			'Object 1/content.xml': content(
				`<office:chart><table:table>${cell('Open books now')}${cell('Other words')}</table:table></office:chart>`,
			),
		},
		'a.ods',
		'de',
		async (texts) =>
			texts.map((text) =>
				text.includes('<') ? text.replace(/Open|now/g, '«$&»') : text.toUpperCase(),
			),
	);
	assert.ok(parts.get('content.xml')?.includes('>«Open» <text:span'));
	assert.equal(
		parts.get('Object 1/content.xml'),
		content(
			`<office:chart><table:table>${cell('«Open» books «now»')}${cell('OTHER WORDS')}</table:table></office:chart>`,
		),
	);
});

test('tables that are embedded stay as they are: formulas compare with their cells', async () => {
	const table =
		'<office:document-content><office:spreadsheet><table:table-cell><text:p>Yes please</text:p></table:table-cell></office:spreadsheet></office:document-content>';
	const { parts, asked } = await made(
		{ 'content.xml': content('<text:p>Some words</text:p>'), 'Object 1/content.xml': table },
		'a.odt',
	);
	assert.deepEqual(asked, ['Some words']);
	assert.equal(parts.get('Object 1/content.xml'), table);
});

test('languages of East Asia and those read from the right are named where they are looked for; other languages stay', async () => {
	const properties = (western: string, asian: string, complex: string) =>
		`<style:text-properties fo:language="${western}" fo:country="US" style:language-asian="${asian}" style:country-asian="CN" style:language-complex="${complex}" style:country-complex="IN"/>`;
	const of = async (to: string) => {
		const { parts } = await made(
			{
				'content.xml': content(
					'<style:text-properties fo:language="fr" fo:country="FR"/><style:text-properties fo:language="en" fo:country="GB"/><text:p>Some words</text:p>',
				),
				'styles.xml': `<office:styles>${properties('en', 'zh', 'hi')}</office:styles>`,
			},
			'a.odt',
			to,
		);
		const marks = (name: string) =>
			[...(parts.get(name) ?? '').matchAll(/(?:language|country)(?:-\w+)?="(\w+)"/g)]
				.map(([, one]) => one)
				.join(' ');
		return [marks('styles.xml'), marks('content.xml')];
	};
	assert.deepEqual(await of('de-AT'), ['de AT zh CN hi IN', 'fr FR de AT']);
	assert.deepEqual(await of('ja-JP'), ['ja JP ja JP hi IN', 'fr FR ja JP']);
	assert.deepEqual(await of('ar'), ['ar none zh CN ar none', 'fr FR ar none']);
});

test('books: drawings in forms that are not read, or without words, stay as they are', async () => {
	const opf =
		'<package><metadata><dc:title>The house</dc:title></metadata><manifest><item href="a.svg" media-type="image/svg+xml"/><item href="b.svg" media-type="image/svg+xml"/></manifest></package>';
	const drawn =
		'<!DOCTYPE svg [<!ENTITY ns "http://example.org/">]><svg><text>Some words</text></svg>';
	const { parts, asked } = await made(
		{
			'META-INF/container.xml': '<container><rootfile full-path="p.opf"/></container>',
			...{ 'p.opf': opf, 'a.svg': drawn, 'b.svg': '<svg><path d="M0 0"/></svg>' },
		},
		'a.epub',
	);
	assert.deepEqual(asked, ['The house']);
	assert.equal(parts.get('a.svg'), drawn);
});

test('books: names of authors stay, titles of guides and drawn pages are translated, and all parts name their language', async () => {
	const opf = (title: string, language: string, reference: string, named: string) =>
		`<package xml:lang="${named}"><metadata><dc:title>${title}</dc:title><dc:creator>Rose Brown</dc:creator><dc:language>${language}</dc:language></metadata><manifest><item href="t.ncx" media-type="application/x-dtbncx+xml"/><item href="s.svg" media-type="image/svg+xml"/></manifest><guide><reference type="toc" title="${reference}" href="t.ncx"/></guide></package>`;
	const ncx = (entry: string, named: string) =>
		`<ncx xml:lang="${named}"><docAuthor><text>Rose Brown</text></docAuthor><navMap><navPoint id="First day"><navLabel><text>${entry}</text></navLabel></navPoint></navMap></ncx>`;
	const svg = (title: string, words: string) =>
		`<svg><style>text { fill: red }</style><title>${title}</title><text x="1">${words}</text><text><tspan>${words}</tspan></text></svg>`;
	const { parts, refused } = await made(
		{
			'META-INF/container.xml': '<container><rootfile full-path="p.opf"/></container>',
			'p.opf': opf('The house', 'en-GB', 'All pages', 'en'),
			't.ncx': ncx('The first day', 'en-GB'),
			's.svg': svg('A map', 'The way home'),
		},
		'a.epub',
	);
	assert.deepEqual(refused, []);
	assert.equal(parts.get('p.opf'), opf('THE HOUSE', 'de', 'ALL PAGES', 'de'));
	assert.equal(parts.get('t.ncx'), ncx('THE FIRST DAY', 'de'));
	assert.equal(parts.get('s.svg'), svg('A MAP', 'THE WAY HOME'));
});

test('books: a drawn text is one sentence with what is set off in it, lines with places are texts of their own', async () => {
	const opf =
		'<package><metadata><dc:title>The house</dc:title></metadata><manifest><item href="a.svg" media-type="image/svg+xml"/></manifest></package>';
	const drawn = (first: string, big: string, more: string, one: string, two: string) =>
		`<svg><title>${one}</title><text>${first} <tspan class="b">${big}</tspan> ${more}</text><text><tspan x="1">${one}</tspan><tspan x="2">${two}</tspan></text></svg>`;
	const { parts, asked, refused } = await made(
		{
			'META-INF/container.xml': '<container><rootfile full-path="p.opf"/></container>',
			...{ 'p.opf': opf, 'a.svg': drawn('Hello', 'big', 'world', 'Line one', 'Line two') },
		},
		'a.epub',
	);
	assert.deepEqual(refused, []);
	assert.equal(parts.get('a.svg'), drawn('HELLO', 'BIG', 'WORLD', 'LINE ONE', 'LINE TWO'));
	assert.deepEqual(
		asked.map((text) => text.replace(/<[^>]*>/g, '|')),
		['The house', 'Line one', 'Hello |big| world', 'Line one', 'Line two'],
	);
});
