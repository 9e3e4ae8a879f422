/** Embeddings over HTTP; the vectors themselves are checked against a reference in test/engine. */

import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { sharedFolder } from '../support/sharedData.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { refused } from './ask.ts';

const { path, skip } = sharedFolder('models-tiny/bert-tjs');
const options = skip === false ? {} : { skip };
const model = 'bert-tjs';
let server: TestServer;
let openai: OpenAI;
before(async () => {
	server = await startTestServer(skip === false ? { modelsDir: dirname(path) } : {});
	openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
});
after(() => server.close());

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
