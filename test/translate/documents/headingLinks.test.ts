/** Links to headings of the same document lead there once the headings are in another language. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markdownSlugs } from '../../../server/translate/documents/slugs.ts';
import { shouted } from './shouted.ts';

const words: Readonly<Record<string, string>> = {
	'Getting Started': 'Erste Schritte',
	Overview: 'Überblick',
	Example: 'Beispiel',
	'Frequently Asked Questions': 'Häufige Fragen',
	"What's New?": 'Was ist neu?',
	Use: 'Mit',
	see: 'siehe',
	and: 'und',
};

const german = (text: string) =>
	Object.entries(words).reduce((made, [from, to]) => made.replaceAll(from, to), text);

const made = async (fileName: string, text: string) => {
	const result = await shouted(fileName, text, {}, german);
	assert.deepEqual(result.refused, [], text);
	return result.text;
};

test('links of Markdown and MDX follow the headings of their document', async () => {
	const cases: readonly (readonly [source: string, result: string])[] = [
		['[see](#getting-started)', '[siehe](#erste-schritte)'],
		['[see](<#overview> "Getting Started")', '[siehe](<#überblick> "Erste Schritte")'],
		[
			'- [Getting Started](#getting-started)\n- [Overview](#overview)',
			'- [Erste Schritte](#erste-schritte)\n- [Überblick](#überblick)',
		],
		['[see][x]\n\n[x]: #overview', '[siehe][x]\n\n[x]: #überblick'],
		['[see](#example-1) and [see](#example)', '[siehe](#beispiel-1) und [siehe](#beispiel)'],
		['<a href="#overview">see</a> and', '<a href="#überblick">siehe</a> und'],
		['[see](#whats-new)', '[siehe](#was-ist-neu)'],
		['[see](#use-npm-run)', '[siehe](#mit-npm-run)'],
		['[see](#-overview-again)', '[siehe](#-überblick-again)'],
		['[see](#Getting-Started)', '[siehe](#Erste-Schritte)'],
		// These are no headings of this document, or keep their names.
		['[see](#kept) and [see](#own-name)', '[siehe](#kept) und [siehe](#own-name)'],
		[
			'[see](other.md#overview), [see](#nowhere), [see](#)',
			'[siehe](other.md#overview), [siehe](#nowhere), [siehe](#)',
		],
	];
	const headings = [
		...['# Getting Started', 'Overview\n---', '## Example', '## Example', "## What's New?"],
		...['## Use `npm run`', '## 🎉 Overview again', '## Overview {#kept}'],
		'<a name="own-name"></a>\n\n## Own name',
	].join('\n\n');
	for (const name of ['a.md', 'a.mdx'])
		for (const eol of ['\n', '\r\n'])
			for (const [source, result] of cases) {
				const lines = (text: string) => text.replaceAll('\n', eol);
				const whole = await made(name, lines(`${source}\n\n${headings}\n`));
				const own = lines(result);
				assert.equal(whole.slice(0, own.length), own, `${name}: ${source}`);
			}
});

test('headings in HTML count, and what a name says twice in escapes is said so', async () => {
	assert.equal(
		await made(
			'a.md',
			'<h1 align="center">Overview</h1>\n\n## Overview\n\n[see](#overview-1), [see](#overview)\n',
		),
		'<h1 align="center">Überblick</h1>\n\n## Überblick\n\n[siehe](#überblick-1), [siehe](#überblick)\n',
	);
	const source = '# 概要 Overview\n\n[see](#%E6%A6%82%E8%A6%81-overview)\n';
	assert.equal(
		await made('a.md', source),
		`# 概要 Überblick\n\n[siehe](#${encodeURIComponent('概要-überblick')})\n`,
	);
});

test('a heading that stays keeps the links to it, and a number follows its place', async () => {
	const { text } = await shouted(
		'a.md',
		'[a](#example) [b](#beispiel)\n\n# Example\n\n# Beispiel\n',
		{},
		german,
	);
	assert.equal(text, '[a](#beispiel) [b](#beispiel-1)\n\n# Beispiel\n\n# Beispiel\n');
	const same = '[see](#nothing-new)\n\n# Nothing new\n';
	assert.equal(await made('a.md', same), same.replace('see', 'siehe'));
});

test('which rule makes the addresses, the links of a document say', async () => {
	const headings = "## What's New?\n\n## Overview\n";
	assert.equal(
		await made('a.md', `[see](#what-s-new) and [see](#overview)\n\n${headings}`),
		'[siehe](#was-ist-neu) und [siehe](#uberblick)\n\n## Was ist neu?\n\n## Überblick\n',
	);
	const [github, vitePress, mkdocs, jupyter] = markdownSlugs.map((slugs) =>
		slugs([
			...['A & B', 'Über_das (neue) Ding', '3. 版本', 'A & B', '❤️ Love'].map((one) => ({
				words: one,
			})),
			{ words: 'Own', id: 'x' },
		]),
	);
	assert.deepEqual(github, ['a--b', 'über_das-neue-ding', '3-版本', 'a--b-1', '\ufe0f-love', '']);
	assert.deepEqual(vitePress, ['a-b', 'uber-das-neue-ding', '_3-版本', 'a-b-1', '❤️-love', '']);
	assert.deepEqual(mkdocs, ['a-b', 'uber_das-neue-ding', '3', 'a-b_1', 'love', '']);
	assert.deepEqual(jupyter?.[0], 'A-&-B');
});

test('a link of a notebook leads into another cell', async () => {
	const cell = (source: string) => ({ cell_type: 'markdown', metadata: {}, source: [source] });
	const cells = [cell('[see](#Getting-Started)'), cell('# Getting Started')];
	const text = await made('a.ipynb', JSON.stringify({ cells, nbformat: 4 }));
	assert.match(text, /\[siehe\]\(#Erste-Schritte\)/);
});

test('references of AsciiDoc follow the titles, by address and by words', async () => {
	const source = (own: string) =>
		`= Getting Started\n\n${own}\n\n== Getting Started\n\nWords.\n\n[[kept]]\n== Overview\n\n----\n<<_getting_started>>\n----\n\n== Example\n\n=== Example\n`;
	for (const [own, result] of [
		['see <<_getting_started>>.', 'siehe <<_erste_schritte>>.'],
		['see <<getting-started,Overview>>.', 'siehe <<erste-schritte,Überblick>>.'],
		['see <<Getting Started>>.', 'siehe <<Erste Schritte>>.'],
		['see xref:#getting-started[Overview].', 'siehe xref:#erste-schritte[Überblick].'],
		['see xref:_example_2[].', 'siehe xref:_beispiel_2[].'],
		['see <<kept>> and <<other.adoc#_example>>.', 'siehe <<kept>> und <<other.adoc#_example>>.'],
		['see <<Overview>>.', 'siehe <<Überblick>>.'],
	] as const) {
		const text = await made('a.adoc', source(own));
		assert.equal(text.split('\n')[2], result);
		assert.match(text, /\[\[kept\]\]\n== Überblick\n\n----\n<<_getting_started>>\n----/);
	}
	assert.equal(
		await made('a.adoc', ':idprefix:\n:idseparator: -\n\nsee <<overview>>\n\n== Overview\n'),
		':idprefix:\n:idseparator: -\n\nsiehe <<überblick>>\n\n== Überblick\n',
	);
});

test('a reference by words to a title that cannot be named by them has its address', async () => {
	const japanese = async (source: string) =>
		(
			await shouted('a.adoc', source, { to: 'ja' }, (text) =>
				text
					.replace('Getting Started', 'はじめに')
					.replace('Overview', '概要')
					.replace('Next', '次, 1'),
			)
		).text;
	for (const [own, result] of [
		['<<Getting Started>>', '<<_はじめに>>'],
		['<<Getting Started,this>>', '<<_はじめに,this>>'],
		['<<Overview>>', '<<kept>>'],
		['<<Next>> and <<_next>>', '<<_次_1>> and <<_次_1>>'],
	])
		assert.match(
			await japanese(`${own}\n\n== Getting Started\n\n[#kept]\n== Overview\n\n== Next\n`),
			new RegExp(`^${result}\n`),
		);
	assert.match(
		await japanese(':idprefix:\n:idseparator: -\n\n<<Overview>>\n\n== Overview\n'),
		/<<概要>>/,
	);
});

test('an address that a heading has been given leads there, whatever others are called', async () => {
	for (const [headings, link] of [
		['# Example {#overview}\n\n# Overview', '#overview'],
		['# Overview\n\n# Example {#overview}', '#überblick'],
		['# Example {#example}\n\n# Overview', '#example'],
	])
		assert.equal(
			(
				await made('a.md', `[x](#${link === '#example' ? 'example' : 'overview'})\n\n${headings}\n`)
			).split('\n')[0],
			`[x](${link})`,
		);
	// MkDocs numbers what would be called like it.
	const slugs = markdownSlugs[2]?.([{ words: 'A', id: 'setup' }, { words: 'Setup' }]);
	assert.deepEqual(slugs, ['', 'setup_1']);
});

test('references of reStructuredText follow the titles, which are translated', async () => {
	const source = (own: string) =>
		`${own}\n\nGetting Started\n===============\n\nWords::\n\n    \`Overview\`_\n\nOverview\n--------\n\n.. _kept:\n\nExample\n-------\n`;
	for (const [own, result] of [
		['see `Getting Started`_.', 'siehe `Erste Schritte`_.'],
		['see Overview_ and kept_.', 'siehe `Überblick`_ und kept_.'],
		['see `this <Getting Started_>`_.', 'siehe `this <Erste Schritte_>`_.'],
		['see :ref:`Getting Started` and :ref:`kept`.', 'siehe :ref:`Erste Schritte` und :ref:`kept`.'],
		['see Example_.', 'siehe Beispiel_.'],
	] as const) {
		const text = await made('a.rst', source(own));
		assert.equal(text.split('\n')[0], result);
		assert.match(text, /\nErste Schritte\n=+\n\nWords::\n\n {4}`Overview`_\n\nÜberblick\n-+\n/);
	}
});

test('addresses of HTML stay, for they are written down', async () => {
	const text = await made(
		'a.html',
		'<a href="#getting-started">see</a><h1 id="getting-started">Getting Started</h1>',
	);
	assert.equal(
		text,
		'<a href="#getting-started">siehe</a><h1 id="getting-started">Erste Schritte</h1>',
	);
});
