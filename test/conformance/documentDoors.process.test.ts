/**
 * Documents with pieces that look like other languages, through every door: command line, HTTP and
 * editor. The model knows four languages, as the built-in one does.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { formatOf, proseOf } from '../../server/translate/documents/translateDocument.ts';
import { type ForeignLooking, foreignLooking } from '../fixtures/foreignLooking.ts';
import { connectFront } from '../support/editorDouble.ts';
import { programArgs } from '../support/program.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { serverSecret } from '../support/testServer.ts';
import { startTranslateServer, type TranslateServer } from '../support/translateServer.ts';
import { bodyOf, textsOf, wordFile } from '../translate/documents/officeFiles.ts';

let server: TranslateServer;
const home = temporaryFolder('doors');
before(async () => {
	server = await startTranslateServer({ languages: ['de', 'en', 'es', 'fr'] });
	const { url, key } = server;
	const about = { pid: process.pid, version: '9.9.9', startedAt: '' };
	const endpoint = { ...about, url, key, secret: serverSecret };
	await writeFile(join(home, 'endpoint.json'), JSON.stringify(endpoint));
});
after(async () => {
	await server.close();
});

const post = (body: object) =>
	fetch(`${server.url}/documents/translate`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});

async function nearglot(...args: string[]) {
	const child = spawn(process.execPath, programArgs(...args), {
		env: { ...process.env, NEARGLOT_HOME: home },
		cwd: home,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let [out, err] = ['', ''];
	child.stdout.on('data', (chunk) => (out += chunk));
	child.stderr.on('data', (chunk) => (err += chunk));
	const code = await new Promise((resolve) => child.on('close', resolve));
	return { code, out, err };
}

/** Doors take a document and give its translation. */
const doors: Record<string, (document: ForeignLooking, to: string) => Promise<string>> = {
	'POST /documents/translate': async ({ fileName, text }, to) => {
		const response = await post({ fileName, text, to });
		const body = (await response.json()) as { text: string };
		assert.equal(response.status, 200, JSON.stringify(body));
		return body.text;
	},
	'nearglot translate FILE': async ({ fileName, text }, to) => {
		await writeFile(join(home, fileName), text);
		const { code, out, err } = await nearglot('translate', `./${fileName}`, '--to', to);
		assert.equal(code, 0, err);
		return out;
	},
	'the editor': async ({ fileName, text }, to) => {
		const client = connectFront(() => server);
		client.listen();
		try {
			const set = { processId: null, rootUri: null, capabilities: {} };
			await client.sendRequest('initialize', set);
			await client.sendNotification('initialized', {});
			const { text: made } = await client.sendRequest<{ text: string }>(
				'nearglot/translateDocument',
				{ fileName, languageId: 'plaintext', text, to },
			);
			return made;
		} finally {
			client.dispose();
		}
	},
};

