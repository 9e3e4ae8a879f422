/** `api-version=2026-06-06`: the shape its published client sends and expects. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { askedTexts, scriptedChat, shouted } from '../support/scriptedChat.ts';
import { startTranslateServer, type TranslateServer } from '../support/translateServer.ts';

/** Writes capitals, and nothing for what is bad. */
const chat = scriptedChat((text) => (text.startsWith('Bad') ? '' : shouted(text)));
let server: TranslateServer;
before(async () => {
	server = await startTranslateServer({ chat });
});
after(() => server.close());

const version = 'api-version=2026-06-06';

async function post(path: string, body: unknown) {
	const response = await server.post(path, body);
	return { response, value: (await response.json()) as Record<string, unknown> };
}

interface Row {
	readonly detectedLanguage?: { readonly language: string; readonly score: number };
	readonly translations: readonly {
		readonly text: string;
		readonly language: string;
		readonly sourceCharacters: number;
	}[];
}

async function translate(inputs: readonly unknown[]): Promise<readonly Row[]> {
	const { response, value } = await post(`/translate?${version}`, { inputs });
	assert.equal(response.status, 200, JSON.stringify(value));
	return value['value'] as Row[];
}

async function code(inputs: unknown, path = `/translate?${version}`): Promise<unknown> {
	const { response, value } = await post(path, inputs);
	assert.notEqual(response.status, 200, JSON.stringify(value));
	return (value['error'] as { code: unknown }).code;
}

const one = (input: object) => ({ inputs: [input] });
const german = [{ language: 'de' }];

test('texts have targets of their own, in order, with what they cost', async () => {
	const { response, value } = await post(`/translate?${version}`, {
		inputs: [
			{ text: 'This is a test.', targets: [{ language: 'de' }, { language: 'zh-cn' }] },
			{ text: 'Dies ist ein Test.', language: 'de', targets: [{ language: 'fr' }] },
		],
	});
	assert.deepEqual(value['value'], [
		{
			detectedLanguage: { language: 'en', score: 1 },
			translations: [
				{ text: 'THIS IS A TEST.', language: 'de', sourceCharacters: 15 },
				{ text: '字字字字.', language: 'zh-Hans', sourceCharacters: 15 },
			],
		},
		{ translations: [{ text: 'DIES IST EIN TEST.', language: 'fr', sourceCharacters: 18 }] },
	]);
	assert.equal(response.headers.get('sourcecharacterscharged'), '48');
});

test('options belong to a text or to a target and change only that one', async () => {
	const [html, script, profane] = await translate([
		{
			text: '<p translate="no">Keep</p><p>Go on</p>',
			textType: 'Html',
			language: 'en',
			targets: german,
		},
		{
			text: 'ap kaise ho',
			language: 'hi',
			script: 'Latn',
			targets: [{ language: 'zh-Hans', script: 'Latn' }],
		},
		{
			text: 'This is shit.',
			language: 'en',
			targets: [
				{ language: 'de', profanityAction: 'Marked' },
				{ language: 'de', profanityAction: 'Marked', profanityMarker: 'Tag' },
				{ language: 'de' },
			],
		},
	]);
	assert.equal(html?.translations[0]?.text, '<p translate="no">Keep</p><p>GO ON</p>');
	assert.match(script?.translations[0]?.text ?? '', /^zì zì/);
	assert.deepEqual(
		server.engine.calls.at(-1)?.items.filter(({ text }) => /ap kaise/.test(text)),
		[],
	);
	const texts = profane?.translations.map(({ text }) => text) ?? [];
	assert.match(texts[0] ?? '', /\*\*\*/);
	assert.match(texts[1] ?? '', /<profanity>/);
	assert.equal(texts[2], 'THIS IS SHIT.');
});

