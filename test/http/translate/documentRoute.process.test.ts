/** `POST /documents/translate`: words change, everything else stays; what is wrong is said. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTranslateServer, type TranslateServer } from '../../support/translateServer.ts';

let server: TranslateServer;
before(async () => {
	server = await startTranslateServer();
});
after(() => server.close());

const post = (body: unknown) =>
	fetch(`${server.url}/documents/translate`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});

test('a Markdown document keeps its code and markup', async () => {
	const text = '# open file\n\nrun `npm test` *now*.\n\n```sh\nls file\n```\n';
	const response = await post({ fileName: 'guide.md', text, to: 'de', from: 'en' });
	assert.equal(response.status, 200);
	const result = (await response.json()) as { text: string; pieces: number; refused: string[] };
	assert.equal(result.text, '# OPEN FILE\n\nRUN `npm test` *NOW*.\n\n```sh\nls file\n```\n');
	assert.ok(result.pieces >= 2);
	assert.deepEqual(result.refused, []);
});

test('more texts than are translated at once come back in order', async () => {
	const messages = Object.fromEntries(
		Array.from({ length: 150 }, (_, at) => [`key${at}`, `text number ${at}`]),
	);
	const response = await post({
		fileName: 'en.json',
		text: JSON.stringify(messages),
		to: 'de',
		from: 'en',
	});
	const result = (await response.json()) as { text: string; pieces: number };
	assert.equal(result.pieces, 150);
	assert.equal(JSON.parse(result.text)['key149'], 'TEXT NUMBER 149');
});

test('unknown formats and languages and missing fields are refused with their name', async () => {
	for (const [body, param] of [
		[{ fileName: 'a.exe', text: 'x', to: 'de' }, 'fileName'],
		[{ fileName: 'a.md', text: 'x', to: 'qqq' }, 'to'],
		[{ fileName: 'a.md', text: 'x', to: 'de', from: 'qqq' }, 'from'],
		[{ fileName: 'a.md', to: 'de' }, 'text'],
	] as const) {
		const response = await post(body);
		assert.equal(response.status, 400);
		const { error } = (await response.json()) as { error: { param: string; message: string } };
		assert.equal(error.param, param, error.message);
	}
});
