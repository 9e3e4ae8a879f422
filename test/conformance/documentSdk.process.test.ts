/** The published client of the document interface against this server, and its errors as they are documented. */

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import type * as sdk from '@azure-rest/ai-translation-document';
import type { DocumentTranslateContent } from '@azure-rest/ai-translation-document';
import { startTranslateServer, type TranslateServer } from '../support/translateServer.ts';

// It is a CommonJS module whose types say otherwise.
const { default: createClient, isUnexpected } = createRequire(import.meta.url)(
	'@azure-rest/ai-translation-document',
) as typeof sdk;

let server: TranslateServer;
let client: ReturnType<typeof createClient>;
before(async () => {
	server = await startTranslateServer({ requireKey: true });
	client = createClient(server.url, { key: server.key }, { allowInsecureConnection: true });
});
after(() => server.close());

type Parts = Exclude<DocumentTranslateContent, FormData>;
const document = (body: string | Uint8Array, filename: string, contentType: string) =>
	({ name: 'document', body, filename, contentType }) as const;

async function post(parts: Parts, query: Record<string, unknown>, headers = {}) {
	const response = await client
		.path('/document:translate')
		.post({
			contentType: 'multipart/form-data',
			queryParameters: query as { targetLanguage: string },
			body: parts,
			headers,
		})
		.asNodeStream();
	const chunks: Buffer[] = [];
	for await (const chunk of response.body ?? []) chunks.push(Buffer.from(chunk));
	const { status, headers: answered } = response;
	return { status, headers: answered, bytes: Buffer.concat(chunks) };
}

test('a document comes back in another language, with its form and the headers of the interface', async () => {
	const page = document('<p class="a">This is <b>a test</b>.</p>', 'test-input.html', 'text/html');
	const done = await post(
		[page],
		{ targetLanguage: 'cs', sourceLanguage: 'en' },
		{
			'x-ms-client-request-id': 'b1946ac9-2f1f-4d0a-9d3a-1b1f9b1c1c1c',
		},
	);
	assert.equal(done.status, '200', done.bytes.toString());
	assert.equal(done.bytes.toString(), '<p class="a">THIS IS <b>A TEST</b>.</p>');
	assert.equal(done.headers['content-type'], 'application/octet-stream');
	assert.equal(done.headers['x-ms-client-request-id'], 'b1946ac9-2f1f-4d0a-9d3a-1b1f9b1c1c1c');
	assert.match(done.headers['x-requestid'] ?? '', /^DOCT\.LOCAL\./);
	assert.ok(Number(done.headers['x-metered-usage']) > 0);
	const detected = await post([document('This is a test of the file.', 'a.txt', 'text/plain')], {
		...{ targetLanguage: 'de', allowFallback: true, category: 'general' },
	});
	assert.equal(detected.bytes.toString(), 'THIS IS A TEST OF THE FILE.');
});

test('glossaries of every format decide what terms become', async () => {
	const xliff =
		'<xliff version="1.2"><file source-language="en" target-language="de"><body><trans-unit id="1"><source>test</source><target>Prüfung</target></trans-unit></body></file></xliff>';
	const tmx =
		'<tmx version="1.4"><header/><body><tu><tuv xml:lang="en"><seg>test</seg></tuv><tuv xml:lang="de"><seg>Prüfung</seg></tuv></tu></body></tmx>';
	for (const [filename, contentType, body] of [
		['g.csv', 'text/csv', 'test,Prüfung\n'],
		['g.tsv', 'text/tab-separated-values', 'test\tPrüfung\n'],
		['glossary', 'text/csv', 'test,Prüfung\n'],
		['g.xlf', 'application/xliff+xml', xliff],
		['g.tmx', 'application/x-tmx', tmx],
	] as const) {
		const glossary = { name: 'glossary', filename, contentType, body } as const;
		const text = document('This is a test.', 'a.txt', 'text/plain');
		const done = await post([text, glossary], { targetLanguage: 'de', sourceLanguage: 'en' });
		assert.equal(done.bytes.toString(), 'THIS IS A Prüfung.', filename);
	}
});

