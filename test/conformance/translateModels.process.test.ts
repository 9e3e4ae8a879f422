/** The translate interface on real models: the built-in one, and any-to-any where test data is there. */

import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sharedFolder } from '../support/sharedData.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';

const anyToAny = sharedFolder('models-tiny', 'm2m100-tjs');

let server: TestServer;
before(async () => {
	server = await startTestServer();
});
after(() => server.close());

interface Row {
	readonly translations: readonly {
		readonly text: string;
		readonly to: string;
		readonly alignment?: { readonly proj: string };
	}[];
}

async function translate(
	query: string,
	texts: readonly string[],
	on: TestServer = server,
): Promise<readonly Row[]> {
	const response = await on.post(
		`/translate?api-version=3.0&${query}`,
		texts.map((Text) => ({ Text })),
	);
	const value: unknown = await response.json();
	assert.equal(response.status, 200, JSON.stringify(value));
	return value as Row[];
}

const german = 'from=en&to=de';

test('the built-in model writes the language that was asked for', async () => {
	const [row] = await translate('from=en&to=de,fr,es', ['The file could not be opened.']);
	const [de, fr, es] = row?.translations.map(({ text }) => text) ?? [];
	assert.match(de ?? '', /Datei|nicht|geöffnet/);
	assert.match(fr ?? '', /fichier|ouvert/);
	assert.match(es ?? '', /archivo|abrir/);
});

test('alignment of a real sentence lies inside both texts and links what is the same', async () => {
	const text = 'The file `a.ts` has 42 errors.';
	const [row] = await translate(`${german}&includeAlignment=true`, [text]);
	const done = row?.translations[0];
	const pairs = (done?.alignment?.proj ?? '')
		.split(' ')
		.map((pair) => pair.split(/[:-]/).map(Number));
	assert.ok(pairs.length >= 4, done?.alignment?.proj);
	for (const [a = 0, b = 0, c = 0, d = 0] of pairs)
		assert.ok(a <= b && b < text.length && c <= d && d < (done?.text.length ?? 0));
	assert.ok(
		pairs.some(
			([a, b, c, d]) =>
				text.slice(a, (b ?? 0) + 1) === '`a.ts`' && done?.text.slice(c, (d ?? 0) + 1) === '`a.ts`',
		),
	);
});

test('tags, placeholders and code survive the built-in model', async () => {
	const texts = [
		'Click <b>the button</b> to open <i>the file</i>.',
		'Showing {{first}} - {{second}} of {{total}} items.',
		'Set `x` to %s in C:\\Temp\\a.txt, see https://a.b/c.',
	];
	const rows = await translate(`${german}&textType=html`, texts);
	const kept = (text: string) =>
		(text.match(/<\/?[bi]>|\{\{\w+\}\}|`x`|%s|C:\\Temp\\a\.txt|https:\/\/a\.b\/c/g) ?? []).sort();
	rows.forEach((row, index) => {
		assert.deepEqual(kept(row.translations[0]?.text ?? ''), kept(texts[index] ?? ''));
	});
});

test('texts the model has no letters for are answered, whatever their length', async () => {
	const texts = [
		'世'.repeat(300),
		'Ünï'.repeat(120),
		'👩‍👩‍👧'.repeat(60),
		'The file was not found.',
	];
	const rows = await translate(german, texts);
	assert.equal(rows.length, texts.length);
	assert.equal(rows[2]?.translations[0]?.text, texts[2]);
	assert.match(rows[3]?.translations[0]?.text ?? '', /nicht|Datei/);
});

test('200 requests at once give the sentences they give one by one', async () => {
	const texts = Array.from(
		{ length: 200 },
		(_, index) =>
			`The ${['file', 'folder', 'server', 'value'][index % 4]} number ${index} could not be ${['opened', 'found', 'read'][index % 3]}.`,
	);
	const together = await Promise.all(
		texts.map(async (text) => (await translate(german, [text]))[0]?.translations[0]?.text),
	);
	server.backend.translation.cache.clear();
	for (const [index, text] of texts.entries())
		assert.equal(
			(await translate(german, [text]))[0]?.translations[0]?.text,
			together[index],
			text,
		);
});

test('an any-to-any model is told both languages and gives its reference text', {
	skip: anyToAny.skip,
}, async () => {
	const models = temporaryFolder('models');
	cpSync(anyToAny.path, join(models, 'm2m100-tjs'), { recursive: true });
	const own = await startTestServer({ modelsDir: models });
	try {
		const text = 'Das kleine Haus steht auf dem Hügel.';
		const [there] = await translate('from=de&to=en', [text], own);
		assert.equal(there?.translations[0]?.text, 'The small house is on the hill.');
		// Its words are aligned by its encoder: what is the same on both sides has to meet.
		const [linked] = await translate('from=de&to=en&includeAlignment=true', [text], own);
		const done = linked?.translations[0];
		assert.equal(done?.text, 'The small house is on the hill.');
		const pairs = (done?.alignment?.proj ?? '').split(' ');
		assert.ok(pairs.includes(`${text.length - 1}:${text.length - 1}-30:30`), pairs.join(' '));
		assert.ok(pairs.length > 1, 'words are linked as well');
		for (const pair of pairs) {
			const [a = 0, b = 0, c = 0, d = 0] = pair.split(/[:-]/).map(Number);
			assert.ok(a <= b && b < text.length && c <= d && d < 31, pair);
		}
	} finally {
		await own.close();
	}
});
