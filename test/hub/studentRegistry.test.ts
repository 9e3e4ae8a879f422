/** The list of Firefox's translation models: what is read of it, what is left out, what is found. */

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { HubHttp } from '../../server/hub/http.ts';
import {
	chooseStudent,
	directionText,
	findStudents,
	isStudentName,
	readStudents,
	studentModelName,
} from '../../server/hub/studentRegistry.ts';
import { WaitNotices } from '../../server/hub/waitNotices.ts';
import { AppError } from '../../server/protocol/index.ts';

const never = new AbortController().signal;
const file = (path: string, size = 10) => ({
	path,
	uncompressedSize: size,
	uncompressedHash: 'a'.repeat(64),
});
const entry = (source: string, target: string, more: object = {}) => ({
	sourceLanguage: source,
	targetLanguage: target,
	architecture: 'tiny',
	releaseStatus: 'Release',
	files: { model: file('models/m.bin.gz', 1000), vocab: file('models/v.spm.gz') },
	...more,
});

/** An http that answers with one body. */
function answering(body: string): HubHttp {
	return {
		endpoint: new URL('https://models.example/db/models.json'),
		waitNotices: new WaitNotices(undefined),
		get: async (url) => ({
			url: String(url),
			status: 200,
			ok: true,
			headers: { get: () => null },
			body: Readable.from([Buffer.from(body)]) as never,
		}),
		close: () => {},
	};
}

const read = (models: unknown, baseUrl: unknown = 'https://models.example/files/') =>
	readStudents(answering(JSON.stringify({ baseUrl, models })), never, { tries: 1 });

test('a direction has its files by address, the released and larger model first', async () => {
	const base = entry('en', 'de', {
		architecture: 'base',
		files: {
			model: file('models/b é.bin.gz', 9000),
			lexicalShortlist: file('models/l.bin'),
			srcVocab: file('models/s.spm.gz'),
			trgVocab: file('models/t.spm.gz'),
		},
	});
	const nightly = entry('en', 'de', { architecture: 'large', releaseStatus: 'Nightly' });
	const models = await read({ 'en-de': [nightly, entry('en', 'de'), base] });
	assert.deepEqual(
		models.map(({ architecture, isReleased }) => [architecture, isReleased]),
		[
			['base', true],
			['tiny', true],
			['large', false],
		],
	);
	const [first] = models;
	assert.equal(first?.repository, 'firefox-translations/en-de');
	assert.equal(first.sizeBytes, 9030);
	assert.match(first.commit, /^[0-9a-f]{40}$/);
	assert.deepEqual(
		first.files.map(({ name, url }) => [name, url]),
		[
			['model.student.bin', 'https://models.example/files/models/b%20%C3%A9.bin.gz'],
			['lex.student.bin', 'https://models.example/files/models/l.bin'],
			['srcvocab.student.spm', 'https://models.example/files/models/s.spm.gz'],
			['trgvocab.student.spm', 'https://models.example/files/models/t.spm.gz'],
		],
	);
	assert.equal(chooseStudent(models, 'Firefox-Translations/EN-de', ''), first);
	assert.equal(chooseStudent(models, first.repository, 'tiny').sizeBytes, 1010);
	assert.throws(
		() => chooseStudent(models, first.repository, 'huge'),
		(error) => error instanceof AppError && /base, tiny, large/.test(error.message),
	);
	assert.throws(
		() => chooseStudent(models, 'firefox-translations/de-xx', ''),
		(error) => error instanceof AppError && error.code === 'model_not_found',
	);
});

test('entries of another kind are left out, and what is no list is refused', async () => {
	const bad = [
		entry('en', '../..'),
		entry('en', 'de', { files: { model: file('../x.bin'), vocab: file('v') } }),
		entry('en', 'de', { files: { model: file('/x.bin'), vocab: file('v') } }),
		entry('en', 'de', { files: { model: file('x.bin', 2 ** 40), vocab: file('v') } }),
		entry('en', 'de', { files: { model: file('x.bin'), srcVocab: file('v') } }),
		entry('en', 'de', {
			files: { model: { ...file('x'), uncompressedHash: 'zz' }, vocab: file('v') },
		}),
		{ model: 'other' },
		null,
		7,
	];
	const models = await read({ 'en-de': bad, 'en-fr': [entry('en', 'fr')] });
	assert.deepEqual(
		models.map(({ repository }) => repository),
		['firefox-translations/en-fr'],
	);
	for (const body of ['{}', '[]', '{"baseUrl":"https://a.example","models":[]}', 'null'])
		await assert.rejects(readStudents(answering(body), never, { tries: 1 }), {
			code: 'download_failed',
		});
	for (const base of ['file:///etc', 'no address', 5])
		await assert.rejects(read({}, base), { code: 'download_failed' });
});

test('directions are found by codes and by the names of their languages', async () => {
	const models = await read({
		'en-de': [entry('en', 'de')],
		'de-en': [entry('de', 'en'), entry('de', 'en', { architecture: 'base' })],
		'en-zh': [entry('en', 'zh_hant')],
	});
	const repositories = (words: string) =>
		findStudents(models, words).map(({ repository }) => repository);
	assert.deepEqual(repositories(''), [
		'firefox-translations/de-en',
		'firefox-translations/en-de',
		'firefox-translations/en-zh_hant',
	]);
	assert.deepEqual(repositories('German'), [
		'firefox-translations/de-en',
		'firefox-translations/en-de',
	]);
	assert.deepEqual(repositories('en-de'), ['firefox-translations/en-de']);
	assert.deepEqual(repositories('german klingon'), []);
	const [found] = findStudents(models, 'de-en');
	assert.deepEqual(found, {
		repository: 'firefox-translations/de-en',
		formats: ['marian'],
		license: 'MPL-2.0',
		task: 'translation',
		title: 'German → English',
		sizeBytes: 1010,
		isGated: false,
	});
	assert.equal(directionText(['xx', 'en']), 'xx → English');
	assert.equal(isStudentName('firefox-translations/en-de'), true);
	assert.equal(isStudentName('acme/firefox-translations'), false);
	assert.equal(studentModelName('firefox-translations/en-de'), 'firefox-en-de');
});
