/** What tools that speak LibreTranslate expect of a server. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTranslateServer, type TranslateServer } from '../support/translateServer.ts';

let server: TranslateServer;
before(async () => {
	server = await startTranslateServer();
});
after(() => server.close());

async function ask(
	body: unknown,
	init: RequestInit = {},
): Promise<{ status: number; value: Record<string, unknown> }> {
	const response = await server.post('/libretranslate/translate', body, init);
	return { status: response.status, value: (await response.json()) as Record<string, unknown> };
}

test('a text and a list of texts are translated, the source given or found', async () => {
	assert.deepEqual((await ask({ q: 'Hello', source: 'en', target: 'de', format: 'text' })).value, {
		translatedText: 'HELLO',
	});
	const found = (await ask({ q: 'This is a test.', source: 'auto', target: 'de' })).value;
	assert.deepEqual(found, {
		translatedText: 'THIS IS A TEST.',
		detectedLanguage: { confidence: 100, language: 'en' },
	});
	const list = (await ask({ q: ['One day', 'This is two.'], source: 'auto', target: 'es' })).value;
	assert.deepEqual(list['translatedText'], ['ONE DAY', 'THIS IS TWO.']);
	assert.equal((list['detectedLanguage'] as unknown[]).length, 2);
});

test('forms are read like JSON', async () => {
	const response = await fetch(new URL('/libretranslate/translate', server.url), {
		method: 'POST',
		body: new URLSearchParams({ q: 'Hello', source: 'en', target: 'fr' }),
	});
	assert.deepEqual(await response.json(), { translatedText: 'HELLO' });
});

test('html keeps its tags, emoji come back as they are', async () => {
	assert.equal(
		(await ask({ q: '<p class=a>Hi <b>you</b></p>', source: 'en', target: 'de', format: 'html' }))
			.value['translatedText'],
		'<p class=a>HI <b>YOU</b></p>',
	);
	assert.equal(
		(await ask({ q: '🙂🙂', source: 'en', target: 'de' })).value['translatedText'],
		'🙂🙂',
	);
});

test('alternatives are asked of the model', async () => {
	const { value } = await ask({ q: 'Hello there', source: 'en', target: 'de', alternatives: 3 });
	assert.ok(Array.isArray(value['alternatives']));
	assert.equal(server.engine.calls.at(-1)?.alternatives, 3);
	assert.ok((server.engine.calls.at(-1)?.beams ?? 0) > 3);
});

test('faults are told in its own words', async () => {
	const cases: readonly (readonly [unknown, string | RegExp])[] = [
		[{ source: 'en', target: 'de' }, 'Invalid request: missing q parameter'],
		[{ q: [], source: 'en', target: 'de' }, 'Invalid request: missing q parameter'],
		[{ q: 'x', target: 'de' }, 'Invalid request: missing source parameter'],
		[{ q: 'x', source: 'en' }, 'Invalid request: missing target parameter'],
		[{ q: 'x', source: 'en', target: 'zz' }, 'zz is not supported'],
		[{ q: 'x', source: 'zz', target: 'en' }, 'zz is not supported'],
		[{ q: 'x', source: 'en', target: 'de', format: 'xml' }, 'xml format is not supported'],
		[
			{ q: 'x', source: 'en', target: 'de', alternatives: 'many' },
			'Invalid request: alternatives parameter is not a number',
		],
		[['x'], 'Invalid JSON format'],
		['{', 'Invalid JSON format'],
		[{ q: 'x'.repeat(60_000), source: 'en', target: 'de' }, /exceeds text limit/],
	];
	for (const [body, message] of cases) {
		const { status, value } = await ask(body);
		assert.equal(status, 400, JSON.stringify(value));
		if (typeof message === 'string') assert.equal(value['error'], message);
		else assert.match(String(value['error']), message);
	}
});

test('languages and detection answer in its shapes', async () => {
	const languages = (await (
		await fetch(new URL('/libretranslate/languages', server.url))
	).json()) as { code: string; name: string; targets: string[] }[];
	const german = languages.find(({ code }) => code === 'de');
	assert.equal(german?.name, 'German');
	assert.ok(german?.targets.includes('en'));
	const response = await server.post('/libretranslate/detect', { q: 'Dies ist ein Test.' });
	assert.deepEqual(await response.json(), [{ confidence: 100, language: 'de' }]);
});

test('a key may stand in the body', async () => {
	const { key } = await server.store.create({ label: 'form', multiService: false }, new Date());
	assert.equal((await ask({ q: 'x y', source: 'en', target: 'de' })).status, 401);
	assert.equal((await ask({ q: 'x y', source: 'en', target: 'de', api_key: key })).status, 200);
	assert.equal(
		(await ask({ q: 'x y', source: 'en', target: 'de', api_key: server.key })).status,
		200,
	);
});

test('the limits that are set hold here too', async () => {
	const small = await startTranslateServer({
		env: { NEARGLOT_TRANSLATE_LIMITS: '{"translate":{"elements":2,"request":20}}' },
	});
	try {
		const post = async (q: unknown) => {
			const response = await small.post('/libretranslate/translate', {
				q,
				source: 'en',
				target: 'de',
			});
			return JSON.stringify(await response.json());
		};
		assert.match(await post(['a', 'b']), /translatedText/);
		assert.match(await post(['a', 'b', 'c']), /exceeds batch limit \(2\)/);
		assert.match(await post('x'.repeat(21)), /exceeds text limit \(20\)/);
	} finally {
		await small.close();
	}
});
