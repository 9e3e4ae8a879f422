/** Documents of strangers: in a thread that ends when its time is over, and never an error of ours. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { AppError } from '../../server/protocol/index.ts';
import type { TextTranslator } from '../../server/translate/documents/documentLanguage.ts';
import {
	translateDocumentInWorker,
	translateMissingInWorker,
} from '../../server/translate/documents/documentThread.ts';
import { startTranslateServer, type TranslateServer } from '../support/translateServer.ts';

const shouting: TextTranslator = {
	detect: async (texts) =>
		texts.map(() => ({ language: 'en', score: 1, isSupported: true, alternatives: [] })),
	translate: async (texts) => texts.map((text) => text.toUpperCase()),
};
const never = new AbortController().signal;
const long = { fileName: 'a.md', text: 'some words\n\n'.repeat(2000), to: 'de', from: 'en' };

let server: TranslateServer;
before(async () => {
	server = await startTranslateServer();
});
after(() => server.close());

const post = (body: string) =>
	fetch(`${server.url}/documents/translate`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body,
	});
const errorOf = async (response: Response) =>
	((await response.json()) as { error: { code: string; param: string; message: string } }).error;

test('a long document comes back from its thread as a short one does', async () => {
	const { text, pieces } = await translateDocumentInWorker(long, shouting, never);
	assert.equal(pieces, 2000);
	assert.equal(text, long.text.toUpperCase());
	const source = JSON.stringify(
		Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`key${at}`, `some words ${at}`])),
	);
	const job = { fileName: 'a.json', text: source, target: '{}', to: 'de', from: 'en' };
	const { added } = await translateMissingInWorker(job, shouting, never);
	assert.equal(added.length, 500);
});

test('a document that takes too much computing is ended, and the error says at what', async () => {
	const limits = { baseMs: 1, perMillionMs: 0, memoryMb: 256 };
	const fields = Array.from({ length: 100_000 }, (_, at) => `a${at}=1`).join(' ');
	const costly = { ...long, fileName: 'a.html', text: `<a ${fields}>some words</a>` };
	await assert.rejects(
		translateDocumentInWorker(costly, shouting, never, limits),
		(error) =>
			error instanceof AppError &&
			error.code === 'too_expensive' &&
			error.kind.httpStatus === 400 &&
			error.param === 'text' &&
			error.message.startsWith('Taking the document apart'),
	);
});

test('a document whose caller goes while it is translated is ended', async () => {
	const caller = new AbortController();
	const waiting: TextTranslator = {
		...shouting,
		translate: () => {
			caller.abort();
			return new Promise(() => {});
		},
	};
	await assert.rejects(
		translateDocumentInWorker(long, waiting, caller.signal),
		(error) => error instanceof AppError && error.code === 'cancelled',
	);
});

test('nesting without end is refused as the fault of the caller, in every format', async () => {
	const deep = 60_000;
	for (const [fileName, text] of [
		['a.json', '['.repeat(deep) + ']'.repeat(deep)],
		['a.json', `${'{"a":'.repeat(deep)}"some words"${'}'.repeat(deep)}`],
		['a.yaml', '['.repeat(deep) + ']'.repeat(deep)],
		['a.yaml', `${'- '.repeat(deep)}some words`],
		['a.html', `${'<div>'.repeat(deep)}some words`],
		['a.xlf', `${'<g>'.repeat(deep)}some words`],
		['a.md', `${'>'.repeat(deep)} some words`],
	] as const) {
		const response = await post(JSON.stringify({ fileName, text, to: 'de', from: 'en' }));
		const { code, message } = await errorOf(response);
		assert.equal(response.status, 400, `${fileName} ${text.slice(0, 9)}: ${message}`);
		assert.equal(code, 'invalid_request');
	}
});

test('a body that is nested without end, or has too many values, is refused', async () => {
	const deep = await post('['.repeat(100_000) + ']'.repeat(100_000));
	assert.equal(deep.status, 400);
	assert.equal((await errorOf(deep)).code, 'invalid_json');
	const wide = await post(`[${'0,'.repeat(1_000_000)}0]`);
	assert.equal(wide.status, 400);
	assert.equal((await errorOf(wide)).code, 'too_expensive');
	const broken = await post(`{"text":"${'a'.repeat(1_000_000)}`);
	assert.equal((await errorOf(broken)).code, 'invalid_json');
});

test('a large body comes through whole', async () => {
	const text = `${'word, '.repeat(100_000)}é 中 "quoted" \\ end`;
	const body = JSON.stringify({
		fileName: 'a.properties',
		text: `# ${text}\n`,
		to: 'de',
		from: 'en',
	});
	const response = await post(body);
	assert.equal(response.status, 200);
	assert.equal(((await response.json()) as { text: string }).text, `# ${text}\n`);
});

test('an engine of a document is honoured, and an unknown one refused', async () => {
	const body = { fileName: 'a.md', text: 'some words', to: 'de', from: 'en' };
	const local = await post(JSON.stringify({ ...body, engine: 'local' }));
	assert.equal(local.status, 200);
	await local.arrayBuffer();
	const other = await post(JSON.stringify({ ...body, engine: 'abacus' }));
	assert.equal(other.status, 400);
	assert.equal((await errorOf(other)).param, 'engine');
	const hosted = await post(JSON.stringify({ ...body, engine: 'hosted' }));
	assert.equal(hosted.status, 501);
	await hosted.arrayBuffer();
	const unknown = await post(JSON.stringify({ ...body, speed: 'high' }));
	assert.equal(unknown.headers.get('x-ignored-parameters'), 'speed');
	await unknown.arrayBuffer();
});
