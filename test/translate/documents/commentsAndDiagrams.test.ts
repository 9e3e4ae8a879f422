/** Comments of Excel that are answered in threads, and SmartArt of PowerPoint: their texts are translated, the rest stays. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zipOf } from '../../support/zipOf.ts';
import { contentTypes, shout, translated } from './officeFiles.ts';

const thread = (text: string, starts: readonly (readonly [number, number])[]) =>
	`<threadedComment ref="A1" personId="{P}" id="{C}"><text>${text}</text>${
		starts.length === 0
			? ''
			: `<mentions>${starts
					.map(
						([at, length], index) =>
							`<mention mentionpersonId="{P${index}}" mentionId="{M}" startIndex="${at}" length="${length}"/>`,
					)
					.join('')}</mentions>`
	}</threadedComment>`;
const threads = (...all: readonly string[]) =>
	`<ThreadedComments xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments">${all.join('')}</ThreadedComments>`;

test('threads of comments: who is named in a text is named where the translation says so', async () => {
	const person = '<personList><person displayName="Anna Lee" id="{P0}"/></personList>';
	const of = async (comments: string, translate: (text: string) => string) => {
		const { parts, refused, asked } = await translated(
			await zipOf({
				'[Content_Types].xml': contentTypes,
				'xl/workbook.xml': '<workbook/>',
				'xl/persons/person.xml': person,
				'xl/threadedComments/threadedComment1.xml': comments,
			}),
			'a.xlsx',
			async (texts) => texts.map(translate),
		);
		assert.deepEqual(refused, []);
		assert.equal(parts.get('xl/persons/person.xml'), person);
		return { asked, made: parts.get('xl/threadedComments/threadedComment1.xml') };
	};
	// Words and names are turned round; the second name is listed first.
	const source = threads(
		thread('Ask @Anna Lee &amp; then @Bo &amp; Co about it', [
			[21, 8],
			[4, 9],
		]),
		thread('Some more words', []),
	);
	const { made } = await of(source, (text) =>
		text.includes('Ask')
			? text.replace(/^Ask (\S+) (.*) then (\S+) about it$/, 'Nach $3 $2 dann $1 fragen')
			: text.toUpperCase(),
	);
	const words = /<text>(Nach [^<]*)</.exec(made ?? '')?.[1]?.replaceAll('&amp;', '&') ?? '';
	assert.ok(words.includes('@Bo & Co') && words.includes('@Anna Lee'), made);
	assert.equal(
		made,
		threads(
			thread(words.replaceAll('&', '&amp;'), [
				[words.indexOf('@Bo & Co'), 8],
				[words.indexOf('@Anna Lee'), 9],
			]),
			thread('SOME MORE WORDS', []),
		),
	);
	// Names that do not stand where it is said, and lines.
	const broken = threads(thread('Ask them', [[4, 90]]));
	assert.equal((await of(broken, shout)).made, broken);
	const lines = await of(threads(thread('@Anna Lee look here\n\nand there', [[0, 9]])), shout);
	assert.equal(lines.made, threads(thread('@Anna Lee LOOK HERE\n\nAND THERE', [[0, 9]])));
});

test('SmartArt: what its points say, and the picture that is kept of them, say the same; all else stays', async () => {
	const ns = 'xmlns:dgm="d" xmlns:a="a" xmlns:dsp="s"';
	const p = (words: string) =>
		`<a:p><a:r><a:rPr lang="LL" dirty="0"/><a:t>${words}</a:t></a:r></a:p>`;
	const data = (one: string, two: string) =>
		`<dgm:dataModel ${ns}><dgm:ptLst><dgm:pt modelId="{1}" type="doc"><dgm:prSet loTypeId="urn:layout" qsCatId="simple" phldr="1"/><dgm:t><a:bodyPr/>${one === '' ? '' : p(one)}</dgm:t></dgm:pt><dgm:pt modelId="{2}"><dgm:prSet phldrT="[Text]" custT="1"/><dgm:t><a:bodyPr/><a:lstStyle/>${p(two)}</dgm:t></dgm:pt></dgm:ptLst><dgm:cxnLst><dgm:cxn modelId="{3}" srcId="{1}" destId="{2}"/></dgm:cxnLst></dgm:dataModel>`;
	const drawn = (two: string) =>
		`<dsp:drawing ${ns}><dsp:spTree><dsp:sp modelId="{2}"><dsp:txBody>${p(two)}</dsp:txBody></dsp:sp></dsp:spTree></dsp:drawing>`;
	const rest = {
		'ppt/diagrams/layout1.xml': `<dgm:layoutDef ${ns}><dgm:title val="Basic block list"/><dgm:desc val="Some words"/></dgm:layoutDef>`,
		'ppt/diagrams/quickStyle1.xml': `<dgm:styleDef ${ns}><dgm:title val="Simple style"/></dgm:styleDef>`,
		'ppt/diagrams/colors1.xml': `<dgm:colorsDef ${ns}><dgm:title val="Some colors"/></dgm:colorsDef>`,
	};
	for (const [ending, folder] of [
		['pptx', 'ppt'],
		['docx', 'word'],
		['xlsx', 'xl'],
	] as const) {
		const inFolder = (name: string) => name.replace('ppt/', `${folder}/`);
		const { parts, refused } = await translated(
			await zipOf({
				'[Content_Types].xml': contentTypes,
				...Object.fromEntries(Object.entries(rest).map(([name, text]) => [inFolder(name), text])),
				[`${folder}/diagrams/data1.xml`]: data('All of it', 'Plan the work'),
				[`${folder}/diagrams/drawing1.xml`]: drawn('Plan the work'),
			}),
			`a.${ending}`,
		);
		assert.deepEqual(refused, []);
		const inGerman = (text: string) => text.replaceAll(' lang="LL" dirty="0"', ' lang="de"');
		assert.equal(
			parts.get(`${folder}/diagrams/data1.xml`),
			inGerman(data('ALL OF IT', 'PLAN THE WORK')),
		);
		assert.equal(parts.get(`${folder}/diagrams/drawing1.xml`), inGerman(drawn('PLAN THE WORK')));
		for (const [name, text] of Object.entries(rest)) assert.equal(parts.get(inFolder(name)), text);
	}
});
