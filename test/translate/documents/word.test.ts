/** Word: sentences go over runs, formatting moves with its words, everything else stays. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf, translated, wordFile } from './officeFiles.ts';

const p = (inner: string) => `<w:p>${inner}</w:p>`;
const r = (text: string, properties = '') =>
	`<w:r>${properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const made = async (body: string, ...rest: [Parameters<typeof translated>[2]?]) => {
	const done = await translated(await wordFile(body), 'a.docx', ...rest);
	return { ...done, body: bodyOf(done.parts.get('word/document.xml')) };
};

test('a sentence that is cut into runs is one sentence; runs that look the same become one', async () => {
	const cut = `<w:r w:rsidR="1"><w:rPr><w:lang w:val="en-US"/></w:rPr><w:t>The fi</w:t></w:r><w:proofErr w:type="spellStart"/><w:r w:rsidR="2"><w:t xml:space="preserve">le is </w:t></w:r><w:r><w:lastRenderedPageBreak/><w:t>open.</w:t></w:r>`;
	const { asked, body } = await made(p(`<w:pPr><w:jc w:val="both"/></w:pPr>${cut}`));
	assert.deepEqual(asked, ['The file is open.']);
	assert.equal(body, p(`<w:pPr><w:jc w:val="both"/></w:pPr>${r('THE FILE IS OPEN.')}`));
});

test('bold words and links move with their words', async () => {
	const link = '<w:hyperlink r:id="rId4" w:history="1">';
	const style = '<w:rStyle w:val="Hyperlink"/>';
	const { asked, body, refused } = await made(
		p(
			`${r('Read ')}${r('the file', '<w:b/>')}${r(' and ')}${link}${r('the list', style)}</w:hyperlink>${r('.')}`,
		),
		async (texts) =>
			texts.map((text) => text.replace(/^Read (.*) and (.*)\.$/, '$2 und $1 lesen.')),
	);
	assert.deepEqual(asked, ['Read <t1>the file</t1> and <t2>the list</t2>.']);
	assert.deepEqual(refused, []);
	assert.equal(
		body,
		p(
			`${link}${r('the list', style)}</w:hyperlink>${r(' und ')}${r('the file', '<w:b/>')}${r(' lesen.')}`,
		),
	);
});

test('tabs and line breaks end sentences and stay, inside of one run too', async () => {
	const run =
		'<w:r><w:rPr><w:i/></w:rPr><w:t>First name</w:t><w:tab/><w:t>Last name</w:t><w:br/><w:t>42</w:t></w:r>';
	const { asked, body } = await made(p(run));
	assert.deepEqual(asked, ['First name', 'Last name']);
	assert.equal(
		body,
		p(
			run
				.replace('<w:t>First name', '<w:t xml:space="preserve">FIRST NAME')
				.replace('<w:t>Last name', '<w:t xml:space="preserve">LAST NAME'),
		),
	);
});

test('footnote marks stay in their sentence, fields keep their results, links in fields are pairs', async () => {
	const note =
		'<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="2"/></w:r>';
	const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
	const code = (text: string) =>
		`<w:r><w:instrText xml:space="preserve"> ${text} </w:instrText></w:r>`;
	const page = `${mark('begin')}${code('PAGE')}${mark('separate')}${r('seven')}${mark('end')}`;
	const linked = `${mark('begin')}${code('HYPERLINK "https://a.b"')}${mark('separate')}`;
	const source = p(
		`${r('See')}${note}${r(' page ')}${page}${r(' and ')}${linked}${r('the site')}${mark('end')}${r(' now.')}`,
	);
	const { asked, body } = await made(source);
	assert.deepEqual(asked, ['See<t1/> page <t2/> and <t3>the site</t3> now.']);
	assert.equal(
		body,
		p(
			`${r('SEE')}${note}${r(' PAGE ')}${page}${r(' AND ')}${linked}${r('THE SITE')}${mark('end')}${r(' NOW.')}`,
		),
	);
});

test('what was deleted is not translated, what was added is, bookmarks stay around their words', async () => {
	const gone = '<w:del w:id="1" w:author="A"><w:r><w:delText>old words</w:delText></w:r></w:del>';
	const source = p(
		`<w:bookmarkStart w:id="0" w:name="_Ref1"/>${r('Figure one')}<w:bookmarkEnd w:id="0"/>${r(': The ')}${gone}<w:ins w:id="2" w:author="A">${r('new')}</w:ins>${r(' engine')}`,
	);
	const { asked, body } = await made(source);
	assert.equal(asked.length, 1);
	assert.match(
		body,
		/<w:bookmarkStart w:id="0" w:name="_Ref1"\/>.*FIGURE ONE.*<w:bookmarkEnd w:id="0"\/>/,
	);
	assert.ok(body.includes(gone), body);
	assert.match(
		body,
		/<w:ins w:id="2" w:author="A"><w:r><w:t xml:space="preserve">NEW<\/w:t><\/w:r><\/w:ins>/,
	);
});

test('a bookmark that crosses another one goes to the borders of the sentence', async () => {
	const at = (kind: string, id: number) =>
		`<w:bookmark${kind} w:id="${id}"${kind === 'Start' ? ` w:name="b${id}"` : ''}/>`;
	const { body, refused, asked } = await made(
		p(
			`${r('one ')}${at('Start', 1)}${r('two ')}${at('Start', 2)}${r('three ')}${at('End', 1)}${r('four')}${at('End', 2)}${r(' five')}`,
		),
	);
	assert.deepEqual(refused, []);
	assert.equal(asked.length, 1);
	for (const mark of [at('Start', 1), at('End', 1), at('Start', 2), at('End', 2)])
		assert.equal(body.split(mark).length, 2, mark);
});

test('tables, text boxes with both of their forms, and alternative texts are translated', async () => {
	const inBox = `<w:txbxContent>${p(r('In a box'))}</w:txbxContent>`;
	const box = `<w:r><mc:AlternateContent><mc:Choice>${inBox}</mc:Choice><mc:Fallback><w:pict>${inBox}</w:pict></mc:Fallback></mc:AlternateContent></w:r>`;
	const picture =
		'<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="A red &quot;house&quot;"/></wp:inline></w:drawing></w:r>';
	const { body, asked } = await made(
		`<w:tbl><w:tr><w:tc>${p(r('In a cell'))}</w:tc></w:tr></w:tbl>${p(`${box}${r('After it')}`)}${p(`${r('Before ')}${picture}${r(' behind')}`)}`,
	);
	assert.equal(body.split('IN A BOX').length, 3);
	assert.match(body, /IN A CELL.*AFTER IT.*descr="A RED &quot;HOUSE&quot;"/);
	assert.equal(asked.length, 6);
});

test('a translation that loses a mark or puts a link into a link is not written', async () => {
	const link = (id: string, text: string) => `<w:hyperlink r:id="${id}">${r(text)}</w:hyperlink>`;
	const source = p(
		`${r('Read ')}${link('a', 'one thing')}${r(' or ')}${link('b', 'another')}${r(' today')}`,
	);
	for (const broken of [
		'<t1>eins <t2>zwei</t2></t1> heute',
		'ohne Marken',
		'<t1>eins</t1> <t2>zwei',
	])
		assert.match(
			(
				await made(source, async (texts) =>
					texts.map((text) => (text.includes('<t1>') ? broken : text.toUpperCase())),
				)
			).body,
			/^<w:p><w:r><w:t xml:space="preserve">READ <\/w:t><\/w:r><w:hyperlink r:id="a"><w:r>.*ONE THING.*<\/w:hyperlink>.*OR.*<w:hyperlink r:id="b">.*ANOTHER.*TODAY/,
			broken,
		);
});

test('what XML has no place for does not come out of a model', async () => {
	const marked = await made(p(r('some words')), async () => ['a < b & c > d']);
	assert.equal(marked.body, p(r('a &lt; b &amp; c &gt; d')));
	const { body } = await made(p(r('some words')), async () => ['a\u0001\u0002\u0008 \ud800 d']);
	assert.equal(body, p(r('some words')));
});

test('parts without changes keep their bytes and their order; headers, notes and titles are translated', async () => {
	const ns = 'xmlns:w="w"';
	const more = {
		'word/vbaProject.bin': 'Sub Macro() some words',
		'word/footnotes.xml': `<w:footnotes ${ns}><w:footnote>${p(r('A note'))}</w:footnote></w:footnotes>`,
		'word/header1.xml': `<w:hdr ${ns}>${p(r('A header'))}</w:hdr>`,
		'word/styles.xml': `<w:styles ${ns}><w:rPr><w:lang w:val="en-US" w:eastAsia="ja-JP"/></w:rPr></w:styles>`,
		'docProps/core.xml':
			'<cp:p xmlns:dc="d" xmlns:cp="c"><dc:title>The title</dc:title><dc:creator>Ann Person</dc:creator><dc:language>en-US</dc:language></cp:p>',
	};
	const source = await wordFile(p(r('Some words')), more);
	const { parts, bytes } = await translated(source, 'a.docm');
	assert.deepEqual(
		[...parts.keys()],
		['[Content_Types].xml', 'word/document.xml', ...Object.keys(more)],
	);
	assert.equal(parts.get('word/vbaProject.bin'), more['word/vbaProject.bin']);
	assert.match(parts.get('word/footnotes.xml') ?? '', />A NOTE</);
	assert.match(parts.get('word/header1.xml') ?? '', />A HEADER</);
	assert.match(parts.get('word/styles.xml') ?? '', /<w:lang w:val="de" w:eastAsia="ja-JP"\/>/);
	assert.match(parts.get('docProps/core.xml') ?? '', />THE TITLE<.*>Ann Person<.*>de</);
	const unchanged = await translated(source, 'a.docm', async (texts) => texts);
	assert.deepEqual(Buffer.from(unchanged.bytes), Buffer.from(source));
	assert.ok(bytes.length > 0);
});

test('a word that is cut across runs is whole, and looks as its greater part does', async () => {
	const { asked, body } = await made(p(`${r('Sa')}${r('ve', '<w:b/>')}${r(' the file now.')}`));
	assert.deepEqual(asked, ['Save the file now.']);
	assert.equal(body, p(r('SAVE THE FILE NOW.')));
	const bold = await made(p(`${r('Open the D')}${r('ocument', '<w:b/>')}${r('s now.')}`));
	assert.deepEqual(bold.asked, ['Open the <t1>Documents</t1> now.']);
});

test('words in styles for code stay, in styles made from these as well', async () => {
	const style = (id: string, name: string, above = '') =>
		`<w:style w:styleId="${id}"><w:name w:val="${name}"/>${above && `<w:basedOn w:val="${above}"/>`}</w:style>`;
	const styles = `<w:styles xmlns:w="w">${style('HTMLVorformatiert', 'HTML Preformatted')}${style('Mine', 'Mine', 'HTMLVorformatiert')}${style('VerbatimChar', 'Verbatim Char')}${style('Loop', 'Loop', 'Loop')}</w:styles>`;
	const styled = (id: string, inner: string) =>
		`<w:p><w:pPr><w:pStyle w:val="${id}"/></w:pPr>${inner}</w:p>`;
	const code = styled('HTMLVorformatiert', r('git push now')) + styled('Mine', r('some more code'));
	const inline = r('your files', '<w:rStyle w:val="VerbatimChar"/>');
	const body = `${code}${styled('Loop', `${r('Type ')}${inline}${r(' to list them.')}`)}`;
	const { parts, asked, refused } = await translated(
		await wordFile(body, { 'word/styles.xml': styles }),
		'a.docx',
	);
	assert.deepEqual([asked, refused], [['Type <t1/> to list them.'], []]);
	const made = parts.get('word/document.xml') ?? '';
	assert.ok(made.includes(code), made);
	assert.match(made, /TYPE .*>your files<.* TO LIST THEM\./);
});
