/** Bodies nobody should send, many requests at once, and callers that go away. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startTranslateServer, type TranslateServer } from '../support/translateServer.ts';
import { until } from '../support/until.ts';
import { awkwardHtml, awkwardText, seeded } from '../translate/random.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes that are reachable, and bytes of the process, after a collection. */
function memory(): { held: number; rss: number } {
	collect();
	const { heapUsed, external, rss } = process.memoryUsage();
	return { held: heapUsed + external, rss };
}

let server: TranslateServer;
before(async () => {
	server = await startTranslateServer();
});
after(() => server.close());

const post = (query: string, body: unknown) =>
	server.post(`/translate?api-version=3.0&${query}`, body);

/** Bodies by rule; every one has been a fault of some service. */
function oddBody(round: number): { query: string; body: string } {
	const random = seeded(round + 1);
	const item = (text: unknown) => JSON.stringify([{ Text: text }]);
	const kinds: readonly (() => { query: string; body: string })[] = [
		() => ({ query: 'to=de', body: item(awkwardText(random, 60)) }),
		() => ({
			query: 'to=de,fr&includeAlignment=true&includeSentenceLength=true',
			body: item(awkwardText(random, 40)),
		}),
		() => ({
			query: 'to=zh-Hans&textType=html&profanityAction=Marked',
			body: item(awkwardHtml(random, 60)),
		}),
		() => ({
			query: 'to=de&textType=html',
			body: item(
				`${'<b><i>'.repeat(random.below(2000))}deep${'</i></b>'.repeat(random.below(2000))}`,
			),
		}),
		() => ({
			query: 'to=de&textType=html',
			body: item('<p '.repeat(random.below(3000)) + awkwardHtml(random, 9)),
		}),
		() => ({
			query: 'to=de',
			body: `[{"Text":"${'\\ud800'.repeat(random.below(50))}x\\u0000\\u200f"}]`,
		}),
		() => ({ query: 'to=de', body: item('x'.repeat(random.below(60_000))) }),
		() => ({ query: 'to=de', body: item('a. '.repeat(random.below(4000))) }),
		() => ({
			query: 'to=de',
			body: JSON.stringify(Array.from({ length: random.below(1100) }, () => ({ Text: 'ok' }))),
		}),
		() => ({
			query: 'to=de',
			body: item(
				random.pick([
					null,
					1,
					{},
					[],
					true,
					'',
					' ',
					'\n',
					'👩‍👩‍👧',
					'\u202Eabc',
					'&#0;',
					'`'.repeat(999),
					'{'.repeat(999),
					'<'.repeat(999),
				]),
			),
		}),
		() => ({
			query: 'to=de',
			body: random.pick([
				'',
				'null',
				'[]',
				'{}',
				'[[]]',
				'[1]',
				'"x"',
				'[{"Text":"x"}',
				'\ufeff[{"Text":"x"}]',
				'[{"Text":"x"},{}]',
				'{"0":{"Text":"x"}}',
				'[{"Text":"\u0001"}]',
			]),
		}),
		() => ({
			query: `to=${encodeURIComponent(awkwardText(random, 3))}&from=${encodeURIComponent(awkwardText(random, 2))}`,
			body: item('x'),
		}),
		() => ({
			query: `to=de&category=${encodeURIComponent(awkwardText(random, 2))}&allowFallback=${random.pick(['true', 'false', '', '1'])}`,
			body: item('x'),
		}),
		() => ({
			query: 'to=zh-Hans&toScript=Latn&profanityAction=Deleted',
			body: item(awkwardText(random, 20)),
		}),
		() => ({
			query: 'from=hi&fromScript=Latn&to=ru&toScript=Latn',
			body: item(awkwardText(random, 20)),
		}),
	];
	return random.pick(kinds)();
}