test('what is wrong is said in the shape of the interface', async () => {
	const text = document('This is a test.', 'a.txt', 'text/plain');
	const de = { targetLanguage: 'de', sourceLanguage: 'en' };
	const glossary = (filename: string, body: string) =>
		({ name: 'glossary', filename, body, contentType: 'application/octet-stream' }) as const;
	for (const [parts, query, status, code, inner] of [
		[[text], { targetLanguage: 'klingonish' }, 400, 'InvalidRequest', 'InvalidTargetLanguage'],
		[[text], {}, 400, 'InvalidRequest', 'InvalidTargetLanguage'],
		[[text], { ...de, sourceLanguage: 'xx' }, 400, 'InvalidRequest', 'InvalidSourceLanguage'],
		[[text], { ...de, 'api-version': '2020-01-01' }, 400, 'InvalidRequest', 'InvalidApiVersion'],
		[[text], { ...de, allowFallback: 'perhaps' }, 400, 'InvalidRequest', 'InvalidParameter'],
		[[glossary('a.csv', 'a,b')], de, 400, 'InvalidRequest', 'MissingDocument'],
		[[document('', 'a.txt', 'text/plain')], de, 400, 'InvalidRequest', 'MissingDocument'],
		[[text, text], de, 400, 'InvalidRequest', 'InvalidRequest'],
		[
			[document('x', 'a.exe', 'text/plain')],
			de,
			400,
			'InvalidRequest',
			'UnsupportedDocumentFormat',
		],
		[[text, glossary('a.exe', 'x')], de, 400, 'InvalidRequest', 'UnsupportedGlossaryFormat'],
		[[text, glossary('a.csv', '')], de, 400, 'InvalidRequest', 'InvalidGlossary'],
		[
			[text, glossary('a.csv', 'x'.repeat(2 ** 20 + 1))],
			de,
			413,
			'InvalidRequest',
			'DocumentTooLarge',
		],
		[
			[document('{"a":', 'a.json', 'application/json')],
			de,
			400,
			'InvalidRequest',
			'InvalidRequest',
		],
	] as const) {
		const done = await post([...parts] as Parts, query);
		const said = done.bytes.toString();
		assert.equal(done.status, String(status), said);
		const { error } = JSON.parse(said) as {
			error: { code: string; message: string; innerError: { code: string; message: string } };
		};
		assert.deepEqual([error.code, error.innerError.code], [code, inner], said);
		assert.equal(done.headers['x-ms-error-code'], code);
		assert.ok(error.message.length > 10 && error.innerError.message === error.message);
	}
});

test('keys are asked for before a body is read; other methods and bodies are refused', async () => {
	const stranger = createClient(server.url, { key: 'none' }, { allowInsecureConnection: true });
	const refused = await stranger.path('/document:translate').post({
		contentType: 'multipart/form-data',
		queryParameters: { targetLanguage: 'de' },
		body: [document('Text', 'a.txt', 'text/plain')],
	});
	assert.ok(isUnexpected(refused));
	assert.equal(refused.status, '401');
	assert.equal((refused.body as unknown as { error: { code: string } }).error.code, 'Unauthorized');
	const url = `${server.url}/translator/document:translate?api-version=2024-05-01&targetLanguage=de`;
	const headers = { 'ocp-apim-subscription-key': server.key };
	const [got, json] = await Promise.all([
		fetch(url, { headers }),
		fetch(url, {
			method: 'POST',
			headers: { ...headers, 'content-type': 'application/json' },
			body: '{}',
		}),
	]);
	assert.deepEqual([got.status, json.status], [405, 400]);
	assert.match(await json.text(), /multipart\/form-data/);
});

test('other encodings come back as they were', async () => {
	const latin = Buffer.from('Le caf\xe9 est ferm\xe9.', 'latin1');
	const query = { targetLanguage: 'de', sourceLanguage: 'fr' };
	const done = await post([document(latin, 'a.txt', 'text/plain')], query);
	assert.equal(done.bytes.toString('latin1'), 'LE CAF\xc9 EST FERM\xc9.');
});

test('the formats are listed', async () => {
	const response = await client
		.path('/document/formats')
		.get({ queryParameters: { type: 'document' } });
	assert.ok(!isUnexpected(response), JSON.stringify(response.body));
	const rows = response.body.value;
	assert.ok(rows.some(({ fileExtensions }) => fileExtensions.includes('.md')));
	assert.ok(rows.every(({ type }) => type === 'Document'));
});
