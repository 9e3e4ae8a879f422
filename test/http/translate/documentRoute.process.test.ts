/** `POST /documents/translate`: words change, everything else stays; what is wrong is said. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTranslateServer, type TranslateServer } from '../../support/translateServer.ts';
import { bodyOf, textsOf, wordFile } from '../../translate/documents/officeFiles.ts';

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

const sendFile = (
	query: Readonly<Record<string, string>>,
	body: Uint8Array,
	type = 'application/octet-stream',
) =>
	fetch(`${server.url}/documents/translate?${new URLSearchParams(query)}`, {
		method: 'POST',
		headers: { 'content-type': type },
		body: Buffer.from(body),
	});

test('the bytes of a Word file come back as such a file, with what has become of it', async () => {
	const run = (text: string) => `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
	const file = await wordFile(run('open the file'));
	for (const type of ['application/octet-stream', 'application/vnd.ms-word', '']) {
		const response = await sendFile({ fileName: 'a.docx', to: 'de', from: 'en' }, file, type);
		assert.equal(response.status, 200, type);
		assert.match(response.headers.get('content-type') ?? '', /wordprocessingml\.document$/);
		const said = JSON.parse(response.headers.get('x-document-result') ?? '');
		const { quality, ...summary } = said;
		assert.ok(quality > 0.5 && quality <= 1, String(quality));
		assert.deepEqual(summary, {
			...{ pieces: 1, translated: 1, partly: 0, refused: 0, left: 0, language: 'en' },
		});
		const parts = await textsOf(new Uint8Array(await response.arrayBuffer()), 'a.docx');
		assert.equal(bodyOf(parts.get('word/document.xml')), run('OPEN THE FILE'));
	}
});

test('the bytes of a text come back in its encoding, with its name where that is another one', async () => {
	const send = async (fileName: string, bytes: Uint8Array) => {
		const response = await sendFile({ fileName, to: 'de', from: 'en' }, bytes);
		assert.equal(response.status, 200);
		const { encoding, pieces } = JSON.parse(response.headers.get('x-document-result') ?? '');
		assert.equal(pieces, 1);
		return [encoding, Buffer.from(await response.arrayBuffer())] as const;
	};
	assert.deepEqual(await send('a.txt', Buffer.from('caf\xe9 \x96 open', 'latin1')), [
		'windows-1252',
		Buffer.from('CAF\xc9 \x96 OPEN', 'latin1'),
	]);
	assert.deepEqual(await send('a.txt', Buffer.from('\ufeffopen it\r\n', 'utf16le')), [
		'utf-16le',
		Buffer.from('\ufeffOPEN IT\r\n', 'utf16le'),
	]);
	assert.deepEqual(await send('a.txt', Buffer.from('\ufeffopen it\n')), [
		'utf-8',
		Buffer.from('\ufeffOPEN IT\n'),
	]);
	// One that the bytes do not say, and one that may be long.
	const russian = Buffer.from('\xee\xf2\xea\xf0\xfb\xf2\xfc', 'latin1');
	const unsaid = await sendFile({ fileName: 'a.txt', to: 'de', from: 'en' }, russian);
	assert.match(JSON.stringify(await unsaid.json()), /encoding=windows-1251 in the query/);
	const said = { fileName: 'a.txt', to: 'de', from: 'en', encoding: 'cp1251' };
	const upper = Buffer.from(await (await sendFile(said, russian)).arrayBuffer());
	assert.equal(new TextDecoder('windows-1251').decode(upper), 'ОТКРЫТЬ');
	const wide = Buffer.from(`\ufeff${'1234\n'.repeat(120_000)}open it`, 'utf16le');
	assert.ok((await send('a.txt', wide))[1].toString('utf16le').endsWith('OPEN IT'));
	const long = Buffer.concat([russian, Buffer.from(`\n\n${'1234\n'.repeat(220_000)}`)]);
	const translated = Buffer.from(await (await sendFile(said, long)).arrayBuffer());
	assert.equal(new TextDecoder('windows-1251').decode(translated.subarray(0, 7)), 'ОТКРЫТЬ');
	assert.equal(translated.length, long.length);
	const page = (text: string) =>
		Buffer.concat([Buffer.from('<meta charset="Shift_JIS"><p>'), Buffer.from(text, 'latin1')]);
	const [encoding, made] = await send('a.html', page('open \x8aJ'));
	assert.deepEqual(
		[encoding, made.toString('latin1')],
		['shift_jis', page('OPEN \x8aJ').toString('latin1')],
	);
});

test('files that are sent in the wrong way, or cannot be read, say what to do', async () => {
	const file = await wordFile('<w:p/>');
	const json = await post({ fileName: 'a.docx', text: 'x', to: 'de' });
	for (const [response, message] of [
		[json, /a\.docx is no text\. Send the bytes/],
		[await sendFile({ to: 'de' }, file), /'fileName' belongs into the query/],
		[await sendFile({ fileName: 'a.docx' }, file), /'to' belongs into the query/],
		[await sendFile({ fileName: 'a.md', to: 'de' }, file), /a\.md .*(?:zero bytes|not in UTF-8)/],
		[
			await sendFile({ fileName: 'a.xml', to: 'de' }, Buffer.from('<a/>')),
			/a\.xml holds no messages/,
		],
		[await sendFile({ fileName: 'a.pdf', to: 'de' }, file), /a\.pdf is a PDF, .*save it as docx/],
		[await sendFile({ fileName: 'a.doc', to: 'de' }, file), /old format of Office/],
		[await sendFile({ fileName: 'a.docx', to: 'de' }, file.subarray(9)), /cannot be translated/],
		[await sendFile({ fileName: 'a.docx', to: 'qqq' }, file), /qqq/],
	] as const) {
		assert.equal(response.status, 400);
		assert.match(JSON.stringify(await response.json()), message);
	}
	const large = await sendFile({ fileName: 'a.docx', to: 'de' }, new Uint8Array(64 * 2 ** 20 + 1));
	assert.equal(large.status, 413);
});