test('500 odd bodies get the right result or the right refusal, in bounded memory', async () => {
	const seen = new Map<number, number>();
	let warm = { held: 0, rss: 0 };
	let most = 0;
	for (let round = 0; round < 500; round++) {
		// By then tables, caches and compiled code are there; what comes after must not pile up.
		if (round === 150) warm = memory();
		if (round > 150 && round % 10 === 0) most = Math.max(most, process.memoryUsage().rss);
		const { query, body } = oddBody(round);
		const response = await post(query, body);
		const value = (await response.json()) as unknown;
		const label = `${round} ${query} ${body.slice(0, 120)} → ${JSON.stringify(value).slice(0, 200)}`;
		seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
		assert.ok([200, 400].includes(response.status), label);
		if (response.status === 200) {
			const items = JSON.parse(body.replace(/^\ufeff/, '')) as unknown[];
			assert.equal((value as unknown[]).length, items.length, label);
		} else
			assert.match(String((value as { error: { code: number } }).error.code), /^400\d{3}$/, label);
	}
	assert.ok((seen.get(200) ?? 0) > 120 && (seen.get(400) ?? 0) > 50, JSON.stringify([...seen]));
	const kept = (memory().held - warm.held) / 1e6;
	const peak = (most - warm.rss) / 1e6;
	assert.ok(kept < 40, `${kept} MB more are held after 350 bodies`);
	assert.ok(peak < 300, `${peak} MB more were used on the way`);
});

test('the other operations refuse odd bodies in the same manner', async () => {
	const random = seeded(99);
	const operations = [
		'/detect?',
		'/breaksentence?',
		'/transliterate?language=hi&fromScript=Deva&toScript=Latn&',
		'/dictionary/lookup?from=en&to=de&',
		'/dictionary/examples?from=en&to=de&',
	];
	for (let round = 0; round < 100; round++) {
		const body = random.pick([
			JSON.stringify([{ Text: awkwardText(random, 30) }]),
			'[]',
			'{',
			'[null]',
			'[{"Text":5}]',
			JSON.stringify([{ Text: 'x'.repeat(60_000) }]),
		]);
		const response = await server.post(`${random.pick(operations)}api-version=3.0`, body);
		assert.ok([200, 400].includes(response.status), `${response.status} ${body.slice(0, 80)}`);
		await response.text();
	}
});

test('200 requests at once give the texts they give one by one, each with one call of the model', async () => {
	const sentence = (index: number) =>
		`Request number ${index} is for the file called report ${index % 7}.`;
	const one = async (index: number): Promise<string> => {
		const response = await post('from=en&to=de', [{ Text: sentence(index) }]);
		const rows = (await response.json()) as { translations: { text: string }[] }[];
		return rows[0]?.translations[0]?.text ?? '';
	};
	const before = server.engine.calls.length;
	const together = await Promise.all(Array.from({ length: 200 }, (_, index) => one(index)));
	assert.equal(server.engine.calls.length - before, 200);
	together.forEach((text, index) => {
		assert.equal(text, sentence(index).toUpperCase());
	});
	const cached = server.engine.calls.length;
	assert.equal(await one(5), together[5]);
	assert.equal(
		server.engine.calls.length,
		cached,
		'a sentence that was seen is not translated again',
	);
});

test('the texts of a request reach the model in one message, whatever their lengths', async () => {
	const before = server.engine.calls.length;
	const texts = Array.from({ length: 60 }, (_, index) => ({
		Text: `${'long '.repeat(index % 2 === 0 ? 2 : 60)}sentence ${index}.`,
	}));
	const response = await post('from=en&to=es', texts);
	assert.equal(response.status, 200);
	const calls = server.engine.calls.slice(before);
	assert.ok(calls.length <= 3, `${calls.length} calls`);
	const items = calls.flatMap((call) => call.items);
	assert.equal(items.length, 60);
	assert.equal(new Set(items.map(({ maxTokens }) => maxTokens)).size, 2, 'each has its own limit');
});

