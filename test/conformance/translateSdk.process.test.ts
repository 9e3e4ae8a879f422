/** The published client of translate 3.0 against this server, with the cases of its own tests. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { createDefaultHttpClient, type HttpClient } from '@azure/core-rest-pipeline';
import createClient, {
	type GetSupportedLanguagesParameters,
	type GetSupportedLanguagesResultOutput,
	isUnexpected,
	type TranslatedTextItemOutput,
} from '@azure-rest/ai-translation-text';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { startTranslateServer, type TranslateServer } from '../support/translateServer.ts';

let server: TranslateServer;
let client: ReturnType<typeof createClient>;
before(async () => {
	server = await startTranslateServer({ requireKey: true });
	client = createClient(
		server.url,
		{ key: server.key, region: 'westeurope' },
		{ allowInsecureConnection: true },
	);
});
after(() => server.close());

async function translate(
	text: string | readonly string[],
	queryParameters: Record<string, unknown>,
): Promise<readonly TranslatedTextItemOutput[]> {
	const body = [text].flat().map((one) => ({ text: one }));
	const response = await client
		.path('/translate')
		.post({ body, queryParameters: queryParameters as { to: string } });
	assert.equal(response.status, '200', JSON.stringify(response.body));
	assert.ok(!isUnexpected(response));
	return response.body as readonly TranslatedTextItemOutput[];
}

test('translate: basic, detected, several texts, several targets', async () => {
	const [basic] = await translate('Hola mundo', { to: 'cs', from: 'es' });
	assert.equal(basic?.translations[0]?.to, 'cs');
	assert.ok(basic?.translations[0]?.text);
	const many = await translate(['This is a test.', 'Esto es una prueba.', 'Dies ist ein Test.'], {
		to: 'cs',
	});
	assert.deepEqual(
		many.map((row) => row.detectedLanguage),
		[
			{ language: 'en', score: 1 },
			{ language: 'es', score: 1 },
			{ language: 'de', score: 1 },
		],
	);
	const [targets] = await translate('This is a test.', { to: 'cs,es,de' });
	assert.equal(targets?.translations.length, 3);
});

test('translate: tags, dictionary, profanity, alignment, sentence lengths', async () => {
	const tagged = await translate('<span class=notranslate>今天是怎么回事是</span>非常可怕的', {
		from: 'zh-chs',
		to: 'en',
		textType: 'html',
	});
	assert.ok(tagged[0]?.translations[0]?.text.includes('今天是怎么回事是'));
	const word = await translate(
		'The word < mstrans:dictionary translation ="wordomatic">wordomatic</mstrans:dictionary> is a dictionary entry.',
		{ from: 'en', to: 'es' },
	);
	assert.ok(word[0]?.translations[0]?.text.toLowerCase().includes('wordomatic'));
	const rude = await translate('shit this is fucking crazy', {
		to: 'zh-cn',
		profanityAction: 'Marked',
		profanityMarker: 'Asterisk',
	});
	assert.ok(rude[0]?.translations[0]?.text.includes('***'));
	assert.deepEqual(rude[0]?.detectedLanguage, { language: 'en', score: 1 });
	const aligned = await translate('It is a beautiful morning', {
		to: 'cs',
		includeAlignment: true,
	});
	assert.ok(aligned[0]?.translations[0]?.alignment?.proj);
	const lengths = await translate(
		'La réponse se trouve dans la traduction automatique. La meilleure technologie est là. Oui.',
		{ from: 'fr', to: 'fr', includeSentenceLength: true },
	);
	assert.equal(lengths[0]?.translations[0]?.sentLen?.srcSentLen.length, 3);
	assert.equal(lengths[0]?.translations[0]?.sentLen?.transSentLen.length, 3);
});

test('translate: from Latin letters to Latin letters', async () => {
	const [row] = await translate('ap kaise ho', {
		from: 'hi',
		fromScript: 'Latn',
		to: 'ta',
		toScript: 'Latn',
	});
	assert.ok(row?.sourceText?.text);
	assert.ok(row?.translations[0]?.transliteration?.text.includes('eppadi irukkiraai?'));
});

test('transliterate: one text, several, close to how names are written', async () => {
	const post = async (
		texts: readonly string[],
		queryParameters: { language: string; fromScript: string; toScript: string },
	) => {
		const response = await client
			.path('/transliterate')
			.post({ body: texts.map((text) => ({ text })), queryParameters });
		assert.equal(response.status, '200', JSON.stringify(response.body));
		return response.body as readonly { text: string; script: string }[];
	};
	const [chinese] = await post(['这里怎么一回事?'], {
		language: 'zh-Hans',
		fromScript: 'Hans',
		toScript: 'Latn',
	});
	assert.match(chinese?.text ?? '', /zhè/);
	const names = await post(['gujarat', 'hadman', 'hukkabar'], {
		language: 'gu',
		fromScript: 'latn',
		toScript: 'gujr',
	});
	assert.equal(names.length, 3);
	assert.equal(names[0]?.script, 'gujr');
});

test('breaksentence: detected, with language and script, several', async () => {
	const post = async (texts: readonly string[], queryParameters: Record<string, string> = {}) => {
		const response = await client
			.path('/breaksentence')
			.post({ body: texts.map((text) => ({ text })), queryParameters });
		assert.equal(response.status, '200', JSON.stringify(response.body));
		return response.body as readonly {
			detectedLanguage?: { language: string; score: number };
			sentLen: number[];
		}[];
	};
	assert.deepEqual((await post(['hello world']))[0]?.sentLen, [11]);
	const both = await post(['hello world', 'العالم هو مكان مثير جدا للاهتمام']);
	assert.deepEqual(
		both.map(({ sentLen }) => sentLen),
		[[11], [32]],
	);
	assert.equal(both[1]?.detectedLanguage?.language, 'ar');
	const thai = await post(['รวบรวมแผ่นคำตอบ ระยะเวลาของโครงการ วิธีเลือกชายในฝัน'], { language: 'th' });
	assert.equal(
		thai[0]?.sentLen.reduce((a, b) => a + b),
		52,
	);
	assert.equal(
		(await post(['zhè shì gè cè shì。'], { language: 'zh-Hans', script: 'Latn' }))[0]
			?.detectedLanguage,
		undefined,
	);
});

test('languages: all scopes, one scope, names in another language, unchanged', async () => {
	const get = async (options: GetSupportedLanguagesParameters = {}) => {
		const response = await client.path('/languages').get(options);
		assert.ok(!isUnexpected(response), JSON.stringify(response.body));
		return { body: response.body as GetSupportedLanguagesResultOutput, headers: response.headers };
	};
	const { body, headers } = await get();
	assert.equal(body.translation?.['af']?.nativeName, 'Afrikaans');
	assert.ok(body.transliteration?.['be']?.scripts[0]?.toScripts.length);
	assert.equal(body.transliteration?.['zh-Hant']?.scripts.length, 2);
	assert.equal(body.transliteration?.['zh-Hant']?.scripts[0]?.toScripts.length, 2);
	assert.deepEqual(body.dictionary, {});
	const spanish = await get({
		queryParameters: { scope: 'translation' },
		headers: { 'accept-language': 'es' },
	});
	assert.equal(spanish.body.translation?.['de']?.name, 'Alemán');
	assert.equal(spanish.body.transliteration, undefined);
	const again = await fetch(new URL('/languages?api-version=3.0', server.url), {
		headers: { 'if-none-match': String(headers['etag']) },
	});
	assert.equal(again.status, 304);
	assert.equal(await again.text(), '');
	const wrong = await client.path('/languages').get({ queryParameters: { scope: 'nonsense' } });
	assert.ok(isUnexpected(wrong));
	assert.equal(wrong.body.error.code, 400001);
});

test('dictionary: unknown words have no translations', async () => {
	const response = await client
		.path('/dictionary/lookup')
		.post({ body: [{ text: 'fly' }], queryParameters: { from: 'en', to: 'es' } });
	assert.ok(!isUnexpected(response), JSON.stringify(response.body));
	assert.deepEqual(response.body, [
		{ normalizedSource: 'fly', displaySource: 'fly', translations: [] },
	]);
});

test('errors reach the client with their code', async () => {
	const response = await client
		.path('/translate')
		.post({ body: [{ text: 'x' }], queryParameters: { to: 'nonsense' } });
	assert.ok(isUnexpected(response));
	assert.equal(response.status, '400');
	assert.equal(response.body.error.code, 400036);
	const stranger = createClient(server.url, { key: 'wrong' }, { allowInsecureConnection: true });
	const refused = await stranger
		.path('/translate')
		.post({ body: [{ text: 'x' }], queryParameters: { to: 'de' } });
	assert.ok(isUnexpected(refused));
	assert.equal(refused.status, '401');
	assert.equal(refused.body.error.code, 401000);
});

test('the custom endpoint of the client is the custom path here', async () => {
	const custom = createClient(
		`${server.url}/cognitiveservices`,
		{ key: server.key },
		{ allowInsecureConnection: true },
	);
	const response = await custom
		.path('/translate')
		.post({ body: [{ text: 'Hello' }], queryParameters: { to: 'cs', from: 'en' } });
	assert.ok(!isUnexpected(response), JSON.stringify(response.body));
});

/** The client sends tokens over TLS only, so TLS ends in front of the server, as behind a proxy. */
const behindTls: HttpClient = {
	sendRequest: (request) => {
		request.url = request.url.replace(/^https:/, 'http:');
		request.allowInsecureConnection = true;
		return createDefaultHttpClient().sendRequest(request);
	},
};