test('every fault has its code, written as a text', async () => {
	const cases: readonly (readonly [unknown, string])[] = [
		[[{ text: 'x', targets: german }], '400000'],
		[{ inputs: [] }, '400005'],
		[{ inputs: [null] }, '400020'],
		[one({ targets: german }), '400005'],
		[one({ text: 'x' }), '400036'],
		[one({ text: 'x', targets: [{ language: 'xx' }] }), '400036'],
		[one({ text: 'x', language: 'xx', targets: german }), '400035'],
		[one({ text: 'x', script: 'Latn', targets: german }), '400035'],
		[one({ text: 'x', language: 'hi', script: 'Cyrl', targets: german }), '400006'],
		[one({ text: 'x', textType: 'xml', targets: german }), '400071'],
		[one({ text: 'x', targets: [{ language: 'de', profanityAction: 'x' }] }), '400042'],
		[one({ text: 'x', targets: [{ language: 'de', script: 'Cyrl' }] }), '400080'],
		[one({ text: 'x', targets: [{ language: 'de', deploymentName: 'a b' }] }), '400002'],
		[one({ text: 'x', targets: [{ language: 'de', tone: 'formal' }] }), '400042'],
		[one({ text: 'x', targets: [{ language: 'de', gender: 'female' }] }), '400042'],
		[one({ text: 'x', targets: [{ language: 'de', adaptiveDatasetId: 'x' }] }), '400042'],
		[
			one({
				text: 'x',
				targets: [{ language: 'de', referenceTextPairs: [{ source: 'a', target: 'b' }] }],
			}),
			'400042',
		],
		[
			one({
				text: 'x',
				language: 'en',
				targets: [{ language: 'de', deploymentName: 'own', allowFallback: false }],
			}),
			'400079',
		],
		[one({ text: 'x'.repeat(50_001), targets: german }), '400050'],
		[one({ text: 'x'.repeat(30_000), targets: [...german, ...german] }), '400077'],
	];
	for (const [body, expected] of cases)
		assert.equal(await code(body), expected, JSON.stringify(body).slice(0, 90));
	assert.equal(await code(one({ text: 'x' }), `/detect?${version}`), '400021');
	const neutral = { language: 'de', tone: 'neutral', gender: 'neutral', deploymentName: 'general' };
	assert.equal((await translate([{ text: 'Go.', targets: [neutral] }])).length, 1);
	const named = { language: 'de', deploymentName: 'any-to-any:latest', allowFallback: false };
	assert.equal((await translate([{ text: 'Go.', targets: [named] }])).length, 1);
});

test('a chat model as deployment knows tone, gender and reference pairs', async () => {
	const target = {
		language: 'de',
		deploymentName: 'chat:scripted',
		tone: 'informal',
		gender: 'female',
	};
	const pairs = [{ source: 'Go away.', target: 'Geh weg.' }];
	const { response, value } = await post(
		`/translate?${version}`,
		one({ text: 'Go on.', language: 'en', targets: [{ ...target, referenceTextPairs: pairs }] }),
	);
	const translations = [{ text: 'GO ON.', language: 'de', sourceCharacters: 6 }];
	assert.deepEqual(value, { value: [{ translations }] });
	assert.equal(response.headers.get('x-nearglot-models'), 'scripted:1');
	const question = chat.asked.at(-1) ?? assert.fail();
	assert.match(question.messages[0]?.content ?? '', /informally[\s\S]*female/);
	assert.deepEqual(askedTexts(question).examples, pairs);
	for (const wrong of [{ tone: 'rude' }, { gender: 'x' }, { referenceTextPairs: [{ source: 1 }] }])
		assert.equal(await code(one({ text: 'x', targets: [{ ...target, ...wrong }] })), '400042');
	const { value: listed } = await (async () => {
		const answer = await fetch(`${server.url}/languages?${version}`);
		return { value: (await answer.json()) as { models: unknown } };
	})();
	assert.deepEqual(listed.models, ['chat:scripted:1']);
});

test('in version 3.0 a chat model is a category, comments go along, and what is refused is counted', async () => {
	const path = '/translate?api-version=3.0&to=ja&category=chat&tone=formal';
	const texts = [{ Text: 'Open', Comment: 'A door' }, { Text: 'Bad {0} one.' }, { Text: 'Fine.' }];
	const { response, value } = await post(path, texts);
	assert.deepEqual(
		(value as unknown as { translations: { text: string }[] }[]).map(
			({ translations }) => translations[0]?.text,
		),
		['OPEN', 'Bad {0} one.', 'FINE.'],
	);
	assert.equal(response.headers.get('x-mt-system'), 'Custom');
	assert.equal(response.headers.get('x-nearglot-models'), 'scripted:1');
	assert.equal(response.headers.get('x-nearglot-refused'), '1');
	const first = chat.asked.find((question) => askedTexts(question).comments !== undefined);
	assert.deepEqual(first && askedTexts(first).comments, { 1: 'A door' });
	const without = await post('/translate?api-version=3.0&to=de&from=en&tone=formal', [
		{ Text: 'x' },
	]);
	assert.equal((without.value['error'] as { code: unknown }).code, 400042);
});

test('transliteration, languages and the custom path follow', async () => {
	const { value } = await post(
		`/transliterate?${version}&language=ru&fromScript=Cyrl&toScript=Latn`,
		one({ text: 'Привет' }),
	);
	assert.deepEqual(value, { value: [{ text: 'Privet', script: 'Latn' }] });
	const languages = await fetch(new URL(`/languages?${version}`, server.url));
	const scopes = (await languages.json()) as Record<string, unknown>;
	assert.deepEqual(Object.keys(scopes), ['translation', 'transliteration', 'models']);
	const body = one({ text: 'Hello', targets: german });
	for (const path of [
		'/translator/text/translate',
		'/cognitiveservices-x/translator/text/translate',
	])
		assert.equal((await post(`${path}?${version}`, body)).response.status, 200, path);
});