test('all targets of a text reach the model together, side by side', async () => {
	const ask = async (number: number) => {
		const before = server.engine.calls.length;
		const response = await post('from=en&to=de,fr,es,ja,ru', [
			{ Text: `Source sentence number ${number}.` },
			{ Text: `Another one to read, number ${number}.` },
		]);
		assert.equal(response.status, 200);
		const calls = server.engine.calls.slice(before);
		assert.equal(calls.flatMap(({ items }) => items).length, 10);
		return calls;
	};
	// A loop that others keep busy comes to the targets in two turns now and then.
	let calls = await ask(0);
	for (let number = 1; calls.length > 1 && number < 5; number++) calls = await ask(number);
	assert.equal(calls.length, 1, 'one batch holds every sentence and every target');
	const texts = calls[0]?.items.map(({ text }) => text) ?? [];
	assert.equal(texts.length, 10);
	assert.equal(new Set(texts.slice(0, 5)).size, 1, 'targets of one source are neighbours');
	assert.deepEqual(
		calls[0]?.items
			.slice(0, 5)
			.map(({ targetLanguage }) => targetLanguage)
			.sort(),
		['de', 'es', 'fr', 'ja', 'ru'],
	);
});

test('a sentence somebody waits for reaches the model while it works on a file', async () => {
	const before = server.engine.calls.length;
	let open = () => {};
	server.engine.gate = new Promise<void>((resolve) => {
		open = resolve;
	});
	const texts = Array.from({ length: 400 }, (_, index) => ({
		Text: `Line ${index} of a long file that is being translated.`,
	}));
	let isFileDone = false;
	const file = post('from=en&to=pl', texts).finally(() => {
		isFileDone = true;
	});
	await until('the engine is called', () => server.engine.calls.length > before);
	server.engine.gate = undefined;
	const hover = await post('from=en&to=pl', [{ Text: 'A hover.' }]);
	assert.equal(isFileDone, false);
	open();
	assert.equal((await file).status, 200);
	assert.equal(hover.status, 200);
	const own = server.engine.calls.find(({ items }) => items[0]?.text === 'A hover.');
	assert.deepEqual([own?.items.length, own?.priority], [1, 'interactive']);
});

test('a caller that goes away frees the model', async () => {
	let open = () => {};
	server.engine.gate = new Promise<void>((resolve) => {
		open = resolve;
	});
	const before = server.engine.aborted;
	const stop = new AbortController();
	const gone = server.post(
		'/translate?api-version=3.0&from=en&to=de',
		[{ Text: 'Nobody waits for this one.' }],
		{ signal: stop.signal },
	);
	gone.catch(() => {});
	const calls = server.engine.calls.length;
	await until('the engine is called', () => server.engine.calls.length > calls);
	stop.abort();
	await assert.rejects(gone);
	await until('the engine is stopped', () => server.engine.aborted > before);
	assert.equal(server.engine.aborted, before + 1);
	server.engine.gate = undefined;
	open();
	assert.equal((await post('from=en&to=de', [{ Text: 'The next one works.' }])).status, 200);
});

test('a caller that goes away takes nothing from those it shares a batch with', async () => {
	let open = () => {};
	server.engine.gate = new Promise<void>((resolve) => {
		open = resolve;
	});
	const stop = new AbortController();
	const gone = server.post(
		'/translate?api-version=3.0&from=en&to=de',
		[{ Text: 'Gone away soon.' }],
		{ signal: stop.signal },
	);
	const stays = post('from=en&to=de', [{ Text: 'Stays and waits.' }]);
	gone.catch(() => {});
	await new Promise((resolve) => setTimeout(resolve, 100));
	stop.abort();
	await assert.rejects(gone);
	open();
	server.engine.gate = undefined;
	const rows = (await (await stays).json()) as { translations: { text: string }[] }[];
	assert.equal(rows[0]?.translations[0]?.text, 'STAYS AND WAITS.');
});
