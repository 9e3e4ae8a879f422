/** A language nobody knows, at every door of the translate interface: the answer says what to write instead. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer } from '../support/testServer.ts';

test('every route that takes a language names the wrong one and says what a right one looks like', async () => {
	const server = await startTestServer({ fakeRunner: true });
	try {
		const text = [{ Text: 'x' }];
		const inputs = { inputs: [{ text: 'x', targets: [{ language: 'xx' }] }] };
		const document = { fileName: 'a.md', text: 'x', to: 'xx' };
		for (const [path, body] of [
			['/translate?api-version=3.0&to=xx', text],
			['/translate?api-version=3.0&to=de&from=xx', text],
			['/translate?api-version=2026-06-06', inputs],
			['/breaksentence?api-version=3.0&language=xx', text],
			['/transliterate?api-version=3.0&language=xx&fromScript=Jpan&toScript=Latn', text],
			['/dictionary/lookup?api-version=3.0&from=en&to=xx', text],
			['/documents/translate', document],
		] as const) {
			const response = await server.post(path, body);
			const { error } = (await response.json()) as { error: { message: string } };
			assert.equal(response.status, 400, path);
			assert.match(
				error.message,
				/'xx' is no language code that is known\. Codes are such as/,
				path,
			);
		}
	} finally {
		await server.close();
	}
});
