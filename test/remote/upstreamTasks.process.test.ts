/** All that models of engines elsewhere are asked for beside chats, from a second Nearglot and from a double that fails. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import OpenAI from 'openai';
import { openUpstreamFile } from '../../server/daemon/upstreamBackend.ts';
import { programArgs } from '../support/program.ts';
import { sharedFolder } from '../support/sharedData.ts';
import { speakerFixtures } from '../support/speakerModels.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { sseData, startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

const rerankers = fileURLToPath(new URL('../fixtures/rerankers', import.meta.url));
const encoder = sharedFolder('models-tiny/bert-tjs');
const recording = join(speakerFixtures, 'one.ogg');

let here: TestServer;
let there: TestServer;
let asked: Buffer[] = [];
/** What the double says to everything but the question for its models. */
let answer: unknown;
const double = createServer(async (request, response) => {
	const body = Buffer.concat(await request.toArray());
	if (request.method === 'POST') asked.push(body);
	response.writeHead(200, { 'content-type': 'application/json' });
	response.end(JSON.stringify(request.method === 'POST' ? answer : { data: [] }));
});

before(async () => {
	const models = temporaryFolder('elsewhere');
	cpSync(rerankers, models, { recursive: true });
	if (encoder.skip === false)
		cpSync(encoder.path, join(models, basename(encoder.path)), { recursive: true });
	[here, there] = await Promise.all([
		startTestServer({ fakeRunner: true }),
		startTestServer({ modelsDir: models }),
	]);
	const keyFile = join(here.backend.settings.dataDir, 'key');
	await writeFile(keyFile, there.key, { mode: 0o600 });
	await new Promise<void>((resolve) => double.listen(0, '127.0.0.1', resolve));
	const { port } = double.address() as AddressInfo;
	await openUpstreamFile(here.backend.settings.dataDir).change(() => [
		{
			upstreams: [
				{ name: 'lab', url: `${there.url}/v1`, models: [], keyFile, timeoutS: 60 },
				{ name: 'odd', url: `http://127.0.0.1:${port}/v1`, models: [], timeoutS: 20 },
			],
		},
		undefined,
	]);
});
after(async () => {
	double.close();
	await Promise.all([here.close(), there.close()]);
});

/** The same request of the engine there, and of this server by the engine's name. */
async function both(path: string, model: string, fields: object): Promise<[unknown, unknown]> {
	const parts = [
		there.post(path, { model, ...fields }),
		here.post(path, { model: `lab/${model}`, ...fields }),
	].map(async (answer) => {
		const response = await answer;
		const body = await response.json();
		assert.equal(response.status, 200, JSON.stringify(body));
		return body;
	});
	const [own, remote] = await Promise.all(parts);
	assert.equal(remote.model, `lab/${model}`);
	return [own, remote];
}

const errorIn = async (response: Response) =>
	((await response.json()) as { error: { code: string; message: string } }).error;

test('models of an engine are listed with what they are for', async () => {
	await until('the engine has told its models', async () => {
		const list = await (await fetch(`${here.url}/v1/models`)).json();
		const tasks = list.data
			.filter(({ id }: { id: string }) => id.startsWith('lab/'))
			.map(({ task }: { task: string }) => task);
		return ['automatic-speech-recognition', 'chat-completion', 'rerank'].every((task) =>
			tasks.includes(task),
		);
	});
});

test('a test of an engine names the models that it may be used for, by the server and on the command line', async () => {
	const file = openUpstreamFile(here.backend.settings.dataDir);
	const tested = async () => {
		const answer = await here.post('/nearglot/upstreams/lab/test', '', { headers: here.keyed });
		return ((await answer.json()) as { models: string[] }).models.sort();
	};
	const all = await tested();
	const only = (uses: readonly 'embeddings'[]) =>
		file.change((now) => [
			{ ...now, upstreams: now.upstreams.map((entry) => ({ ...entry, uses })) },
			undefined,
		]);
	await only(['embeddings']);
	try {
		const some = await tested();
		assert.ok(some.length < all.length && !some.includes('lab/starter-chat'), some.join());
		const args = programArgs('upstreams', 'test', 'lab', '--json');
		const env = { ...process.env, NEARGLOT_HOME: here.backend.settings.dataDir };
		const { stdout } = await promisify(execFile)(process.execPath, args, { env });
		assert.deepEqual(JSON.parse(stdout)[0].models.sort(), some);
	} finally {
		await only([]);
	}
});

test(
	'embeddings are those of the engine, in order, however many are asked for',
	encoder.skip === false ? {} : { skip: encoder.skip },
	async () => {
		const input = Array.from({ length: 70 }, (_, at) => `text number ${at}`);
		const [own, remote] = (await both('/v1/embeddings', 'bert-tjs', { input })) as {
			data: { index: number; embedding: number[] }[];
			usage: { prompt_tokens: number };
		}[];
		assert.equal(remote?.data.length, 70);
		for (const [at, { embedding }] of (own?.data ?? []).entries())
			for (const [place, value] of embedding.entries())
				assert.ok(Math.abs(value - (remote?.data[at]?.embedding[place] ?? 9)) < 1e-3);
		assert.equal(remote?.usage.prompt_tokens, own?.usage.prompt_tokens);
	},
);

