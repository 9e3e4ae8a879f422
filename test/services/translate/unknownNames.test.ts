/** Names that a small vocabulary has no pieces for stay as they are; words of the language do not. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { modelVocabulary, unknownNames } from '../../../server/services/translate/unknownNames.ts';

const folder = join(import.meta.dirname, '../../../starter/models/starter-translate');

test('names of products and types stay, other words with capitals are translated', async () => {
	const vocabulary = await modelVocabulary(folder);
	const names = (text: string, language = 'en') =>
		unknownNames(text, language, vocabulary).map(({ start, end, target }) => {
			assert.equal(text.slice(start, end), target);
			return target;
		});
	assert.deepEqual(names('Open the file with Nearglot and save it.'), ['Nearglot']);
	assert.deepEqual(names('It uses CommonMark and RegExp objects of Liberapay.'), [
		'CommonMark',
		'RegExp',
		'Liberapay',
	]);
	assert.deepEqual(names('Installation and Configuration'), []);
	assert.deepEqual(names('Contributing Guidelines'), []);
	assert.deepEqual(names('On Wednesday they went to Switzerland and spoke Spanish.'), []);
	assert.deepEqual(names('READ THIS NOW, and the HTTP server.'), []);
	assert.deepEqual(names('Abra el archivo con Nearglot en septiembre.', 'es'), ['Nearglot']);
});

test('a folder without a list of pieces knows no names', async () => {
	assert.equal((await modelVocabulary(import.meta.dirname)).size, 0);
});
