/** Standard input as the shells of the systems make it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeStdin } from '../../server/cli/readStdin.ts';

const text = 'Grüße, größere Dateien öffnen\r\n';

test('text comes in UTF-8, in UTF-16 as Windows PowerShell writes it, and elsewhere in the code page of Windows', () => {
	const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
	const big = Buffer.from(utf16).swap16();
	for (const bytes of [
		Buffer.from(text),
		Buffer.from(`\ufeff${text}`),
		utf16,
		big,
		utf16.subarray(2),
	])
		for (const platform of ['linux', 'win32'] as const)
			assert.equal(decodeStdin(bytes, platform), text);
	assert.equal(decodeStdin(Buffer.from(text, 'latin1'), 'linux'), text);
	assert.equal(decodeStdin(Buffer.alloc(0)), '');
});

test('what a console in another code page sends is refused with what to set, not read as something else', () => {
	// "Grüße" in code page 850.
	const bytes = Buffer.from([0x47, 0x72, 0x81, 0xe1, 0x65]);
	// "Größe" in code page 850 would be words in that of Windows: `Gr”áe`.
	const words = Buffer.from([0x47, 0x72, 0x94, 0xe1, 0x65]);
	assert.throws(() => decodeStdin(words, 'win32'), /chcp 65001/);
	for (const [platform, advice] of [
		['win32', /chcp 65001/],
		['linux', /iconv/],
	] as const)
		assert.throws(() => decodeStdin(bytes, platform), { code: 'invalid_request', message: advice });
});
