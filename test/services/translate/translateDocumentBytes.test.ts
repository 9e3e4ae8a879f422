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
	assert.throws(() => openDocument('a.txt', Buffer.alloc(2 ** 20 + 1, 0xe9)), {
		code: 'payload_too_large',
	});
	// Only said to be a Word file: its bytes are looked at when it is translated.
	assert.equal(openDocument('a.docx', Buffer.from('no zip')).read, undefined);
});

test('a document whose name lies about its format is refused', async () => {
	await assert.rejects(translated('a.docx', Buffer.from('no zip')), { code: 'invalid_request' });
});
