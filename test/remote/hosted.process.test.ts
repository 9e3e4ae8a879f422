import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostedAddress } from '../../server/remote/hostedAddress.ts';
import { retryAfter } from '../../server/remote/hostedErrors.ts';
import {
	createHostedTranslator,
	type HostedDeps,
	type HostedOptions,
	parts,
} from '../../server/remote/hostedTranslator.ts';
import { translateRemotely } from '../../server/services/translate/translateRemote.ts';
import type { TranslateRequest } from '../../server/services/translate/translateRequest.ts';
import { startTranslateServer } from '../support/translateServer.ts';

interface Asked {
	readonly url: URL;
	readonly headers: Headers;
	readonly texts: readonly string[];
}

/** A service that answers by a list of replies; then it upper-cases. */
function service(replies: (() => Response)[] = []) {
	const asked: Asked[] = [];
	const slept: number[] = [];
	let now = 0;
	const answer: typeof fetch = async (input, init) => {
		const url = new URL(String(input));
		const headers = new Headers(init?.headers);
		const texts = url.pathname.endsWith('/issueToken')
			? []
			: (JSON.parse(String(init?.body)) as { Text: string }[]).map(({ Text }) => Text);
		asked.push({ url, headers, texts });
		const reply = replies.shift();
		if (reply) return reply();
		if (url.pathname.endsWith('/issueToken')) return new Response(`token-${asked.length}`);
		const to = url.searchParams.getAll('to');
		return Response.json(
			texts.map((text) => ({
				translations: to.map((language) => ({
					text: text.replace(/(<[^>]*>|&\w+;)|[^<&]+/g, (part, kept) =>
						kept ? part : part.toUpperCase(),
					),
					to: language,
				})),
			})),
			{ headers: { 'x-mt-system': to.map(() => 'Team').join(',') } },
		);
	};
	const deps: HostedDeps = {
		fetch: answer,
		now: () => now,
		random: () => 0,
		sleep: async (milliseconds) => {
			slept.push(milliseconds);
			now += milliseconds;
		},
	};
	const open = (options: HostedOptions) => createHostedTranslator(options, deps);
	return {
		asked,
		slept,
		open,
		advance: (milliseconds: number) => {
			now += milliseconds;
		},
	};
}

const request: TranslateRequest = {
	owner: 'local',
	texts: ['Hello'],
	targets: [{ language: 'de' }],
	source: 'en',
	textType: 'plain',
	allowFallback: true,
	profanityAction: 'NoAction',
	profanityMarker: 'Asterisk',
	alignment: false,
	priority: 'interactive',
};
const plain = { texts: ['a'], to: ['de'], parameters: {} };
const failure =
	(status: number, code: number, headers: Record<string, string> = {}) =>
	() =>
		Response.json({ error: { code, message: 'No.' } }, { status, headers });

test('each kind of address gets its path and its place for tokens', () => {
	assert.deepEqual(hostedAddress(undefined, 'West Europe'), {
		base: 'https://api.cognitive.microsofttranslator.com',
		tokenUrl: 'https://westeurope.api.cognitive.microsoft.com/sts/v1.0/issueToken',
		custom: false,
	});
	assert.equal(
		hostedAddress('https://mine.cognitiveservices.azure.com/', undefined).base,
		'https://mine.cognitiveservices.azure.com/translator/text/v3.0',
	);
	assert.equal(
		hostedAddress('http://team.example:8080/t', undefined).base,
		'http://team.example:8080/t',
	);
	assert.throws(() => hostedAddress('ftp://x', undefined), /https/);
	assert.throws(
		() =>
			createHostedTranslator(
				{ endpoint: 'no address', key: 'k' },
				{ fetch, now: Date.now, random: Math.random, sleep: async () => {} },
			),
		/no address/,
	);
});

test('requests are split by number and by characters times targets', () => {
	assert.deepEqual(
		parts(
			Array.from({ length: 2500 }, () => 'x'),
			1,
		).map(({ length }) => length),
		[1000, 1000, 500],
	);
	assert.deepEqual(
		parts(['a'.repeat(20_000), 'b'.repeat(20_000), 'c'.repeat(20_000)], 1).map(
			({ length }) => length,
		),
		[2, 1],
	);
	assert.deepEqual(
		parts(['a'.repeat(9000), 'b'.repeat(9000)], 3).map(({ length }) => length),
		[1, 1],
	);
});

test('key and region travel in their headers', async () => {
	const { asked, open } = service();
	await open({ key: 'k', region: 'eastus' }).translate(plain);
	assert.equal(asked[0]?.headers.get('ocp-apim-subscription-key'), 'k');
	assert.equal(asked[0]?.headers.get('ocp-apim-subscription-region'), 'eastus');
	assert.equal(asked[0]?.url.searchParams.get('api-version'), '3.0');
	await assert.rejects(open({}).translate(plain), /needs a key/);
});

