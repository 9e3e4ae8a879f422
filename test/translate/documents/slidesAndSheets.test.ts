/** PowerPoint and Excel: text of shapes and cells; numbers, formulas and what they compare with stay. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zipOf } from '../../support/zipOf.ts';
import { contentTypes, translated } from './officeFiles.ts';

const a = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="p"';
const r = (text: string, properties = '<a:rPr lang="en-US" dirty="0"/>') =>
	`<a:r>${properties}<a:t>${text}</a:t></a:r>`;

test('slides: runs, breaks and fields; notes, charts, diagrams; prompts of layouts are never shown', async () => {
	const number = '<a:fld id="{1}" type="slidenum"><a:rPr lang="en-US"/><a:t>7</a:t></a:fld>';
	const shape = (inner: string, holder = '') =>
		`<p:sp><p:nvSpPr><p:cNvPr id="2" name="Title 1" descr="The shape"/><p:nvPr>${holder}</p:nvPr></p:nvSpPr><p:txBody><a:p>${inner}</a:p></p:txBody></p:sp>`;
	const slide = `<p:sld ${a}>${shape(`${r('Open ')}${r('the books', '<a:rPr lang="en-US" b="1"/>')}${r(' of all people')}<a:br/>${r('Slide ')}${number}<a:endParaRPr lang="en-US"/>`)}</p:sld>`;
	const layout = `<p:sldLayout ${a}>${shape(r('Click to edit'), '<p:ph type="title"/>')}${shape(r('Confidential paper'))}</p:sldLayout>`;
	const source = await zipOf({
		'[Content_Types].xml': contentTypes,
		'ppt/slides/slide1.xml': slide,
		'ppt/notesSlides/notesSlide1.xml': `<p:notes ${a}>${shape(r('Say hello'))}</p:notes>`,
		'ppt/slideLayouts/slideLayout1.xml': layout,
		'ppt/charts/chart1.xml': `<c:chart ${a} xmlns:c="c"><c:title><a:p>${r('Sales of books')}</a:p></c:title><c:v>Cached</c:v></c:chart>`,
	});
	const { parts, asked } = await translated(source, 'a.pptx');
	assert.ok(asked.includes('Open <t1>the books</t1> of all people'), asked.join('\n'));
	const made = parts.get('ppt/slides/slide1.xml') ?? '';
	const shouted = (text: string, more = '') =>
		`<a:r><a:rPr lang="de"${more}/><a:t>${text}</a:t></a:r>`;
	assert.ok(
		made.includes(
			`<a:p>${shouted('OPEN ')}${shouted('THE BOOKS', ' b="1"')}${shouted(' OF ALL PEOPLE')}<a:br/>${shouted('SLIDE ')}${number}<a:endParaRPr lang="en-US"/></a:p>`,
		),
		made,
	);
	assert.match(made, /descr="THE SHAPE"/);
	assert.match(parts.get('ppt/notesSlides/notesSlide1.xml') ?? '', />SAY HELLO</);
	assert.match(
		parts.get('ppt/slideLayouts/slideLayout1.xml') ?? '',
		/>Click to edit<.*>CONFIDENTIAL PAPER</,
	);
	assert.match(parts.get('ppt/charts/chart1.xml') ?? '', />SALES OF BOOKS<.*>Cached</);
});

test('slides: paragraphs whose properties are written again before each run are translated', async () => {
	const again = '<a:pPr indent="0"><a:buNone/></a:pPr>';
	const bold = '<a:rPr lang="en-US" b="1"/>';
	const slide = `<p:sld ${a}><p:txBody><a:p>${again}${r('Open the books', bold)}${again}${r(' of all')}</a:p></p:txBody></p:sld>`;
	const source = await zipOf({
		'[Content_Types].xml': contentTypes,
		'ppt/slides/slide1.xml': slide,
	});
	const { parts, refused } = await translated(source, 'a.pptx');
	assert.deepEqual(refused, []);
	const made = parts.get('ppt/slides/slide1.xml') ?? '';
	assert.match(made, /OPEN THE BOOKS.*OF ALL/);
	assert.equal(made.split(again).length, 3, made);
});

const cellParts = {
	'[Content_Types].xml': contentTypes,
	'xl/workbook.xml':
		'<workbook><sheets><sheet name="Sales of books"/></sheets><definedNames><definedName name="Kinds">{"Rare books"}</definedName></definedNames></workbook>',
	'xl/sharedStrings.xml': [
		'<sst xmlns="s"><si><t>Number of books</t></si>',
		'<si><r><rPr><b/></rPr><t>Open</t></r><r><rPr><sz val="9"/></rPr><t xml:space="preserve"> the file</t></r></si>',
		'<si><t>Paid</t></si><si><t>Item name</t></si><si><t>AB_123</t></si><si><t>TOTAL</t></si>',
		'<si><t>first line\nsecond line</t></si><si><t>Cheap things</t></si><si><t>rare books</t></si>',
		'<si><t>東京の本</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh><phoneticPr fontId="1"/></si></sst>',
	].join(''),
	'xl/worksheets/sheet1.xml':
		'<worksheet><c r="A1" t="s"><v>0</v></c><c r="B1" t="str"><f>IF(A1=&quot;Paid&quot;,1,2)</f><v>Some words</v></c><c r="C1" t="inlineStr"><is><t>Words in a cell</t></is></c><dataValidation><formula1>"Cheap things,Others"</formula1></dataValidation></worksheet>',
	'xl/tables/table1.xml':
		'<table><tableColumns><tableColumn id="1" name="Item name"/></tableColumns></table>',
	'xl/comments1.xml':
		'<comments xmlns="s"><authors><author>Ann Person</author></authors><commentList><comment><text><r><t>A remark here</t></r></text></comment></commentList></comments>',
};

test('sheets: strings and comments; names and numbers stay, and formulas are calculated anew', async () => {
	const { parts, asked, refused } = await translated(await zipOf(cellParts), 'a.xlsx');
	const made = parts.get('xl/sharedStrings.xml') ?? '';
	for (const words of ['NUMBER OF BOOKS', 'TOTAL', 'FIRST LINE\nSECOND LINE'])
		assert.ok(made.includes(`<t>${words}</t>`), made);
	assert.ok(asked.includes('first line') && asked.includes('<t1>Open</t1> the file'));
	assert.match(
		made,
		/<r><rPr><b\/><\/rPr><t xml:space="preserve">OPEN<\/t><\/r><r><rPr><sz val="9"\/>/,
	);
	assert.match(
		parts.get('xl/worksheets/sheet1.xml') ?? '',
		/<c r="B1" t="str"><f>IF\(A1=&quot;Paid&quot;,1,2\)<\/f><\/c>.*<is><t>WORDS IN A CELL</,
	);
	assert.match(parts.get('xl/comments1.xml') ?? '', />Ann Person<.*>A REMARK HERE</);
	assert.equal(
		parts.get('xl/workbook.xml'),
		cellParts['xl/workbook.xml'].replace(
			'</definedNames>',
			'</definedNames><calcPr fullCalcOnLoad="1"/>',
		),
	);
	assert.deepEqual(refused, []);
});

test('sheets: a workbook without formulas, or of which nothing is translated, is calculated as before', async () => {
	const workbook = '<workbook><sheets/><calcPr calcId="1" fullCalcOnLoad="0"/></workbook>';
	const file = (cell: string, words: string) =>
		zipOf({
			'[Content_Types].xml': contentTypes,
			'xl/workbook.xml': workbook,
			'xl/worksheets/sheet1.xml': `<worksheet><c r="A1" t="inlineStr"><is><t>${words}</t></is></c>${cell}</worksheet>`,
		});
	const formula = '<c r="B1"><f>LEN(A1)</f><v>14</v></c>';
	const made = async (source: Uint8Array) =>
		(await translated(source, 'a.xlsx')).parts.get('xl/workbook.xml');
	assert.equal(await made(await file('<c r="B1"><v>14</v></c>', 'Words in a cell')), workbook);
	assert.equal(await made(await file(formula, 'AB_1')), workbook);
	assert.equal(
		await made(await file(formula, 'Words in a cell')),
		'<workbook><sheets/><calcPr fullCalcOnLoad="1" calcId="1"/></workbook>',
	);
});

test('sheets: texts that stand in their cells without more are translated, results of formulas for several cells are not', async () => {
	const cells = [
		'<c r="A1" t="str"><v>Open the file &amp; read</v></c>',
		'<c r="B1" t="str"><f t="array" ref="B1:B2">A1:A2</f><v>Open the file</v></c>',
		'<c r="B2" t="str"><v>Close the file</v></c><c r="B3" t="str"><v>Save it all</v></c>',
	];
	const { parts, refused } = await translated(
		await zipOf({
			'[Content_Types].xml': contentTypes,
			'xl/workbook.xml': '<workbook/>',
			'xl/worksheets/sheet1.xml': `<worksheet>${cells.join('')}</worksheet>`,
		}),
		'a.xlsx',
	);
	assert.deepEqual(refused, []);
	assert.equal(
		parts.get('xl/worksheets/sheet1.xml'),
		'<worksheet><c r="A1" t="str"><v>OPEN THE FILE &amp; READ</v></c><c r="B1" t="str"><f t="array" ref="B1:B2">A1:A2</f></c><c r="B2" t="str"><v>Close the file</v></c><c r="B3" t="str"><v>SAVE IT ALL</v></c></worksheet>',
	);
});

test('sheets: what formulas, tables, lists and filters compare with stays as it is', async () => {
	const { parts } = await translated(await zipOf(cellParts), 'a.xlsx');
	const made = parts.get('xl/sharedStrings.xml') ?? '';
	for (const words of ['Paid', 'Item name', 'AB_123', 'Cheap things', 'rare books'])
		assert.ok(made.includes(`<t>${words}</t>`), words);
});

test('sheets: so does what formulas look for with conditions, with stars and inside of cells', async () => {
	const words = ['Done', 'Two days late', 'Error of type 3', 'Late', 'All the rest', 'On time'];
	const { parts } = await translated(
		await zipOf({
			...cellParts,
			'xl/sharedStrings.xml': `<sst xmlns="s">${words.map((one) => `<si><t>${one}</t></si>`).join('')}</sst>`,
			'xl/worksheets/sheet1.xml':
				'<worksheet><f>COUNTIF(A:A,"&lt;&gt;Done")</f><f>COUNTIF(A:A,"*late*")</f><f>LEFT(A1,5)="ERROR"</f><f>IF(A1="","",A1&amp;"t")</f><customFilter val="=On time"/></worksheet>',
		}),
		'a.xlsx',
	);
	const made = parts.get('xl/sharedStrings.xml') ?? '';
	assert.deepEqual(
		[...made.matchAll(/<t>([^<]*)</g)].map(([, one]) => one),
		[...words.slice(0, 4), 'ALL THE REST', 'On time'],
	);
});

test('sheets: readings of Japanese words go with the words', async () => {
	const { parts } = await translated(
		await zipOf(cellParts),
		'a.xlsx',
		async (texts) => texts.map((text) => (text === '東京の本' ? 'Books of Tokyo' : text)),
		'en',
	);
	const made = parts.get('xl/sharedStrings.xml') ?? '';
	assert.ok(made.endsWith('<si><t>Books of Tokyo</t></si></sst>'), made.slice(-200));
});

test('sheets: what cells ask for and complain of is translated, as long as Excel opens it', async () => {
	const validation =
		'<dataValidation type="list" promptTitle="Kind of book" prompt="Choose a &quot;kind&quot; here" errorTitle="Not a kind" error="Choose one of the list"><formula1>"Cheap things,Others"</formula1></dataValidation>';
	const sheet = `<worksheet><c r="A1" t="s"><v>0</v></c><dataValidations>${validation}</dataValidations></worksheet>`;
	const file = await zipOf({ ...cellParts, 'xl/worksheets/sheet1.xml': sheet });
	const long = 'A title that Excel would have to repair';
	const { parts, refused } = await translated(file, 'a.xlsx', async (texts) =>
		texts.map((text) => (text === 'Not a kind' ? long : text.toUpperCase())),
	);
	assert.equal(
		parts.get('xl/worksheets/sheet1.xml'),
		sheet
			.replace('Kind of book', 'KIND OF BOOK')
			.replace('Choose a &quot;kind&quot; here', 'CHOOSE A &quot;KIND&quot; HERE')
			.replace('Choose one of the list', 'CHOOSE ONE OF THE LIST'),
	);
	assert.ok(refused.includes('Not a kind'), String(refused));
});
