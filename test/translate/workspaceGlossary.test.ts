/** The glossary file of a workspace: reading, problems, adding, and marking terms in texts. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	addToGlossary,
	parseGlossary,
	termMarker,
} from '../../server/translate/workspaceGlossary.ts';

const file = `# Terms of this project
en\tde\tfr
pull request\tPull-Request\tdemande de tirage
file\tDatei
\tOrdner\tdossier
`;

test('terms are read in every direction the rows have words for', () => {
	const glossary = parseGlossary(file);
	assert.deepEqual(glossary.problems, []);
	const pairs = (from: string, to: string) =>
		glossary
			.terms(glossary.column(from), glossary.column(to))
			.map(({ source, target }) => `${source}=${target}`);
	assert.deepEqual(pairs('en', 'de'), ['pull request=Pull-Request', 'file=Datei']);
	assert.deepEqual(pairs('de', 'fr'), ['Pull-Request=demande de tirage', 'Ordner=dossier']);
	assert.equal(glossary.column('de-AT'), 1, 'a region takes the words of its language');
	assert.equal(glossary.column('ja'), -1);
});

test('each problem is told with its line, and its row does not take part', () => {
	const problems = (text: string) =>
		parseGlossary(text).problems.map(({ line, code, severity }) => `${line} ${code} ${severity}`);
	assert.deepEqual(problems('only one\n'), ['0 head error', '0 language error']);
	assert.deepEqual(problems('en\tEnglisch\na\tb\n'), ['0 language error']);
	assert.deepEqual(problems('en\ten\na\tb\n'), ['0 language error']);
	assert.deepEqual(problems('en\tde\na\tb\tc\n'), ['1 cells error']);
	assert.deepEqual(problems('en\tde\nalone\n'), ['1 single warning']);
	assert.deepEqual(problems('en\tde\na\t<b>\n'), ['1 quote error']);
	assert.deepEqual(problems('en\tde\nfile\tDatei\nfile\tAkte\n'), ['2 conflict warning']);
	assert.deepEqual(problems('en\tde\tfr\nfile\tDatei\nfile\t\tfichier\n'), []);
	assert.deepEqual(problems(''), []);
});

test('a term goes into the row of its word, a new language into the head line', () => {
	assert.equal(
		addToGlossary('', { source: 'file', target: 'Datei', from: 'en', to: 'de' }),
		'en\tde\nfile\tDatei\n',
	);
	const added = addToGlossary(file, { source: 'file', target: 'fichier', from: 'en', to: 'fr' });
	assert.match(added, /^file\tDatei\tfichier$/m);
	const spanish = addToGlossary(file, { source: 'line', target: 'línea', from: 'en', to: 'es' });
	assert.match(spanish, /^en\tde\tfr\tes$/m);
	assert.match(spanish, /\nline\t\t\tlínea\n$/);
	const windows = addToGlossary('en\tde\r\na\tb\r\n', {
		source: 'c',
		target: 'd',
		from: 'en',
		to: 'de',
	});
	assert.equal(windows, 'en\tde\r\na\tb\r\nc\td\r\n');
});

test('terms are marked for the translator, but not in code, addresses and other words', () => {
	const glossary = parseGlossary(file);
	const mark = termMarker(glossary.terms(0, 1), 'en');
	assert.equal(
		mark('Open the file of the pull request.'),
		'Open the <mstrans:dictionary translation="Datei">file</mstrans:dictionary> of the <mstrans:dictionary translation="Pull-Request">pull request</mstrans:dictionary>.',
	);
	assert.equal(mark('A profile, `file`, https://x.org/file/a and <t1 file="x">.'), undefined);
});
