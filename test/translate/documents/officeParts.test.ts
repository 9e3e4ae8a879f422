/** What readers see of Office files beside their paragraphs and cells: charts, hints, watermarks, headers of pages. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openArchive } from '../../../server/translate/documents/archives/archiveDocuments.ts';
import { translatePieces } from '../../../server/translate/documents/translateDocument.ts';
import { zipOf } from '../../support/zipOf.ts';
import { bodyOf, contentTypes, translated, wordFile } from './officeFiles.ts';

const r = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (...runs: string[]) => `<w:p>${runs.join('')}</w:p>`;

const series = (holder: string, ...texts: string[]) =>
	`<c:${holder}>${texts.map((text, at) => `<c:pt idx="${at}"><c:v>${text}</c:v></c:pt>`).join('')}</c:${holder}>`;
const ref = (place: string, inner: string) => `<c:strRef><c:f>${place}</c:f>${inner}</c:strRef>`;
const chart = `<c:chartSpace xmlns:c="c"><c:chart><c:ser><c:tx>${ref('Sheet1!$B$1', series('strCache', 'Printed books'))}</c:tx><c:cat>${ref("'First quarter'!$A$2:$A$3", series('strCache', 'First quarter', 'AB_1'))}</c:cat><c:val><c:numRef>${series('numCache', '4')}</c:numRef></c:val></c:ser><c:ser><c:tx><c:v>Old books</c:v></c:tx></c:ser></c:chart></c:chartSpace>`;
const shoutedChart = chart
	.replace('<c:v>First quarter', '<c:v>FIRST QUARTER')
	.replace('Old books', 'OLD BOOKS');

test('names of series and categories are translated in charts, in workbooks only where their cells are', async () => {
	const names: Readonly<Record<string, string>> = { pptx: 'ppt', docx: 'word' };
	for (const [ending, folder] of Object.entries(names)) {
		const { parts, refused } = await translated(
			await zipOf({
				'[Content_Types].xml': contentTypes,
				[`${folder}/charts/chart1.xml`]: chart,
				[`${folder}/charts/chartEx1.xml`]:
					'<cx:chartData xmlns:cx="cx"><cx:strDim type="cat"><cx:f>A2</cx:f><cx:lvl><cx:pt idx="0">First part</cx:pt></cx:lvl></cx:strDim><cx:tx><cx:txData><cx:f>A1</cx:f><cx:v>All parts</cx:v></cx:txData></cx:tx></cx:chartData>',
				[`${folder}/drawings/drawing1.xml`]:
					'<c:userShapes xmlns:c="c" xmlns:a="a"><a:p><a:r><a:t>Words over a chart</a:t></a:r></a:p></c:userShapes>',
			}),
			`a.${ending}`,
		);
		assert.deepEqual(refused, []);
		const all = shoutedChart.replace('Printed books', 'PRINTED BOOKS');
		assert.equal(parts.get(`${folder}/charts/chart1.xml`), all);
		assert.match(
			parts.get(`${folder}/charts/chartEx1.xml`) ?? '',
			/<cx:f>A2<.*>FIRST PART<.*<cx:f>A1<.*>ALL PARTS</,
		);
		assert.match(parts.get(`${folder}/drawings/drawing1.xml`) ?? '', />WORDS OVER A CHART</);
	}
	const table =
		'<table><tableColumns><tableColumn id="1" name="Printed books"/></tableColumns></table>';
	const { parts } = await translated(
		await zipOf({
			'[Content_Types].xml': contentTypes,
			'xl/workbook.xml': '<workbook/>',
			'xl/tables/table1.xml': table,
			'xl/sharedStrings.xml':
				'<sst><si><t>Printed books</t></si><si><t>First quarter</t></si></sst>',
			'xl/charts/chart1.xml': chart,
		}),
		'a.xlsx',
	);
	assert.equal(parts.get('xl/charts/chart1.xml'), shoutedChart);
	assert.match(parts.get('xl/sharedStrings.xml') ?? '', />Printed books<.*>FIRST QUARTER</);
});

test('Word: hints of links, choices of lists, watermarks and descriptions of tables and old shapes are translated', async () => {
	const item = (said: string, value: string) =>
		`<w:listItem w:displayText="${said}" w:value="${value}"/>`;
	const items = `${item('Red color', 'red color')}${item('Blue color', 'b')}${item('Bluish color', 'c')}`;
	const body = [
		p(
			r('See '),
			`<w:hyperlink r:id="r1" w:tooltip="Go to our site">${r('our site')}</w:hyperlink>`,
		),
		`<w:sdt><w:sdtPr><w:tag w:val="Red color"/><w:dropDownList>${items}</w:dropDownList></w:sdtPr><w:sdtContent>${p(r('Red color'))}</w:sdtContent></w:sdt>`,
		`<w:tbl><w:tblPr><w:tblStyle w:val="Our table"/><w:tblCaption w:val="Our books"/><w:tblDescription w:val="All &quot;new&quot; books"/></w:tblPr></w:tbl>`,
		p(
			'<w:r><w:pict><v:shape id="Power Plus" alt="A mark"><v:textpath style="a b" string="TOP secret"/></v:shape></w:pict></w:r>',
		),
	].join('');
	const { parts, refused } = await translated(await wordFile(body), 'a.docx', async (texts) =>
		texts.map((text) => (text === 'Bluish color' ? 'BLUE COLOR' : text.toUpperCase())),
	);
	assert.deepEqual(refused, ['Bluish color']);
	const made = bodyOf(parts.get('word/document.xml'));
	for (const kept of ['w:tooltip="GO TO OUR SITE"', 'OUR SITE<', '<w:tag w:val="Red color"/>'])
		assert.ok(made.includes(kept), made);
	// Two choices with one name would be a list that Word cannot read.
	const shouted = `${item('RED COLOR', 'red color')}${item('BLUE COLOR', 'b')}${item('Bluish color', 'c')}`;
	assert.ok(made.includes(shouted), made);
	assert.match(made, /<w:tblStyle w:val="Our table"\/><w:tblCaption w:val="OUR BOOKS"\/>/);
	assert.ok(made.includes('w:val="ALL &quot;NEW&quot; BOOKS"'), made);
	assert.match(made, /id="Power Plus" alt="A MARK"><v:textpath style="a b" string="TOP SECRET"/);
});

test('Word: a list of choices around a cell of a table is read once', async () => {
	const choice = `<w:sdt><w:sdtPr><w:dropDownList><w:listItem w:displayText="Not started" w:value="1"/></w:dropDownList></w:sdtPr><w:sdtContent><w:tc>${p(r('Not started'))}</w:tc></w:sdtContent></w:sdt>`;
	const body = `<w:tbl><w:tr>${choice}</w:tr></w:tbl>`;
	const twice = async (texts: readonly string[]) => texts.map((text) => `${text} once`);
	const { parts } = await translated(await wordFile(body), 'a.docx', twice);
	assert.match(bodyOf(parts.get('word/document.xml')), /<w:t[^>]*>Not started once<\/w:t>/);
});

test('Word: hyphens and readings are parts of words', async () => {
	const ruby = `<w:r><w:ruby><w:rubyPr/><w:rt>${r('とうきょう')}</w:rt><w:rubyBase>${r('東京')}</w:rubyBase></w:ruby></w:r>`;
	const body = [
		p(
			r('An ex'),
			'<w:r><w:softHyphen/></w:r>',
			r('ample of a well'),
			'<w:r><w:noBreakHyphen/></w:r>',
			r('known book'),
		),
		p(ruby, r('の図書館です')),
	].join('');
	const { parts, asked, refused } = await translated(
		await wordFile(body),
		'a.docx',
		async (texts) =>
			texts.map((text) => (text.startsWith('東京') ? 'The library of Tokyo' : text.toUpperCase())),
	);
	assert.deepEqual(refused, []);
	assert.deepEqual(asked, ['An example of a well-known book', '東京の図書館です']);
	assert.equal(
		bodyOf(parts.get('word/document.xml')),
		p(r('AN EXAMPLE OF A WELL-KNOWN BOOK')) + p(r('The library of Tokyo')),
	);
});

test('Word: a table of contents in one paragraph says what its headings say', async () => {
	const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
	const code = '<w:r><w:instrText> TOC \\o "1-3" </w:instrText></w:r>';
	const entry = (words: string) =>
		p(mark('begin'), code, mark('separate'), r(words), '<w:r><w:tab/></w:r>', r('1'), mark('end'));
	const { parts } = await translated(
		await wordFile(entry('How we work') + p(r('How we work'))),
		'a.docx',
	);
	assert.equal(bodyOf(parts.get('word/document.xml')), entry('HOW WE WORK') + p(r('HOW WE WORK')));
});

test('Word: languages of East Asia and those read from the right are named where Word looks for them', async () => {
	const styles = '<w:styles xmlns:w="w"><w:lang w:val="en-US" w:eastAsia="zh-CN"/></w:styles>';
	const settings = '<w:settings xmlns:w="w"><w:themeFontLang w:val="en-US"/></w:settings>';
	const source = await wordFile(p(r('Some words')), {
		'word/styles.xml': styles,
		'word/settings.xml': settings,
	});
	const made = async (to: string) => {
		const { parts } = await translated(source, 'a.docx', undefined, to);
		return ['styles', 'settings'].map(
			(name) => /<w:(?:l|th)[^>]*>/.exec(parts.get(`word/${name}.xml`) ?? '')?.[0],
		);
	};
	assert.deepEqual(await made('de'), [
		'<w:lang w:val="de" w:eastAsia="zh-CN"/>',
		'<w:themeFontLang w:val="de"/>',
	]);
	assert.deepEqual(await made('ja'), [
		'<w:lang w:val="ja" w:eastAsia="ja"/>',
		'<w:themeFontLang w:val="ja" w:eastAsia="ja"/>',
	]);
	assert.deepEqual(await made('ar'), [
		'<w:lang w:val="ar" w:eastAsia="zh-CN" w:bidi="ar"/>',
		'<w:themeFontLang w:val="ar" w:bidi="ar"/>',
	]);
});

test('sheets: headers and footers keep their codes; hints of links and comments of other programs are translated', async () => {
	const header = (left: string, page: string, of: string) =>
		`<oddHeader>&amp;L&amp;"Arial,Bold"${left}&amp;C${page} &amp;P ${of} &amp;N&amp;R&amp;K0000FFcopy&amp;D</oddHeader>`;
	const footer = (words: string) =>
		`<oddFooter>&amp;C&amp;12${words}&amp;K01+000 R&amp;&amp;D</oddFooter>`;
	const sheet = (top: string, low: string, hint: string, last: string) =>
		`<worksheet><hyperlinks><hyperlink ref="A1" location="'Sales of books'!A1" display="Sales of books" tooltip="${hint}"/></hyperlinks><headerFooter>${top}${low}<firstFooter>${last}</firstFooter></headerFooter></worksheet>`;
	const comments = (words: string) =>
		`<comments><commentList><comment><text><r><t>${words}</t></r></text></comment></commentList></comments>`;
	const source = await zipOf({
		'[Content_Types].xml': contentTypes,
		'xl/workbook.xml': '<workbook/>',
		'xl/comments/comment1.xml': comments('A remark here'),
		'xl/worksheets/sheet1.xml': sheet(
			header('Our report', 'Page', 'of'),
			footer('For readers'),
			'Go there',
			'Long words',
		),
	});
	const { parts, asked, refused } = await translated(source, 'a.xlsx', async (texts) =>
		texts.map((text) => {
			if (text.startsWith('For readers')) return text.replace('For readers', '3 readers');
			if (text === 'Long words') return 'Words that go on. '.repeat(20);
			return text.replace(/(<[^<>]*>)|[^<]+/g, (own, tag?: string) => tag ?? own.toUpperCase());
		}),
	);
	assert.ok(asked.includes('Page <t1/> of'), asked.join('\n'));
	assert.equal(
		parts.get('xl/worksheets/sheet1.xml'),
		sheet(
			header('OUR REPORT', 'PAGE', 'OF').replace('copy', 'COPY'),
			footer('For readers'),
			'GO THERE',
			'Long words',
		),
	);
	// A number after a size is a part of the size, and Excel repairs what is longer than 255 characters.
	assert.equal(refused.length, 2, String(refused));
	assert.equal(
		parts.get('xl/comments/comment1.xml'),
		comments('A REMARK HERE').replace('<t>', '<t xml:space="preserve">'),
	);
});

test('sheets: cells without words of their own are left out of what is read for headers, and stay', async () => {
	const cells = Array.from(
		{ length: 50 },
		(_, at) => `<row r="${at}"><c r="A${at}"><v>1</v></c></row>`,
	);
	for (const prefix of ['', 'x:']) {
		const sheet = (words: string) =>
			`<worksheet><sheetPr/><${prefix}sheetData>${cells.join('')}</${prefix}sheetData><${prefix}headerFooter><${prefix}oddHeader>&amp;C${words}</${prefix}oddHeader></${prefix}headerFooter></worksheet>`;
		const source = await zipOf({
			'[Content_Types].xml': contentTypes,
			'xl/workbook.xml': '<workbook/>',
			'xl/worksheets/sheet1.xml': sheet('Our report'),
		});
		const { text } = await openArchive(source, 'a.xlsx');
		assert.ok(!text.includes('<row'), text);
		const { parts } = await translated(source, 'a.xlsx');
		assert.equal(parts.get('xl/worksheets/sheet1.xml'), sheet('OUR REPORT'));
	}
});

test('Word: hints of links of pictures are translated, and a choice that is shown says what the list says', async () => {
	const body = (hint: string, choice: string, before: string, after: string) =>
		p(
			r(`${before} `),
			`<w:sdt><w:sdtPr><w:comboBox><w:listItem w:displayText="${choice}" w:value="v"/></w:comboBox></w:sdtPr><w:sdtContent><w:r><w:rPr><w:b/></w:rPr><w:t>${choice}</w:t></w:r></w:sdtContent></w:sdt>`,
			r(` ${after}.`),
			`<w:r><w:drawing><wp:docPr id="1" name="Picture one"><a:hlinkClick r:id="r1" tooltip="${hint}"/></wp:docPr></w:drawing></w:r>`,
		);
	const { parts, asked, refused } = await translated(
		await wordFile(body('Go to it', 'Yes please', 'Choose', 'here now')),
		'a.docx',
	);
	assert.deepEqual(refused, []);
	assert.equal(
		bodyOf(parts.get('word/document.xml')),
		body('GO TO IT', 'YES PLEASE', 'CHOOSE', 'HERE NOW'),
	);
	assert.equal(asked.filter((text) => text === 'Yes please').length, 2);
});

test("Excel: lines of a page's header are texts of their own however they end, and what gets too long is said to", async () => {
	const part = (header: string) =>
		`<worksheet><sheetData/><headerFooter><oddHeader>${header}</oddHeader></headerFooter></worksheet>`;
	const of = async (header: string, translate?: Parameters<typeof translated>[2]) =>
		translated(
			await zipOf({
				'[Content_Types].xml': contentTypes,
				'xl/workbook.xml': '<workbook/>',
				'xl/worksheets/sheet1.xml': part(header),
			}),
			'a.xlsx',
			translate,
		);
	const header = '&amp;CFirst line here_x000D_Second one&#10;Third one_x000a_&amp;RLast one';
	const { parts, refused } = await of(header);
	assert.deepEqual(refused, []);
	assert.equal(
		parts.get('xl/worksheets/sheet1.xml'),
		part('&amp;CFIRST LINE HERE_x000D_SECOND ONE&#10;THIRD ONE_x000a_&amp;RLAST ONE'),
	);
	const long = await openArchive(
		await zipOf({
			'[Content_Types].xml': contentTypes,
			'xl/workbook.xml': '<workbook/>',
			'xl/worksheets/sheet1.xml': part('&amp;CSome words'),
		}),
		'a.xlsx',
	);
	const { refusedAt } = await translatePieces(
		long.text,
		long.extract,
		async (texts) => texts.map((text) => `${text} `.repeat(40)),
		'de',
	);
	assert.deepEqual(
		refusedAt.map(({ why }) => why),
		['it would be longer than the 255 characters that Excel opens'],
	);
});

test('charts of workbooks say what the cells say, however these are formatted', async () => {
	const strings = (cell: string, lines: string) =>
		`<sst><si><r><rPr><b/></rPr><t xml:space="preserve">${cell}</t></r></si><si><t>${lines}</t></si><si><t>Own name</t></si></sst>`;
	const cached = (first: string, second: string, third: string) =>
		`<c:chartSpace xmlns:c="c"><c:ser><c:cat>${ref('A1:A3', series('strCache', first, second, third))}</c:cat></c:ser></c:chartSpace>`;
	const { parts } = await translated(
		await zipOf({
			'[Content_Types].xml': contentTypes,
			'xl/workbook.xml': '<workbook/>',
			'xl/sharedStrings.xml': strings('Printed &amp; bound books', 'First line\nof two'),
			'xl/charts/chart1.xml': cached(
				'Printed &amp; bound books',
				'First line\nof two',
				'Third one',
			),
		}),
		'a.xlsx',
		// A model that makes another thing of the lines, one by one and together.
		async (texts) =>
			texts.map((text) => `${text.toUpperCase().replace('&AMP;', '&amp;')} ${texts.length}`),
	);
	const [, one = '', two = ''] =
		/preserve">([^<]*)<.*<si><t>(FIRST[^<]*)<\/t>/s.exec(parts.get('xl/sharedStrings.xml') ?? '') ??
		[];
	assert.match(two, /^FIRST LINE.*\nOF TWO/);
	const chart = parts.get('xl/charts/chart1.xml') ?? '';
	const third = /<c:v>(THIRD[^<]*)</.exec(chart)?.[1] ?? '';
	assert.equal(chart, cached(one, two, third));
});
