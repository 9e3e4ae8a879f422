/** Fields that repeat words of other places, and lists of choices: they say what these say in the other language. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zipOf } from '../../support/zipOf.ts';
import { bodyOf, shout, translated, wordFile } from './officeFiles.ts';

const r = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (...runs: string[]) => `<w:p>${runs.join('')}</w:p>`;
const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
const code = (text: string) =>
	`<w:r><w:instrText xml:space="preserve"> ${text} </w:instrText></w:r>`;
const field = (instruction: string, ...result: string[]) =>
	mark('begin') + code(instruction) + mark('separate') + result.join('') + mark('end');

test('Word: references to headings say what the headings say, other fields keep their results', async () => {
	const body = (said: (text: string) => string) =>
		[
			p(r(said('How we work'))),
			p(
				r(said('As said in ')),
				field('REF _Ref1 \\h', r(said('How we work'))),
				r(said(', we like books.')),
			),
			p(
				r(said('See ')),
				`<w:fldSimple w:instr=" REF _Ref1 ">${r(said('How we work'))}</w:fldSimple>`,
				r(said(' above.')),
			),
			p(r(said('It rains: ')), field('IF 1 = 1 "take it" "leave it"', r('take it'))),
			p(r(said('Chapter ')), field('REF _Ref1 \\r \\h', r('Second one')), r(said(' says it.'))),
		].join('');
	const { parts, refused } = await translated(await wordFile(body((text) => text)), 'a.docx');
	assert.deepEqual(refused, []);
	assert.equal(
		bodyOf(parts.get('word/document.xml')),
		body((text) => shout(text)),
	);
});

test('Word: references whose words are in several runs say what the heading says', async () => {
	const bold = (text: string) =>
		`<w:r><w:rPr><w:b/><w:rFonts w:ascii="t"/></w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
	const body = (...words: readonly string[]) => {
		const [first = '', second = '', third = '', ...more] = words;
		const runs = [
			'<w:r><w:t/></w:r>',
			bold(first),
			'<w:proofErr w:type="spellStart"/>',
			r(second),
			r(third),
		];
		return [
			p(r('1'), field('REF _Ref1 \\h', ...runs)),
			p(`<w:fldSimple w:instr=" REF _Ref1 ">${runs.join('')}</w:fldSimple>`),
			// A tab is between two texts in headings, too.
			p(field('REF _Ref2 \\h', bold(more[0] ?? ''), '<w:r><w:tab/></w:r>', r(more[1] ?? ''))),
		].join('');
	};
	const { parts, asked, refused } = await translated(
		await wordFile(body('Overview ', 'of ', 'things ', 'Chapter one', 'How we work')),
		'a.docx',
	);
	assert.deepEqual(refused, []);
	assert.deepEqual(asked, [
		'Overview of things',
		'Overview of things',
		'Chapter one',
		'How we work',
	]);
	assert.equal(
		bodyOf(parts.get('word/document.xml')),
		body('OVERVIEW OF THINGS', '', ' ', 'CHAPTER ONE', 'HOW WE WORK'),
	);
});

test('Word: no words of a field are translated twice', async () => {
	const words = 'How we work';
	const bodies = [
		// Words beside a mark of a field are read as sentences, and so is the rest of such a paragraph.
		p(
			field('REF _Ref1', r(words)),
			`<w:r><w:t>More words</w:t><w:fldChar w:fldCharType="begin"/></w:r>`,
		),
		p(mark('begin'), code('REF _Ref1'), mark('separate'), r(words)) +
			p(r('Second line'), mark('end')),
		p(field(`IF 1 = 1`, field('REF _Ref1', r(words)))),
		p(field('REF _Ref1', `<w:fldSimple w:instr=" PAGE ">${r(words)}</w:fldSimple>`)),
		p(`<w:fldSimple w:instr=" REF _Ref1 ">${r(words)}${field('PAGE', r('of it'))}</w:fldSimple>`),
	];
	for (const body of bodies) {
		const { asked } = await translated(await wordFile(body), 'a.docx');
		assert.ok(!asked.some((text) => text !== '' && text === text.toUpperCase()), asked.join('\n'));
	}
});

test('OpenDocument: references to words and lists of choices are translated, those to numbers stay', async () => {
	const body = (said: (text: string) => string) =>
		`<text:p>${said('See ')}<text:bookmark-ref text:reference-format="text" text:ref-name="How we">${said('How we work')}</text:bookmark-ref>${said(' and ')}<text:bookmark-ref text:reference-format="chapter" text:ref-name="b">Second one</text:bookmark-ref>${said(' or ')}<text:drop-down text:name="Kind of it"><text:label text:value="${said('Red color')}"/><text:label text:current-selected="true" text:value="${said('Blue color')}"/>${said('Blue color')}</text:drop-down>${said(' here.')}</text:p>`;
	const content = (inner: string) => `<office:document-content>${inner}</office:document-content>`;
	const { parts, refused } = await translated(
		await zipOf({ mimetype: 'application/x', 'content.xml': content(body((text) => text)) }, [
			'mimetype',
		]),
		'a.odt',
	);
	assert.deepEqual(refused, []);
	assert.equal(parts.get('content.xml'), content(body((text) => shout(text))));
});
