/** Office and OpenDocument files in Arabic and Hebrew are read from the right, where all of their words are translated. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runDocumentJob } from '../../../server/translate/documents/documentJob.ts';
import { zipOf } from '../../support/zipOf.ts';
import { inEnglish } from '../inEnglish.ts';
import { bodyOf, contentTypes, textsOf, wordFile } from './officeFiles.ts';

const translator = inEnglish(async (texts) =>
	texts.map((text) =>
		text.includes('%s') ? 'x' : text.replace(/(<[^<>]*>)|[A-Za-z]+/g, (_, tag) => tag ?? 'كلمة'),
	),
);
async function made(bytes: Uint8Array, fileName: string, to = 'ar') {
	const job = { fileName, text: '', bytes, to, from: 'en' };
	const done = await runDocumentJob(job, translator);
	assert.ok(done.type === 'file');
	return textsOf(done.result.bytes, fileName);
}

test('Word: paragraphs, words, tables and pages, in the order of its schema; code stays as it is', async () => {
	const body = (
		[first, second]: readonly [string, string],
		{ paragraph = '', run = '', runs = '', cell = '', table = '', page = '' },
	) =>
		[
			`<w:p><w:pPr><w:keepNext/>${paragraph}<w:jc w:val="left"/></w:pPr><w:r><w:rPr><w:b/>${run}<w:em w:val="dot"/></w:rPr><w:t xml:space="preserve">${first}</w:t></w:r></w:p>`,
			`<w:tbl><w:tblPr><w:tblStyle w:val="a"/>${table}<w:tblW w:w="0"/></w:tblPr><w:tr><w:tc><w:p>${cell}<w:r>${runs}<w:t xml:space="preserve">${second}</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`,
			'<w:p><w:pPr/><w:r><w:t>x=1</w:t></w:r></w:p><w:p/>',
			`<w:sectPr><w:pgSz w:w="1"/>${page}<w:docGrid w:linePitch="1"/></w:sectPr>`,
		].join('');
	const file = await wordFile(body(['Open it', 'First cell'], {}));
	const turned = {
		...{
			paragraph: '<w:bidi/>',
			run: '<w:bCs/><w:rtl/>',
			page: '<w:bidi/>',
			table: '<w:bidiVisual/>',
		},
		...{ cell: '<w:pPr><w:bidi/></w:pPr>', runs: '<w:rPr><w:rtl/></w:rPr>' },
	};
	const words = ['كلمة كلمة', 'كلمة كلمة'] as const;
	for (const to of ['ar', 'he', 'fa-IR'])
		assert.equal(
			bodyOf((await made(file, 'a.docx', to)).get('word/document.xml')),
			body(words, turned),
		);
	assert.equal(
		bodyOf((await made(file, 'a.docx', 'ru')).get('word/document.xml')),
		body(words, {}),
	);
	// A text that stayed is read from the left.
	const partly = await wordFile(body(['Open it', 'Bad %s cell'], {}));
	assert.doesNotMatch(
		bodyOf((await made(partly, 'a.docx')).get('word/document.xml')),
		/<w:(?:bidi|rtl)/,
	);
});

test('Word: fonts, sizes, bold and italics of Latin letters are those of letters from the right', async () => {
	const run = (
		fonts: string,
		bold: string,
		italic: string,
		size: string,
		mark = '',
		said = 'Open',
	) =>
		`<w:p>${mark && '<w:pPr><w:bidi/></w:pPr>'}<w:r><w:rPr><w:rFonts w:ascii="A&amp;B"${fonts}/><w:b w:val="0"/>${bold}<w:i/>${italic}<w:sz w:val="40"/>${size}${mark}</w:rPr><w:t xml:space="preserve">${said}</w:t></w:r></w:p>`;
	const file = await wordFile(run('', '', '', '') + run(' w:cs="C"', '', '', ''));
	const forms = ['<w:bCs w:val="0"/>', '<w:iCs/>', '<w:szCs w:val="40"/>', '<w:rtl/>'] as const;
	assert.equal(
		bodyOf((await made(file, 'a.docx')).get('word/document.xml')),
		run(' w:cs="A&amp;B"', ...forms, 'كلمة') + run(' w:cs="C"', ...forms, 'كلمة'),
	);
});

test('slides: paragraphs, tables and the levels of masters', async () => {
	const slide = (first: string, second: string, table: string, words: string) =>
		`<p:sld xmlns:a="a" xmlns:p="p"><a:p>${first}<a:r><a:t>${words}</a:t></a:r></a:p><a:tbl><a:tblPr${table}/><a:p>${second}<a:r><a:t>${words}</a:t></a:r></a:p></a:tbl></p:sld>`;
	const master = (level: string, centred: string) =>
		`<p:sldMaster xmlns:a="a" xmlns:p="p"><p:bodyStyle><a:lvl1pPr ${level}><a:buNone/></a:lvl1pPr><a:lvl2pPr ${centred}/></p:bodyStyle></p:sldMaster>`;
	const parts = await made(
		await zipOf({
			'[Content_Types].xml': contentTypes,
			'ppt/slides/slide1.xml': slide('', '<a:pPr algn="l" lvl="1"/>', ' firstRow="1"', 'Open it'),
			'ppt/slideMasters/slideMaster1.xml': master('algn="l" rtl="0"', 'algn="ctr"'),
			'ppt/diagrams/data1.xml': '<d xmlns:a="a"><a:p><a:r><a:t>Open it</a:t></a:r></a:p></d>',
		}),
		'a.pptx',
	);
	assert.equal(
		parts.get('ppt/slides/slide1.xml'),
		slide(
			'<a:pPr rtl="1"/>',
			'<a:pPr algn="r" lvl="1" rtl="1"/>',
			' firstRow="1" rtl="1"',
			'كلمة كلمة',
		),
	);
	assert.match(parts.get('ppt/diagrams/data1.xml') ?? '', /<a:p><a:pPr rtl="1"\/><a:r>/);
	assert.equal(
		parts.get('ppt/slideMasters/slideMaster1.xml'),
		master('algn="r" rtl="1"', 'algn="ctr" rtl="1"'),
	);
});

test('workbooks: every sheet, also one that says nothing of how it is shown', async () => {
	const sheet = (view: string) =>
		`<worksheet><dimension ref="A1"/>${view}<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData></worksheet>`;
	const view = (more: string) =>
		`<sheetViews><sheetView tabSelected="1" workbookViewId="0"${more}/></sheetViews>`;
	const parts = await made(
		await zipOf({
			'[Content_Types].xml': contentTypes,
			'xl/workbook.xml': '<workbook/>',
			'xl/sharedStrings.xml': '<sst><si><t>Open it</t></si></sst>',
			'xl/worksheets/sheet1.xml': sheet(view('')),
			'xl/worksheets/sheet2.xml': sheet(''),
		}),
		'a.xlsx',
	);
	assert.equal(parts.get('xl/worksheets/sheet1.xml'), sheet(view(' rightToLeft="1"')));
	assert.equal(
		parts.get('xl/worksheets/sheet2.xml'),
		sheet('<sheetViews><sheetView workbookViewId="0" rightToLeft="1"/></sheetViews>'),
	);
});

test('OpenDocument: styles of pages, tables and paragraphs', async () => {
	const code = (first: string, second: string) =>
		`<style:style style:name="Preformatted_20_Text" style:family="paragraph"><style:paragraph-properties fo:margin="0"${first}/></style:style><style:style style:name="P1" style:parent-style-name="Preformatted_20_Text">${second}<style:text-properties/></style:style>`;
	const styles = (mode: string, more: string, ofCode: string) =>
		`<office:document-styles>${ofCode}<style:default-style style:family="paragraph"><style:paragraph-properties fo:margin="0"${more}/></style:default-style><style:style style:family="paragraph"><style:paragraph-properties fo:margin="1"/></style:style><style:style style:family="table"><style:table-properties table:display="true" style:writing-mode="${mode}"/></style:style><style:page-layout><style:page-layout-properties fo:page-width="1"${more}/></style:page-layout></office:document-styles>`;
	const file = await zipOf(
		{
			mimetype: 'application/x',
			'content.xml': '<office:document-content><text:p>Open it</text:p></office:document-content>',
			'styles.xml': styles('lr-tb', '', code('', '')),
		},
		['mimetype'],
	);
	for (const name of ['a.odt', 'a.ods', 'a.odp'])
		assert.equal(
			(await made(file, name)).get('styles.xml'),
			styles(
				'rl-tb',
				' style:writing-mode="rl-tb"',
				code(
					' style:writing-mode="lr-tb"',
					'<style:paragraph-properties style:writing-mode="lr-tb"/>',
				),
			),
		);
});
