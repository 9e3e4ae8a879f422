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
