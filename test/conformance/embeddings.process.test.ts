/** Embeddings and reranking over HTTP; the numbers themselves are checked against references in test/engine. */

import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import { sharedFolder } from '../support/sharedData.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { refused } from './ask.ts';

const { path, skip } = sharedFolder('models-tiny/bert-tjs');
const options = skip === false ? {} : { skip };
const model = 'bert-tjs';
let server: TestServer;
let openai: OpenAI;
let rerankers: string;
const made = fileURLToPath(new URL('../fixtures/rerankers', import.meta.url));
before(async () => {
	rerankers = temporaryFolder('rerankers');
	cpSync(made, rerankers, { recursive: true });
	server = await startTestServer({
		...(skip === false ? { modelsDir: dirname(path) } : {}),
		settings: { modelRoots: [rerankers] },
	});
	openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
});
after(async () => {
	await server.close();
	rmSync(rerankers, { recursive: true, force: true });
});

test('float and base64 are the same vector, of unit length', options, async () => {
	const input = 'The file could not be opened.';
	const floats = await openai.embeddings.create({ model, input, encoding_format: 'float' });
	const decoded = await openai.embeddings.create({ model, input });
	const vector = floats.data[0]?.embedding ?? [];
	assert.deepEqual(decoded.data[0]?.embedding, vector);
	const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
	assert.ok(Math.abs(length - 1) < 1e-4, String(length));
	assert.ok(floats.usage.prompt_tokens > 3);
});

test(
	'several inputs keep their order, also as token ids, and count together',
	options,
	async () => {
		const one = await openai.embeddings.create({ model, input: 'first', encoding_format: 'float' });
		const many = await openai.embeddings.create({
			model,
			input: ['second', 'first'],
			encoding_format: 'float',
		});
		assert.deepEqual(
			many.data.map((each) => each.index),
			[0, 1],
		);
		const [, again] = many.data;
		const same = one.data[0]?.embedding.every(
			(value, i) => Math.abs(value - (again?.embedding[i] ?? 9)) < 1e-3,
		);
		assert.ok(same);
		assert.ok(many.usage.prompt_tokens > one.usage.prompt_tokens);
		const tokenized = await server.post('/tokenize', {
			model,
			content: 'first',
			add_special: true,
		});
		const { tokens } = (await tokenized.json()) as { tokens: number[] };
		const fromIds = await openai.embeddings.create({
			model,
			input: tokens,
			encoding_format: 'float',
		});
		assert.ok(
			fromIds.data[0]?.embedding.every(
				(value, i) => Math.abs(value - (one.data[0]?.embedding[i] ?? 9)) < 1e-3,
			),
		);
	},
);

test('dimensions cuts the vector and normalises it again', options, async () => {
	const cut = await openai.embeddings.create({
		model,
		input: 'x',
		dimensions: 8,
		encoding_format: 'float',
	});
	const vector = cut.data[0]?.embedding ?? [];
	assert.equal(vector.length, 8);
	assert.ok(Math.abs(Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) - 1) < 1e-4);
});

test('a chat model, an empty text and a wrong format are refused', options, async () => {
	const wrongModel = await refused(server, { model: 'starter-chat', input: 'x' }, '/v1/embeddings');
	assert.equal(wrongModel.code, 'unsupported_model');
	assert.match(wrongModel.message, /bert-tjs/);
	assert.equal((await refused(server, { model, input: '' }, '/v1/embeddings')).param, 'input');
	assert.equal(
		(await refused(server, { model, input: 'x', encoding_format: 'hex' }, '/v1/embeddings')).param,
		'encoding_format',
	);
});

test(
	'ollama: texts become the same vectors; too long ones lose their end, and that is said',
	options,
	async () => {
		const long = 'file '.repeat(2000);
		const response = await server.post('/api/embed', { model, input: ['first', long] });
		assert.equal(response.status, 200, await response.clone().text());
		assert.equal(response.headers.get('x-truncated-inputs'), '1');
		const { embeddings, prompt_eval_count: count } = (await response.json()) as {
			embeddings: number[][];
			prompt_eval_count: number;
		};
		const one = await openai.embeddings.create({ model, input: 'first', encoding_format: 'float' });
		assert.deepEqual(embeddings[0], one.data[0]?.embedding);
		assert.ok(count > one.usage.prompt_tokens);
		const whole = await server.post('/api/embed', { model, input: long, truncate: false });
		assert.equal(whole.status, 400);
		const older = await server.post('/api/embeddings', { model, prompt: 'first' });
		const { embedding } = (await older.json()) as { embedding: number[] };
		assert.deepEqual(embedding, embeddings[0]);
		const none = await server.post('/api/embed', { model, input: [] });
		assert.deepEqual(((await none.json()) as { embeddings: unknown }).embeddings, []);
	},
);

