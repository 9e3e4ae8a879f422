/** The documented behaviour of `/translate` 3.0, case by case. */

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startTranslateServer, type TranslateServer } from '../support/translateServer.ts';

interface Translated {
	readonly detectedLanguage?: { readonly language: string; readonly score: number };
	readonly sourceText?: { readonly text: string };
	readonly translations: readonly {
		readonly text: string;
		readonly to: string;
		readonly transliteration?: { readonly text: string; readonly script: string };
		readonly alignment?: { readonly proj: string };
		readonly sentLen?: {
			readonly srcSentLen: readonly number[];
			readonly transSentLen: readonly number[];
		};
	}[];
}

let server: TranslateServer;
before(async () => {
	server = await startTranslateServer();
});
after(() => server.close());

const path = (query: string) => `/translate?api-version=3.0&${query}`;

async function ask(
	query: string,
	body: unknown,
	headers: Record<string, string> = {},
): Promise<{ rows: Translated[]; response: Response }> {
	const response = await server.post(path(query), body, { headers });
	const value: unknown = await response.json();
	assert.equal(response.status, 200, JSON.stringify(value));
	return { rows: value as Translated[], response };
}

async function refused(query: string, body: unknown, init: RequestInit = {}): Promise<number> {
	const response = await server.post(query.startsWith('/') ? query : path(query), body, init);
	const value = (await response.json()) as { error: { code: number; message: string } };
	assert.equal(typeof value.error?.message, 'string', JSON.stringify(value));
	assert.equal(response.status, Math.floor(value.error.code / 1000), JSON.stringify(value));
	assert.ok(response.headers.get('x-requestid'));
	return value.error.code;
}

const hello = [{ Text: 'Hello, what is your name?' }];

test('a source that is given is not reported, one that is detected is', async () => {
	const given = (await ask('from=en&to=zh-Hans', hello)).rows[0];
	assert.equal(given?.detectedLanguage, undefined);
	assert.match(given?.translations[0]?.text ?? '', /\p{Script=Han}/u);
	assert.equal(given?.translations[0]?.to, 'zh-Hans');
	const found = (await ask('to=zh-Hans', hello)).rows[0];
	assert.deepEqual(found?.detectedLanguage, { language: 'en', score: 1 });
});

