/** A document, bytes in and bytes out, as requests and jobs have it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	openDocument,
	translateDocumentBytes,
} from '../../../server/services/translate/translateDocumentBytes.ts';
import { inEnglish } from '../../translate/inEnglish.ts';

const translated = async (fileName: string, bytes: Uint8Array) =>
	translateDocumentBytes(
		openDocument(fileName, bytes),
		{ to: 'de' },
		inEnglish(async (texts) => texts.map((text) => text.toUpperCase())),
		'somebody',
		new AbortController().signal,
	);

test('a text comes back in the encoding it came in, with what became of its words', async () => {
	const made = await translated('a.txt', Buffer.from('The caf\xe9 is open.\n', 'latin1'));
	assert.equal(Buffer.from(made.bytes).toString('latin1'), 'THE CAF\xc9 IS OPEN.\n');
	assert.deepEqual([made.language, made.pieces, made.refused], ['en', 1, []]);
});

test('what cannot be opened is refused before any work', () => {
	assert.throws(() => openDocument('a.exe', Buffer.from('MZ')), { code: 'not_supported' });
	assert.throws(() => openDocument('a.txt', Buffer.from([0x81, 0x20, 0x8d])), {
		code: 'invalid_request',
	});
	// Only said to be a Word file: its bytes are looked at when it is translated.
	assert.equal(openDocument('a.docx', Buffer.from('no zip')).read, undefined);
});

test('long texts come back in their encoding as short ones do, and are refused when they are read', async () => {
	const line = 'The caf\xe9 is open.\n';
	const lines = Math.ceil(2 ** 20 / line.length) + 1;
	const long = (end = '') => Buffer.from(line.repeat(lines) + end, 'latin1');
	assert.equal(openDocument('a.txt', long()).read, undefined);
	const made = await translated('a.txt', long());
	assert.equal(made.encoding, 'windows-1252');
	assert.ok(
		Buffer.from(made.bytes).equals(Buffer.from(line.toUpperCase().repeat(lines), 'latin1')),
	);
	await assert.rejects(translated('a.txt', long('\x81\x20\x8d')), { code: 'invalid_request' });
	assert.throws(() => openDocument('a.exe', long()), { code: 'not_supported' });
	const page = (word: string) =>
		Buffer.from(
			`<meta charset="windows-1251"><p>${word}</p>${`<code>\xe9</code>\n`.repeat(80_000)}`,
			'latin1',
		);
	const html = await translated('a.html', page('Open it'));
	assert.ok(Buffer.from(html.bytes).equals(page('OPEN IT')), html.encoding);
	const named = openDocument('a.txt', long('\xf0'), 'windows-1251');
	assert.deepEqual([named.encoding, named.work], ['windows-1251', long('\xf0').length]);
	const { encoding } = await translateDocumentBytes(
		named,
		{ to: 'de', from: 'en' },
		inEnglish(async (texts) => texts.map((text) => text.toUpperCase())),
		'somebody',
		new AbortController().signal,
	);
	assert.equal(encoding, 'windows-1251');
});

test('a document whose name lies about its format is refused', async () => {
	await assert.rejects(translated('a.docx', Buffer.from('no zip')), { code: 'invalid_request' });
});