interface Ranked {
	readonly results: readonly {
		readonly index: number;
		readonly relevance_score: number;
		readonly document?: { readonly text: string };
	}[];
	readonly usage: { readonly total_tokens: number };
}

test('documents come back best first, with PyTorch’s scores, at the paths that clients use', async () => {
	const reference = JSON.parse(readFileSync(join(made, 'reference.json'), 'utf8'));
	const { query, documents } = reference as { query: string; documents: string[] };
	const ask = async (path: string, more: object) => {
		const response = await server.post(path, { query, documents, ...more });
		assert.equal(response.status, 200, await response.clone().text());
		return { ranked: (await response.json()) as Ranked, headers: response.headers };
	};
	for (const [name, path] of [
		['bert', '/v1/rerank'],
		['xlm-roberta', '/rerank'],
	] as const) {
		const { ranked, headers } = await ask(path, { model: name });
		assert.equal(headers.get('x-truncated-inputs'), '3');
		const { logits, tokens } = reference[name] as { logits: number[]; tokens: number[] };
		const order = [...logits.keys()].sort((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0));
		assert.deepEqual(
			ranked.results.map(({ index }) => index),
			order,
		);
		for (const { index, relevance_score: score } of ranked.results)
			assert.ok(Math.abs(score - 1 / (1 + Math.exp(-(logits[index] ?? 0)))) < 1e-4);
		assert.equal(
			ranked.usage.total_tokens,
			tokens.reduce((sum, count) => sum + count, 0),
		);
	}
	const best = await ask('/v2/rerank', {
		model: 'bert:1',
		documents: documents.map((text) => ({ text })),
		top_n: 2,
		return_documents: true,
	});
	assert.deepEqual(
		best.ranked.results.map(({ index, document }) => document?.text === documents[index]),
		[true, true],
	);
	for (const [path, body, code] of [
		['/v1/rerank', { model: 'starter-chat' }, 'unsupported_model'],
		['/v1/rerank', { model: 'bert', documents: [] }, 'invalid_request'],
		['/v1/rerank', { model: 'bert', truncate: false }, 'context_length_exceeded'],
		['/v1/embeddings', { model: 'bert', input: 'x' }, 'unsupported_model'],
		['/v1/moderations', { model: 'bert', input: 'x' }, 'unsupported_parameter'],
	] as const)
		assert.equal((await refused(server, { query, documents, ...body }, path)).code, code, path);
});

test(
	'a text that is too long is refused, or its end is left out and that is said',
	options,
	async () => {
		const long = `first ${'and more '.repeat(20_000)}`;
		const whole = await server.post('/v1/embeddings', { model, input: ['first', long] });
		assert.equal(whole.status, 400);
		const { error } = (await whole.json()) as { error: { code: string } };
		assert.equal(error.code, 'context_length_exceeded');
		const cut = await server.post('/v1/embeddings', {
			...{ model, truncate: true, input: ['first', long] },
		});
		assert.equal(cut.status, 200);
		assert.equal(cut.headers.get('x-truncated-inputs'), '1');
		const { data, truncated } = (await cut.json()) as { data: unknown[]; truncated: number[] };
		assert.equal(data.length, 2);
		assert.deepEqual(truncated, [1]);
		const ids = Array.from({ length: 20_000 }, () => 5);
		const tokens = await server.post('/v1/embeddings', { model, truncate: true, input: ids });
		assert.deepEqual(((await tokens.json()) as { truncated: number[] }).truncated, [0]);
		const short = await server.post('/v1/embeddings', { model, truncate: true, input: 'first' });
		assert.equal('truncated' in ((await short.json()) as object), false);
	},
);