test('reranking and plain completions are those of the engine', async () => {
	const list = await (await fetch(`${there.url}/v1/models`)).json();
	const reranker = list.data.find((each: { task: string }) => each.task === 'rerank').id;
	const documents = ['the cat sleeps', 'errors of the disk', 'a'];
	const [own, remote] = await both('/v1/rerank', reranker, { query: 'disk', documents, top_n: 2 });
	const ranks = ({ results }: { results: unknown }) => results;
	assert.deepEqual(ranks(remote as never), ranks(own as never));
	const prompt = ['show the date', 'list files'];
	const asks = { prompt, max_tokens: 6, temperature: 0 };
	const [made, remade] = (await both('/v1/completions', 'starter-chat', asks)) as {
		choices: { text: string }[];
		usage: unknown;
	}[];
	assert.deepEqual(remade?.choices, made?.choices);
	assert.deepEqual(remade?.usage, made?.usage);
	const streamed = (await sseData(
		await here.post('/v1/completions', { model: 'lab/starter-chat', ...asks, stream: true }),
	)) as { choices?: { index: number; text: string }[] }[];
	const texts = ['', ''];
	for (const { choices = [] } of streamed)
		for (const { index, text } of choices) texts[index] += text;
	assert.deepEqual(
		texts,
		made?.choices.map(({ text }) => text),
	);
});

test('recordings are transcribed by the engine, with times and as subtitles', async () => {
	const [own, remote] = await Promise.all(
		(
			[
				[there, 'starter-speech'],
				[here, 'lab/starter-speech'],
			] as const
		).map(async ([server, model]) => {
			const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.key, maxRetries: 0 });
			const file = new File([await readFile(recording)], 'my secret meeting.ogg');
			const verbose = await client.audio.transcriptions.create({
				...{ model, file, response_format: 'verbose_json' as const },
				timestamp_granularities: ['segment', 'word'],
			});
			const vtt = await client.audio.transcriptions.create({ model, file, response_format: 'vtt' });
			const plain = await client.audio.transcriptions.create({ model, file });
			return { verbose, vtt, plain };
		}),
	);
	assert.deepEqual(remote?.verbose, own?.verbose);
	assert.deepEqual(remote?.vtt, own?.vtt);
	assert.deepEqual(remote?.plain, own?.plain);
});

const form = async (model: string, fields: Record<string, string> = {}) => {
	const body = new FormData();
	body.set('file', new File([await readFile(recording)], 'my secret meeting.ogg'));
	body.set('model', model);
	for (const [name, value] of Object.entries(fields)) body.set(name, value);
	return fetch(`${here.url}/v1/audio/transcriptions`, { method: 'POST', body });
};

test('of a recording only its sound leaves, and of what is no recording nothing', async () => {
	asked = [];
	answer = { text: ' Hello. ' };
	const response = await form('odd/whisper', { language: 'de', prompt: 'names' });
	assert.equal((await response.json()).text, 'Hello.');
	const sent = asked[0]?.toString('latin1') ?? '';
	assert.match(sent, /name="language"\r\n\r\nde/);
	assert.doesNotMatch(sent, /secret meeting/);
	asked = [];
	const bad = new FormData();
	bad.set('file', new File(['no sound'], 'x.wav'));
	bad.set('model', 'odd/whisper');
	const refused = await fetch(`${here.url}/v1/audio/transcriptions`, { method: 'POST', body: bad });
	assert.equal((await errorIn(refused)).code, 'invalid_audio');
	assert.equal(
		(await errorIn(await form('odd/whisper', { response_format: 'diarized_json' }))).code,
		'unsupported_parameter',
	);
	assert.equal(asked.length, 0);
});

const vector = (index: number, embedding: unknown) => ({ index, embedding });
const nonsense: readonly [what: string, path: string, ask: object, answer: unknown][] = [
	['one vector is missing', '/v1/embeddings', { input: ['a', 'b'] }, { data: [vector(0, [1])] }],
	[
		'one vector comes twice',
		'/v1/embeddings',
		{ input: ['a', 'b'] },
		{ data: [vector(0, [1]), vector(0, [1])] },
	],
	[
		'vectors are of two widths',
		'/v1/embeddings',
		{ input: ['a', 'b'] },
		{ data: [vector(0, [1]), vector(1, [1, 2])] },
	],
	['a vector holds words', '/v1/embeddings', { input: ['a'] }, { data: [vector(0, ['1'])] }],
	[
		"a place is no document's",
		'/v1/rerank',
		{ query: 'a', documents: ['b'] },
		{ results: [{ index: 1, relevance_score: 1 }] },
	],
	[
		'a score is missing',
		'/v1/rerank',
		{ query: 'a', documents: ['b', 'c'] },
		{ results: [{ index: 1, relevance_score: 1 }] },
	],
	['a list is the answer', '/v1/embeddings', { input: ['a'] }, []],
];
for (const [what, path, ask, said] of nonsense)
	test(`it is the engine's fault when ${what}`, async () => {
		asked = [];
		answer = said;
		const response = await here.post(path, { model: 'odd/model', ...ask });
		assert.equal(response.status, 502);
		assert.match((await errorIn(response)).message, /'odd' .*cannot be read/);
	});

test("times outside the recording are the engine's fault, too", async () => {
	asked = [];
	answer = { text: 'x', segments: [{ start: 0, end: 1e6, text: 'x' }] };
	const response = await form('odd/whisper', { response_format: 'verbose_json' });
	assert.match((await errorIn(response)).message, /'odd' .*cannot be read/);
});

test('what an engine elsewhere cannot promise is refused before it is asked', async () => {
	asked = [];
	const refused: readonly [string, object][] = [
		['/v1/completions', { prompt: 'a', logprobs: 1 }],
		['/v1/completions', { prompt: 'a', best_of: 2 }],
		['/v1/completions', { prompt: 'a', grammar: 'root ::= "a"' }],
		['/v1/rerank', { query: 'a', documents: ['b'], truncate: false }],
	];
	for (const [path, fields] of refused) {
		const response = await here.post(path, { model: 'odd/model', ...fields });
		assert.equal((await errorIn(response)).code, 'unsupported_parameter', path);
	}
	assert.equal(asked.length, 0);
});