const tokenCredential = (token: string) => ({
	getToken: async () => ({ token, expiresOnTimestamp: Date.now() + 600_000 }),
});

test('the client may show a ten-minute token instead of a key', async () => {
	const issued = await fetch(new URL('/sts/v1.0/issueToken', server.url), {
		method: 'POST',
		headers: { 'Ocp-Apim-Subscription-Key': server.key },
	});
	const secure = server.url.replace(/^http:/, 'https:');
	const ask = (token: string) =>
		createClient(secure, tokenCredential(token), { httpClient: behindTls })
			.path('/translate')
			.post({ body: [{ text: 'Hello' }], queryParameters: { to: 'cs', from: 'en' } });
	const response = await ask(await issued.text());
	assert.ok(!isUnexpected(response), JSON.stringify(response.body));
	const refused = await ask('nonsense');
	assert.ok(isUnexpected(refused));
	assert.equal(refused.body.error.code, 401000);
});

test('the client may show a token of a directory with the resource it is for', async () => {
	const { publicKey, privateKey } = await generateKeyPair('RS256');
	const key = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
	const directory = createServer((request, response) => {
		const { port } = directory.address() as AddressInfo;
		const issuer = `http://127.0.0.1:${port}`;
		const isKeys = request.url === '/keys';
		response.end(JSON.stringify(isKeys ? { keys: [key] } : { issuer, jwks_uri: `${issuer}/keys` }));
	});
	await new Promise<void>((resolve) => directory.listen(0, '127.0.0.1', resolve));
	const issuer = `http://127.0.0.1:${(directory.address() as AddressInfo).port}`;
	const audience = 'https://cognitiveservices.azure.com';
	const resourceId = '/subscriptions/1/resourceGroups/g/providers/accounts/translator';
	await server.store.changeAccess(() => ({
		virtualNetwork: false,
		directory: { issuer, audience, role: 'Translator.User', resourceId },
	}));
	try {
		const token = await new SignJWT({ roles: ['Translator.User'] })
			.setProtectedHeader({ alg: 'RS256', kid: 'k1' })
			.setIssuer(issuer)
			.setAudience(audience)
			.setSubject('app')
			.setExpirationTime('5m')
			.sign(privateKey);
		const secure = server.url.replace(/^http:/, 'https:');
		const ask = (endpoint: string, azureResourceId: string) =>
			createClient(
				endpoint,
				{ tokenCredential: tokenCredential(token), azureResourceId, region: 'westeurope' },
				{ httpClient: behindTls },
			)
				.path('/translate')
				.post({ body: [{ text: 'Hello' }], queryParameters: { to: 'cs', from: 'en' } });
		const response = await ask(secure, resourceId);
		assert.ok(!isUnexpected(response), JSON.stringify(response.body));
		const other = await ask(secure, '/subscriptions/2');
		assert.ok(isUnexpected(other));
		assert.equal(other.body.error.code, 401000);
		// The custom endpoint is the resource.
		const custom = await createClient(`${secure}/cognitiveservices`, tokenCredential(token), {
			httpClient: behindTls,
		})
			.path('/translate')
			.post({ body: [{ text: 'Hello' }], queryParameters: { to: 'cs', from: 'en' } });
		assert.ok(!isUnexpected(custom), JSON.stringify(custom.body));
	} finally {
		await server.store.changeAccess(() => ({ virtualNetwork: false }));
		directory.close();
		directory.closeAllConnections();
	}
});
