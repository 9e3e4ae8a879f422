/** Files that the studio takes for texts are whole, and none is damaged on the way. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOfUtf8 } from '../../webview/textOfUtf8.ts';

const bufferOf = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer;

test('UTF-8 is a text with its mark; every other encoding is for the server', () => {
	assert.equal(textOfUtf8(bufferOf(Buffer.from('\ufeffGröße\r\n'))), '\ufeffGröße\r\n');
	assert.equal(textOfUtf8(bufferOf(Buffer.from('Gr\xf6\xdfe', 'latin1'))), undefined);
	assert.equal(textOfUtf8(bufferOf(Buffer.from('\ufeffOpen', 'utf16le'))), undefined);
});

test('a file in ASCII that says another encoding is for the server, which writes it in that', () => {
	for (const text of [
		'<meta charset="iso-8859-1"><p>Words',
		'<meta http-equiv="Content-Type" content="text/html; charset = shift_jis">',
		'<?xml version="1.0" encoding=\'windows-1251\'?><a/>',
		'"Content-Type: text/plain; charset=EUC-KR\\n"',
		'\x1b$B$3$s\x1b(B',
	])
		assert.equal(textOfUtf8(bufferOf(Buffer.from(text))), undefined, text);
	for (const text of [
		'<meta charset="utf-8"><p>Words',
		'<?xml version="1.0" encoding="UTF-8"?><a/>',
		// It is in UTF-8, whatever it says.
		'<meta charset="iso-8859-1"><p>Größe',
	])
		assert.equal(textOfUtf8(bufferOf(Buffer.from(text))), text);
});