for (const [name, translate] of Object.entries(doors))
	test(`${name}: the document has a language, not each of its pieces`, async () => {
		for (const document of foreignLooking) {
			const { fileName, language, translated, left = [] } = document;
			const to = language === 'en' ? 'de' : 'en';
			const made = await translate(document, to);
			for (const words of translated)
				assert.ok(made.includes(words.toUpperCase()), `${fileName}: ${words} in\n${made}`);
			for (const words of left) assert.ok(made.includes(words), `${fileName}: ${words}`);
			const extract = formatOf(fileName);
			assert.ok(extract);
			// Sources stay in message files.
			if (extract.prose) continue;
			// The rule of this model leaves no word of the source in lower case.
			const rest = proseOf(made, extract, to).filter((text) => !left.includes(text));
			for (const text of rest)
				assert.doesNotMatch(text.replace(/<[^>]*>|`[^`]*`|@[\w-]*/g, ''), /\p{Ll}{4}/u);
		}
	});

test('a document says what was left and which language it was taken for', async () => {
	const document = foreignLooking.find(({ left }) => left);
	assert.ok(document);
	const { fileName, text } = document;
	const response = await post({ fileName, text, to: 'de' });
	const body = (await response.json()) as { language: string; score: number; left: unknown };
	assert.equal(body.language, 'en');
	assert.ok(body.score > 0.5 && body.score <= 1);
	assert.deepEqual(body.left, [
		{ text: document.left?.[0], language: 'zh-Hans' },
		{ text: document.left?.[1], language: 'fi' },
	]);
	await writeFile(join(home, fileName), text);
	const { code, err } = await nearglot('translate', fileName, '--to', 'de', '--out', 'made.md');
	assert.equal(code, 0, err);
	assert.match(err, /^made\.md: 3 of 5 texts translated from English\n/);
	assert.match(err, /\n1 × left as it was: no model here translates Finnish \(de\)\n {2}Tämä/);
});

test('a document in a language without a model is one error with its name and the way out', async () => {
	const text =
		'# Ohje\n\nTiedostoa ei voitu avata, koska toinen ohjelma käyttää sitä. Tallenna ensin kaikki muutokset.\n';
	await writeFile(join(home, 'ohje.md'), text);
	const { code, out, err } = await nearglot('translate', 'ohje.md', '--to', 'de');
	assert.equal(code, 1);
	assert.equal(out, '');
	assert.match(err, /seems to be in Finnish \(fi, \d+ % certain\)\. No installed model .* --from/);
	const response = await post({ fileName: 'ohje.md', text, to: 'de' });
	assert.equal(response.status, 404);
	const named = await nearglot('translate', 'ohje.md', '--to', 'de', '--from', 'en');
	assert.equal(named.code, 0, named.err);
	assert.match(named.out, /^# OHJE\n/);
});

test('a document in the target language stays as it is, and that is said', async () => {
	const found = foreignLooking.find(({ language }) => language === 'de');
	assert.ok(found);
	const quote = '\n> The file could not be opened because it is in use.\n';
	const german = { ...found, text: found.text + quote };
	for (const [name, translate] of Object.entries(doors))
		assert.equal(await translate(german, 'de'), german.text, name);
	const { code, err } = await nearglot('translate', german.fileName, '--to', 'de', '--out', 'b.md');
	assert.equal(code, 0, err);
	assert.match(err, /anleitung\.md is in German already; nothing was changed\./);
	assert.equal(await readFile(join(home, 'b.md'), 'utf8'), german.text);
});

test('what a message file lacks is in the language of the whole file', async () => {
	const source = foreignLooking.find(({ fileName }) => fileName === 'en.json');
	assert.ok(source);
	await writeFile(join(home, 'en.json'), source.text);
	const there = { ...JSON.parse(source.text), contact: undefined };
	await writeFile(join(home, 'de.json'), JSON.stringify(there));
	const args = ['translate', 'en.json', '--to', 'de', '--into', 'de.json'];
	const { code, err } = await nearglot(...args);
	assert.equal(code, 0, err);
	assert.match(await readFile(join(home, 'de.json'), 'utf8'), /"contact":\s*"KONTAKT"/);
});

test('a piece longer than a request goes in parts, and its document with it', async () => {
	const long = 'The file could not be opened by anybody in this room. '.repeat(1200);
	const text = `${long.trim()}\n\nThe end.\n`;
	for (const [name, translate] of Object.entries(doors)) {
		const document = { fileName: 'long.txt', language: 'en', text, translated: [] } as const;
		assert.equal(await translate(document, 'de'), text.toUpperCase(), name);
	}
});

test('a long document, which the editor takes apart in a thread, leaves its foreign pieces', async () => {
	const foreign = foreignLooking.flatMap(({ left = [] }) => left);
	const own = 'The program starts in the language of the system and asks nobody.\n\n'.repeat(400);
	const text = `${own}${foreign.join('\n\n')}\n`;
	assert.ok(text.length > 20_000);
	const edited = await doors['the editor']?.(
		{ fileName: 'a.md', language: 'en', text, translated: [] },
		'de',
	);
	assert.equal(edited, `${own.toUpperCase()}${foreign.join('\n\n')}\n`);
});

test('a text of a request that is doubtful or in a language nobody reads does not fail the others', async () => {
	const ask = async (...texts: string[]) => {
		const body = texts.map((Text) => ({ Text }));
		const response = await server.post('/translate?api-version=3.0&to=de', body);
		return { status: response.status, rows: (await response.json()) as unknown };
	};
	const { status, rows } = await ask('The file could not be opened by the program.', 'Kontakt');
	assert.equal(status, 200, JSON.stringify(rows));
	const finnish = 'Tiedostoa ei voitu avata, koska se on käytössä.';
	const beside = await ask('The file is open.', finnish);
	assert.equal(beside.status, 200, JSON.stringify(beside.rows));
	const [, left] = beside.rows as { translations: { text: string }[] }[];
	assert.equal(left?.translations[0]?.text, finnish);
	assert.equal((await ask(finnish)).status, 408);
});

test('a Word file lies beside its source, and is not replaced without being asked', async () => {
	const run = (text: string) => `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
	const source = await wordFile(run('The file could not be opened by anybody in this room.'));
	await writeFile(join(home, 'guide.docx'), source);
	const { code, out, err } = await nearglot('translate', 'guide.docx', '--to', 'de');
	assert.equal(code, 0, err);
	assert.equal(out, '');
	assert.match(err, /^guide\.de\.docx: 1 of 1 text translated from English/);
	const parts = await textsOf(await readFile(join(home, 'guide.de.docx')), 'guide.de.docx');
	assert.match(bodyOf(parts.get('word/document.xml')), /THE FILE COULD NOT BE OPENED/);
	const again = await nearglot('translate', 'guide.docx', '--to', 'de,fr');
	assert.equal(again.code, 2, again.err);
	assert.match(again.err, /guide\.de\.docx exists already/);
	await writeFile(join(home, 'paper.pdf'), '%PDF-1.7');
	const pdf = await nearglot('translate', 'paper.pdf', '--to', 'de');
	assert.equal(pdf.code, 2, pdf.err);
	assert.match(pdf.err, /paper\.pdf is a PDF.* save it as docx/);
});
