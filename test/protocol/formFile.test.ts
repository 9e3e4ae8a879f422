/** Names of recordings in a form, whatever a file system allows. */

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import busboy from 'busboy';
import { setFormFile } from '../../server/protocol/index.ts';

/** The name that the server's reader of forms finds. */
async function nameRead(name: string): Promise<string> {
	const form = new FormData();
	setFormFile(form, new Blob(['sound']), name);
	const request = new Response(form);
	const reader = busboy({
		headers: { 'content-type': request.headers.get('content-type')! },
		defParamCharset: 'utf8',
	});
	let found = '';
	reader.on('file', (_field, file, info) => {
		found = info.filename ?? '';
		file.resume();
	});
	await pipeline(Readable.fromWeb(request.body as never), reader);
	return found;
}

test('a recording with any character in its name can be sent', async () => {
	const codes = [
		...Array.from({ length: 0x180 }, (_, code) => code),
		0x202e,
		0x2028,
		0xd800,
		0xfffd,
	];
	for (const code of codes.filter((code) => code !== 0x2f)) {
		const found = await nameRead(`a${String.fromCharCode(code)}b.wav`);
		assert.match(found, /b\.wav$/, `U+${code.toString(16)}`);
	}
	assert.equal(await nameRead('\u001b\u0007'), 'recording');
	assert.equal(await nameRead('Über "uns".wav'), 'Über %22uns%22.wav');
});