test('a token is asked for once by all who wait, and again after eight minutes or a refusal', async () => {
	const { asked, open, advance } = service();
	const translator = open({ key: 'k', region: 'eastus', useTokens: true });
	await Promise.all([
		translator.translate(plain),
		translator.translate(plain),
		translator.translate(plain),
	]);
	const tokens = () => asked.filter(({ url }) => url.pathname.endsWith('issueToken')).length;
	assert.equal(tokens(), 1);
	assert.match(asked.at(-1)?.headers.get('authorization') ?? '', /^Bearer token-/);
	assert.equal(asked.at(-1)?.headers.get('ocp-apim-subscription-key'), null);
	advance(7.9 * 60_000);
	await translator.translate(plain);
	assert.equal(tokens(), 1);
	advance(0.2 * 60_000);
	await translator.translate(plain);
	assert.equal(tokens(), 2);
	const refused = service([
		() => new Response('t1'),
		failure(401, 401001),
		() => new Response('t2'),
	]);
	const { rows } = await refused.open({ key: 'k', useTokens: true }).translate(plain);
	assert.equal(rows[0]?.translations[0]?.text, 'A');
});

test('directory tokens name their resource on the global address only', async () => {
	const { asked, open } = service();
	const directoryToken = async () => 'dir';
	await open({ directoryToken, resourceId: '/r', region: 'eastus' }).translate(plain);
	await open({
		directoryToken,
		resourceId: '/r',
		endpoint: 'https://mine.cognitiveservices.azure.com',
	}).translate(plain);
	assert.deepEqual(
		asked.map(({ headers }) => [headers.get('authorization'), headers.get('ocp-apim-resourceid')]),
		[
			['Bearer dir', '/r'],
			['Bearer dir', null],
		],
	);
});

test('429 and 503 are tried again after the time the service names, other refusals are not', async () => {
	const busy = service([
		failure(429, 429001, { 'retry-after': '7' }),
		failure(503, 503000, { 'retry-after-ms': '250' }),
	]);
	assert.equal(
		(await busy.open({ key: 'k' }).translate(plain)).rows[0]?.translations[0]?.text,
		'A',
	);
	assert.deepEqual(busy.slept, [7000, 250]);
	const long = service([failure(429, 429001, { 'retry-after': '3600' })]);
	await assert.rejects(
		long.open({ key: 'k' }).translate(plain),
		(error: { code: string; retryAfterS: number }) =>
			error.code === 'rate_limited' && error.retryAfterS === 3600,
	);
	const never = service(Array.from({ length: 9 }, () => failure(503, 503000)));
	await assert.rejects(never.open({ key: 'k' }).translate(plain));
	assert.equal(never.asked.length, 4);
	const wrong = service([failure(401, 401000)]);
	await assert.rejects(wrong.open({ key: 'k' }).translate(plain), /key is wrong.*region/);
	assert.equal(wrong.asked.length, 1);
});

test('refusals come with advice, odd answers are refused', async () => {
	for (const [status, code, words] of [
		[403, 403001, /quota/],
		[401, 401015, /another service/],
		[400, 400036, /target language/],
		[418, 418000, /No\./],
	] as const)
		await assert.rejects(
			service([failure(status, code)])
				.open({ key: 'k' })
				.translate(plain),
			words,
		);
	await assert.rejects(
		service([() => Response.json([])])
			.open({ key: 'k' })
			.translate(plain),
		/not understood/,
	);
	await assert.rejects(
		service([() => new Response('<html>', { status: 502 })])
			.open({ key: 'k' })
			.translate(plain),
		/502/,
	);
	assert.equal(
		retryAfter(new Headers({ 'retry-after': new Date(90_000).toUTCString() }), 60_000),
		30,
	);
});

test('placeholders travel as elements the service leaves alone, and come back bare', async () => {
	const { asked, open } = service();
	const result = await translateRemotely(open({ key: 'k' }), {
		...request,
		texts: ['Open {0} & `a.ts` <now>', 'Bare & text'],
	});
	assert.equal(asked[0]?.url.searchParams.get('textType'), 'html');
	assert.equal(
		asked[0]?.texts[0],
		'Open <span class="notranslate">{0}</span> &amp; <span class="notranslate">`a.ts`</span> &lt;now&gt;',
	);
	assert.deepEqual(
		result.items.map(({ translations }) => translations[0]?.text.toLowerCase()),
		['open {0} & `a.ts` <now>', 'bare & text'],
	);
	assert.equal(result.characters, 34);
});

test('a text longer than a request is cut between sentences and joined again', async () => {
	const { asked, open } = service();
	const text = 'A sentence of forty characters is here. '.repeat(2000);
	const result = await translateRemotely(open({ key: 'k' }), { ...request, texts: [text] });
	assert.equal(result.items[0]?.translations[0]?.text, text.toUpperCase());
	assert.ok(
		asked.length > 1 && asked.every(({ texts }) => texts.every(({ length }) => length <= 50_000)),
	);
});

test('the client and this server understand each other', async () => {
	const server = await startTranslateServer({ requireKey: true });
	try {
		const deps: HostedDeps = { fetch, now: Date.now, random: Math.random, sleep: async () => {} };
		for (const options of [{ key: server.key }, { key: server.key, useTokens: true }]) {
			const translator = createHostedTranslator({ endpoint: server.url, ...options }, deps);
			const result = await translateRemotely(translator, {
				...request,
				texts: ['Hello {name}. Bye.'],
				targets: [{ language: 'de' }, { language: 'fr' }],
			});
			assert.deepEqual(
				result.items[0]?.translations.map(({ text }) => text),
				['HELLO {name}. BYE.', 'HELLO {name}. BYE.'],
			);
			assert.deepEqual(result.systems, ['Team', 'Team']);
		}
	} finally {
		await server.close();
	}
});