test('fields are in the order of the live service', async () => {
	const response = await server.post(
		path('to=de&includeAlignment=true&includeSentenceLength=true'),
		hello,
	);
	assert.match(
		await response.text(),
		/^\[\{"detectedLanguage":.*"translations":\[\{"text":.*"to":.*"alignment":.*"sentLen":/,
	);
});

test('text may be written text or Text, other fields are ignored', async () => {
	for (const item of [{ text: 'Good day' }, { Text: 'Good day' }, { TEXT: 'Good day', more: [1] }])
		assert.equal((await ask('from=en&to=de', [item])).rows[0]?.translations[0]?.text, 'GOOD DAY');
});

test('several texts and targets come back in order, however to is written', async () => {
	const { rows } = await ask('from=en&to=de&to=fr', [{ Text: 'one' }, { Text: 'two' }]);
	assert.deepEqual(
		rows.map((row) => row.translations.map(({ text, to }) => `${to}:${text}`)),
		[
			['de:ONE', 'fr:ONE'],
			['de:TWO', 'fr:TWO'],
		],
	);
	for (const to of ['to=cs,es,de', 'to=cs%2Ces%2Cde', 'to=cs&to=es&to=de', 'TO=cs,es&to=de'])
		assert.deepEqual(
			(await ask(`from=en&${to}`, [{ text: 'x' }])).rows[0]?.translations.map((done) => done.to),
			['cs', 'es', 'de'],
		);
});

test('usage is the length times the targets, markup included, and each target has its system', async () => {
	const { response } = await ask('from=en&to=cs,es,de', [{ Text: 'This is a test.' }]);
	assert.equal(response.headers.get('x-metered-usage'), '45');
	assert.equal(response.headers.get('x-mt-system'), 'Team,Team,Team');
	assert.match(response.headers.get('x-requestid') ?? '', /^TRAN\./);
	assert.match(response.headers.get('content-type') ?? '', /^application\/json; charset=utf-8$/i);
	const marked = await ask('from=zh-Hans&to=en&textType=html', [
		{ Text: '<span class=notranslate>今天是怎么回事是</span>非常可怕的' },
	]);
	assert.equal(marked.response.headers.get('x-metered-usage'), '44');
});

test('codes of languages are canonical in the answer', async () => {
	for (const [written, canonical] of [
		['zh-cn', 'zh-Hans'],
		['zh-chs', 'zh-Hans'],
		['ZH-HANS', 'zh-Hans'],
		['zh-CHT', 'zh-Hant'],
		['zh-tw', 'zh-Hant'],
		['DE', 'de'],
		['pt-BR', 'pt'],
	])
		assert.equal(
			(await ask(`from=en&to=${written}`, [{ text: 'x' }])).rows[0]?.translations[0]?.to,
			canonical,
		);
});

test('the same language is copied, with its sentence lengths', async () => {
	const text = 'Bonjour. Ça va ? Oui.';
	const done = (await ask('from=fr&to=fr&includeSentenceLength=true', [{ text }])).rows[0]
		?.translations[0];
	assert.equal(done?.text, text);
	assert.deepEqual(done?.sentLen?.srcSentLen, done?.sentLen?.transSentLen);
});

test('a target that is named twice is answered once, and empty texts count as one character', async () => {
	const { rows } = await ask('from=en&to=de&to=fr,DE&to=de', [{ Text: 'one' }]);
	assert.deepEqual(
		rows[0]?.translations.map(({ to }) => to),
		['de', 'fr'],
	);
	const many =
		'af,ar,bg,ca,cs,da,de,el,es,et,fa,fi,fr,he,hi,hr,hu,id,it,ja,ko,lt,lv,mt,nb,nl,pl,pt,ro,ru,sk,sl,sv,sw,ta,te,th,tr,uk,ur,vi,cy,ga,is,sq,hy,az,eu,bn,bs,kk';
	const empty = Array.from({ length: 1000 }, () => ({ Text: '' }));
	assert.equal(await refused(`from=en&to=${many}`, empty), 400077);
});

test('toScript adds a transliteration where the script is another one', async () => {
	const chinese = (await ask('from=en&to=zh-Hans&toScript=Latn', hello)).rows[0]?.translations[0];
	assert.equal(chinese?.transliteration?.script, 'Latn');
	assert.match(chinese?.transliteration?.text ?? '', /zì/);
	assert.equal(
		(await ask('from=en&to=de&toScript=Latn', hello)).rows[0]?.translations[0]?.transliteration,
		undefined,
	);
});

test('fromScript is read into the script of the language first', async () => {
	const arabic = (
		await ask('from=ar&fromScript=Latn&to=zh-Hans&toScript=Latn', [{ text: 'hudha akhtabar.' }])
	).rows[0];
	assert.match(arabic?.sourceText?.text ?? '', /\p{Script=Arabic}/u);
	assert.ok(arabic?.translations[0]?.transliteration);
	const tamil = (
		await ask('from=hi&fromScript=Latn&to=ta&toScript=Latn', [{ text: 'ap kaise ho' }])
	).rows[0];
	assert.match(tamil?.sourceText?.text ?? '', /\p{Script=Devanagari}/u);
	assert.equal(tamil?.translations[0]?.transliteration?.text, 'eppadi irukkiraai?');
});

test('sentence lengths add up on both sides', async () => {
	const text = 'The answer lies in machine translation. Is it good? It depends.';
	const done = (await ask('from=en&to=fr&includeSentenceLength=true', [{ text }])).rows[0]
		?.translations[0];
	assert.deepEqual(done?.sentLen?.srcSentLen, [40, 12, 11]);
	assert.equal(
		done?.sentLen?.srcSentLen.reduce((a, b) => a + b),
		text.length,
	);
	assert.equal(
		done?.sentLen?.transSentLen.reduce((a, b) => a + b),
		done?.text.length,
	);
});

test('alignment is inclusive and inside the texts', async () => {
	const text = 'The answer lies in machine translation.';
	const done = (await ask('from=en&to=fr&includeAlignment=true', [{ text }])).rows[0]
		?.translations[0];
	const proj = done?.alignment?.proj ?? '';
	assert.match(proj, /^(\d+:\d+-\d+:\d+)( \d+:\d+-\d+:\d+)*$/);
	assert.ok(proj.startsWith('0:2-0:2 '));
	assert.ok(proj.endsWith('38:38-38:38'));
});

test('alignment is left out where it is not supported', async () => {
	for (const query of [
		'from=en&to=de&textType=html',
		'from=en&to=zh-Hant',
		'from=en&to=yue',
		'from=de&to=fr',
	]) {
		const row = (await ask(`${query}&includeAlignment=true`, hello)).rows[0]?.translations[0];
		assert.equal(row?.alignment, undefined, query);
	}
	const text = 'A <mstrans:dictionary translation="b">c</mstrans:dictionary>.';
	assert.equal(
		(await ask('from=en&to=de&includeAlignment=true', [{ text }])).rows[0]?.translations[0]
			?.alignment,
		undefined,
	);
});

test('profanity of the source marks its partner; every action and marker differs', async () => {
	const text = 'shit this is fucking crazy';
	const act = async (query: string) =>
		(await ask(`from=en&to=zh-cn&${query}`, [{ text }])).rows[0]?.translations[0]?.text ?? '';
	assert.match(await act('profanityAction=Marked&profanityMarker=Asterisk'), /\*\*\*/);
	const tagged = await act('profanityAction=Marked&profanityMarker=Tag');
	assert.equal(tagged.match(/<profanity>/g)?.length, tagged.match(/<\/profanity>/g)?.length);
	assert.ok(tagged.includes('<profanity>'));
	const plain = await act('profanityAction=NoAction');
	assert.equal(plain, '字字字字字');
	const german =
		(await ask('from=en&to=de&profanityAction=Deleted', [{ text }])).rows[0]?.translations[0]
			?.text ?? '';
	assert.doesNotMatch(german, /SHIT|FUCKING| {2}/);
	assert.match(german, /THIS IS CRAZY/);
});

test('html keeps what is not to be translated, byte for byte', async () => {
	for (const mark of ['class="notranslate"', 'class=notranslate', 'translate="no"']) {
		const text = `<div ${mark}>This will not be translated.</div><div>This will be translated.</div>`;
		const done =
			(await ask('from=en&to=zh-Hans&textType=html', [{ text }])).rows[0]?.translations[0]?.text ??
			'';
		assert.ok(done.startsWith(`<div ${mark}>This will not be translated.</div><div>字`), done);
		assert.ok(done.endsWith('</div>'));
	}
});

test('plain text keeps its tags, and a malformed dictionary element is text', async () => {
	const html = '<html><body>This <b>is</b> a test.</body></html>';
	assert.equal(
		(await ask('from=en&to=cs', [{ text: html }])).rows[0]?.translations[0]?.text,
		'<html><body>THIS <b>IS</b> A TEST.</body></html>',
	);
	const good =
		'The word <mstrans:dictionary translation="wordomatic">wordomatic</mstrans:dictionary> is a dictionary entry.';
	assert.equal(
		(await ask('from=en&to=de', [{ text: good }])).rows[0]?.translations[0]?.text,
		'THE WORD wordomatic IS A DICTIONARY ENTRY.',
	);
	assert.equal(await refused('to=de', [{ text: good }]), 400035);
	const bad =
		'The word < mstrans:dictionary translation ="wordomatic">wordomatic</mstrans:dictionary> is.';
	assert.match(
		(await ask('to=es', [{ text: bad }])).rows[0]?.translations[0]?.text ?? '',
		/wordomatic/i,
	);
});

test('suggestedFrom is used when nothing can be told', async () => {
	const { rows } = await ask('to=fr&suggestedFrom=de', [
		{ text: '123' },
		{ text: 'This is certainly an English sentence.' },
	]);
	assert.equal(rows[0]?.detectedLanguage?.language, 'de');
	assert.equal(rows[1]?.detectedLanguage?.language, 'en');
});

test('a category brings its own terms, and without one it depends on allowFallback', async () => {
	await mkdir(join(server.systems, 'team'), { recursive: true });
	await writeFile(join(server.systems, 'team', 'terms.tsv'), 'build\tBauvorgang\n');
	await writeFile(join(server.systems, 'team', 'tm.tsv'), 'All is well.\tAlles ist gut.\n');
	await writeFile(
		join(server.systems, 'team', 'system.json'),
		JSON.stringify({
			pairs: [{ from: 'en', to: 'de', glossaries: ['terms.tsv'], memories: ['tm.tsv'] }],
		}),
	);
	const { rows, response } = await ask('from=en&to=de,fr&category=team', [
		{ text: 'The build failed. All is well.' },
	]);
	assert.deepEqual(
		rows[0]?.translations.map(({ text }) => text),
		['THE Bauvorgang FAILED. Alles ist gut.', 'THE BUILD FAILED. ALL IS WELL.'],
	);
	assert.equal(response.headers.get('x-mt-system'), 'Custom,Team');
	assert.equal(await refused('from=en&to=de&category=unknown&allowFallback=false', hello), 400079);
	assert.equal(await refused('from=en&to=de,fr&category=team&allowFallback=false', hello), 400079);
	assert.equal(
		(await ask('from=en&to=de&category=unknown&allowFallback=true', hello)).response.headers.get(
			'x-mt-system',
		),
		'Team',
	);
});

test('a category may name a model as every other door does, and latest is no other name', async () => {
	for (const name of ['any-to-any', 'any-to-any:1', 'Any-To-Any:01', 'any-to-any:latest']) {
		const { rows, response } = await ask(
			`from=en&to=de&category=${name}&allowFallback=false`,
			hello,
		);
		assert.equal(response.status, 200, JSON.stringify(rows));
		assert.equal(response.headers.get('x-mt-system'), 'Custom', name);
	}
	const own = await ask('from=en&to=de&category=team:latest&allowFallback=false', hello);
	assert.equal(own.response.headers.get('x-mt-system'), 'Custom');
	const general = await ask('from=en&to=de&category=general:latest&allowFallback=false', hello);
	assert.equal(general.response.headers.get('x-mt-system'), 'Team');
	assert.equal(
		await refused('from=en&to=de&category=any-to-any:2&allowFallback=false', hello),
		400079,
	);
});

test('a chain through English is custom when the category has both halves', async () => {
	const folder = join(server.systems, 'chain');
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, 'de-en.tsv'), 'Bau\tbuild\nTor\tgate\n');
	await writeFile(join(folder, 'en-fr.tsv'), 'build\tconstruction\n');
	await writeFile(join(folder, 'de-en.tm.tsv'), 'Alles gut.\tAll is well.\n');
	await writeFile(join(folder, 'en-fr.tm.tsv'), 'All is well.\tTout va bien.\n');
	const half = (from: string, to: string) => ({
		from,
		to,
		glossaries: [`${from}-${to}.tsv`],
		memories: [`${from}-${to}.tm.tsv`],
	});
	await writeFile(
		join(folder, 'system.json'),
		JSON.stringify({ pairs: [half('de', 'en'), half('en', 'fr')] }),
	);
	const before = server.engine.calls.length;
	const { rows, response } = await ask('from=de&to=fr&category=chain&allowFallback=false', [
		{ text: 'Der Bau am Tor steht. Alles gut.' },
	]);
	assert.equal(
		rows[0]?.translations[0]?.text,
		'DER construction AM TOR STEHT. Tout va bien.',
		'terms and sentences both halves know',
	);
	assert.equal(response.headers.get('x-mt-system'), 'Custom');
	assert.deepEqual(
		server.engine.calls
			.slice(before)
			.flatMap(({ items }) => items.map((item) => `${item.sourceLanguage}-${item.targetLanguage}`)),
		['de-en', 'en-fr'],
	);
	assert.equal(await refused('from=fr&to=de&category=chain&allowFallback=false', hello), 400079);
});

test('a trace id must be a GUID', async () => {
	assert.equal(
		await refused('from=en&to=de', hello, { headers: { 'X-ClientTraceId': 'nonsense' } }),
		400043,
	);
	assert.equal(await refused('from=en&to=de&ClientTraceId=1', hello), 400043);
	await ask('from=en&to=de&ClientTraceId=8a4b1c1e-5d5f-4c53-9a3e-0a9b1c2d3e4f', hello);
});

test('every fault has its own code', async () => {
	const cases: readonly (readonly [query: string, body: unknown, code: number])[] = [
		['from=en', hello, 400036],
		['to=xx', hello, 400036],
		['to=de,qq', hello, 400036],
		['from=xx&to=de', hello, 400035],
		['to=de', {}, 400000],
		['to=de', '"x"', 400000],
		['to=de', '{broken', 400074],
		['to=de', '', 400074],
		['to=de', [], 400005],
		['to=de', [{}], 400005],
		['to=de', [{ Text: null }], 400005],
		['to=de', [null], 400020],
		['to=de', ['x'], 400020],
		['to=de', Array.from({ length: 1001 }, () => ({ Text: 'x' })), 400072],
		['from=en&to=de', [{ Text: 'x'.repeat(50_001) }], 400050],
		['from=en&to=de,fr,es', [{ Text: 'x'.repeat(20_000) }], 400077],
		['to=de&textType=xml', hello, 400071],
		['to=de&profanityAction=Foo', hello, 400042],
		['to=de&profanityMarker=Foo', hello, 400042],
		['to=de&includeAlignment=maybe', hello, 400042],
		['to=de&category=a%20b', hello, 400002],
		['from=en&to=zh-Hans&toScript=Zzzz9', hello, 400004],
		['from=en&to=zh-Hans&toScript=Zzzz', hello, 400004],
		['from=en&to=zh-Hans,de,fr&toScript=Latn&toScript=Latn', hello, 400070],
		['from=en&to=zh-Hans&toScript=Cyrl', hello, 400080],
		['from=hi&fromScript=Q&to=de', hello, 400018],
		['from=hi&fromScript=Cyrl&to=de', hello, 400006],
	];
	for (const [query, body, code] of cases)
		assert.equal(
			await refused(query, body),
			code,
			`${query} ${JSON.stringify(body)?.slice(0, 40)}`,
		);
	assert.equal(await refused('/translate?to=de', hello), 400021);
	assert.equal(await refused('/translate?api-version=2.0&to=de', hello), 400021);
	assert.equal(await refused('to=de', 'x', { headers: { 'content-type': 'text/plain' } }), 415000);
	const wrong = await fetch(new URL('/translate?api-version=3.0&to=de', server.url));
	assert.equal(wrong.status, 405);
	assert.equal(((await wrong.json()) as { error: { code: number } }).error.code, 405000);
});

test('the checks come in the documented order', async () => {
	assert.equal(
		await refused('/translate?to=xx', '{', { headers: { 'content-type': 'text/plain' } }),
		400021,
	);
	assert.equal(await refused('to=xx', '{', { headers: { 'content-type': 'text/plain' } }), 415000);
	assert.equal(await refused('to=xx', '{'), 400074);
	assert.equal(await refused('to=xx', []), 400005);
	assert.equal(await refused('to=xx&from=yy&textType=q', hello), 400036);
	assert.equal(await refused('to=de&from=yy&textType=q', hello), 400035);
	assert.equal(await refused('to=de&textType=q&profanityAction=q', hello), 400071);
});

test('a model that is still being downloaded is 408001', async () => {
	const [model] = server.models.splice(0, 1);
	assert.ok(model);
	try {
		server.models.push({
			...model,
			id: 'opus-mt-en-de:1',
			name: 'opus-mt-en-de',
			state: 'downloading',
		});
		assert.equal(await refused('from=en&to=de', hello), 408001);
	} finally {
		server.models.splice(0, server.models.length, model);
	}
});

test('the custom-endpoint path is the same interface', async () => {
	for (const prefix of ['/translator/text/v3.0', '/cognitiveservices-x/translator/text/v3.0']) {
		const response = await server.post(`${prefix}${path('from=en&to=de')}`, [{ Text: 'Hello' }]);
		assert.deepEqual(await response.json(), [{ translations: [{ text: 'HELLO', to: 'de' }] }]);
	}
});

test('limits can be set, and tell what they are', async () => {
	const small = await startTranslateServer({
		env: { NEARGLOT_TRANSLATE_LIMITS: '{"translate":{"elements":2,"element":10,"request":15}}' },
	});
	try {
		const code = async (texts: readonly string[], to = 'de') => {
			const response = await small.post(
				`${path(`from=en&to=${to}`)}`,
				texts.map((Text) => ({ Text })),
			);
			const value = (await response.json()) as { error?: { code: number } };
			return value.error?.code ?? response.status;
		};
		assert.equal(await code(['a', 'b']), 200);
		assert.equal(await code(['a', 'b', 'c']), 400072);
		assert.equal(await code(['x'.repeat(11)]), 400050);
		assert.equal(await code(['x'.repeat(8)], 'de,fr'), 400077);
	} finally {
		await small.close();
	}
});
