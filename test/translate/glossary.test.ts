import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCustomSystems } from '../../server/services/translate/translateSystems.ts';
import { tableRows, tableTerms, tbxTerms, termFinder } from '../../server/translate/glossary.ts';
import { memoryLookup, tableMemory, tmxMemory } from '../../server/translate/memory.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test('a damaged table is refused with the line, wherever it is read', () => {
	for (const [text, place] of [
		[
			'build,Bau\nopen,"Öff\nclose,Zu\n',
			/^The table is damaged at line 2: a quote is not closed\./,
		],
		['build,Bau\n"open"er,Öffner\n', /at line 2: something stands between a closing quote/],
		['build,Bau\n\nopen Öffnen\nclose,Zu\n', /at line 3: the second column is missing/],
		['"a\nb",x\n"c" ,y\n"d"e,f', /at line 4: something/],
	] as const) {
		const refused = { code: 'invalid_request', message: place };
		assert.throws(() => tableTerms(text, ','), refused, text);
		assert.throws(() => tableMemory(text, ','), refused, text);
	}
	// Inches, remarks and words that are still to be translated are no damage.
	const inches = '# remark\n5" disk,5"-Diskette\nlater,\n "quoted" , "so" \n';
	assert.deepEqual(
		tableTerms(inches, ',').map(({ source, target }) => [source, target]),
		[
			['5" disk', '5"-Diskette'],
			['quoted', 'so'],
		],
	);
});

test('tables are read with quotes, commas, line ends and a head line', () => {
	assert.deepEqual(tableRows('a,"b, ""c""\nd"\r\ne,f', ','), [
		{ line: 1, cells: ['a', 'b, "c"\nd'] },
		{ line: 3, cells: ['e', 'f'] },
	]);
	const terms = tableTerms(
		'source,target,pos\nbuild,Bauvorgang,noun\n# a comment,x\nNode,Knoten,',
		',',
	);
	assert.deepEqual(
		terms.map(({ source, target, partOfSpeech, caseSensitive }) => [
			source,
			target,
			partOfSpeech,
			caseSensitive,
		]),
		[
			['build', 'Bauvorgang', 'noun', false],
			['Node', 'Knoten', undefined, true],
		],
	);
});

test('TBX of both versions is read for the pair that is asked for', () => {
	const old =
		'<martif><text><body><termEntry><langSet xml:lang="en-US"><tig><term>build</term><termNote type="partOfSpeech">noun</termNote></tig></langSet><langSet xml:lang="de"><tig><term>Bauvorgang</term></tig></langSet></termEntry></body></text></martif>';
	const recent =
		'<tbx><text><body><conceptEntry><langSec xml:lang="en"><termSec><term>A &amp; B</term></termSec></langSec><langSec xml:lang="de"><termSec><term>A und B</term></termSec></langSec></conceptEntry></body></text></tbx>';
	assert.deepEqual(
		tbxTerms(old, 'en', 'de').map(({ source, target, partOfSpeech }) => [
			source,
			target,
			partOfSpeech,
		]),
		[['build', 'Bauvorgang', 'noun']],
	);
	assert.equal(tbxTerms(recent, 'en', 'de')[0]?.source, 'A & B');
	assert.deepEqual(tbxTerms(old, 'en', 'fr'), []);
});

test('terms are found as whole words, the longest first, capitals exactly', () => {
	const find = termFinder(
		tableTerms('build\tBau\nbuild server\tBauserver\nNode\tKnoten', '\t'),
		'en',
	);
	const found = (text: string) =>
		find(text).map(({ start, end, target }) => [text.slice(start, end), target]);
	assert.deepEqual(found('The Build server builds a build.'), [
		['Build server', 'Bauserver'],
		['build', 'Bau'],
	]);
	assert.deepEqual(found('node and Node'), [['Node', 'Knoten']]);
	assert.deepEqual(
		termFinder(tableTerms('文件\tfile', '\t'), 'zh-Hans')('打开文件吧').map(({ start }) => start),
		[2],
	);
});

test('memories answer equal sentences whatever their white space', () => {
	const pairs = tableMemory('This is  a test.\tDies ist ein Test.', '\t');
	assert.equal(memoryLookup(pairs)(' This is a\ntest. '), 'Dies ist ein Test.');
	assert.equal(memoryLookup(pairs)('This is a test!'), undefined);
	const tmx =
		'<tmx><body><tu><tuv xml:lang="EN-US"><seg>Yes &amp; no</seg></tuv><tuv xml:lang="DE"><seg>Ja und nein</seg></tuv></tu></body></tmx>';
	assert.deepEqual(tmxMemory(tmx, 'en', 'de'), [{ source: 'Yes & no', target: 'Ja und nein' }]);
});

test('a category is a folder; changed files are read again, broken ones are named', async () => {
	const folder = temporaryFolder('systems');
	const systems = createCustomSystems(folder);
	assert.equal(await systems.find('team', 'en', 'de'), undefined);
	await mkdir(join(folder, 'team'));
	await writeFile(join(folder, 'team', 'terms.tsv'), 'build\tBauvorgang\n');
	await writeFile(
		join(folder, 'team', 'system.json'),
		JSON.stringify({ pairs: [{ from: 'en', to: 'de', glossaries: ['terms.tsv'] }] }),
	);
	assert.equal(
		(await systems.find('team', 'en', 'de'))?.terms?.('a build')[0]?.target,
		'Bauvorgang',
	);
	assert.equal(await systems.find('team', 'en', 'fr'), undefined);
	assert.deepEqual(await systems.dictionaryPairs(), [{ source: 'en', targets: ['de'] }]);
	await writeFile(join(folder, 'team', 'terms.tsv'), 'build\tErstellung des Projekts\n');
	assert.equal(
		(await systems.find('team', 'en', 'de'))?.terms?.('a build')[0]?.target,
		'Erstellung des Projekts',
	);
	await rm(join(folder, 'team', 'terms.tsv'));
	await assert.rejects(systems.find('team', 'en', 'de'), /terms\.tsv/);
	await writeFile(join(folder, 'team', 'system.json'), '{');
	await assert.rejects(systems.find('team', 'en', 'de'), /category 'team'.*not valid JSON/);
});

test('two abbreviations in the first row are a term, two languages a head', () => {
	const sources = (first: string) =>
		tableTerms(`${first}\nfile\tDatei\n`, '\t').map(({ source }) => source);
	assert.deepEqual(sources('AI\tKI'), ['AI', 'file']);
	assert.deepEqual(sources('PR\tMR'), ['PR', 'file']);
	for (const head of ['en\tde', 'EN\tDE', 'en-GB\tfr', 'Source\tTarget', 'source\tde'])
		assert.deepEqual(sources(head), ['file'], head);
});
