/** An export whose head sees the last token only answers over HTTP as the whole export does. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { pruneHead } from '../fixtures/prunedHead.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { chat } from './ask.ts';

let server: TestServer;
const models = temporaryFolder('models');
before(async () => {
	for (const name of ['whole', 'pruned', 'computed'])
		writeDecoderModel(join(models, name), { attention: 'gqa' });
	pruneHead(join(models, 'pruned', 'onnx', 'model.onnx'), 'unsqueezed');
	pruneHead(join(models, 'computed', 'onnx', 'model.onnx'), 'computed');
	server = await startTestServer({ modelsDir: models });
});
after(async () => {
	await server.close();
});

async function complete(model: string, body: object): Promise<unknown> {
	const response = await server.post('/v1/completions', { model, temperature: 0, ...body });
	const { choices, error } = (await response.json()) as { choices?: object[]; error?: object };
	assert.equal(response.status, 200, JSON.stringify(error));
	return choices;
}

test('completions of several tokens, of several prompts and of a chat are those of the whole export', async () => {
	const prompt = 'The quick brown fox';
	const messages = [{ role: 'user', content: 'Where is the next door?' }];
	for (const model of ['pruned', 'computed']) {
		for (const body of [
			{ prompt, max_tokens: 12 },
			{ prompt: [prompt, 'T', 'one two one two one'], max_tokens: 12 },
		])
			assert.deepEqual(await complete(model, body), await complete('whole', body));
		const ask = { messages, max_tokens: 12, temperature: 0 };
		const { choices } = await chat(server, { model, ...ask });
		assert.deepEqual(choices, (await chat(server, { model: 'whole', ...ask })).choices);
	}
});

test('log-probabilities of a prompt are there, also where the graph gives one row at a time', async () => {
	const body = { prompt: 'abcd', max_tokens: 0, echo: true, logprobs: 1 };
	const read = async (model: string) => {
		const [choice] = (await complete(model, body)) as { logprobs: { token_logprobs: number[] } }[];
		return choice?.logprobs.token_logprobs.map((value) => value?.toFixed(3)) ?? [];
	};
	const whole = await read('whole');
	assert.equal(whole.length, 4);
	for (const model of ['pruned', 'computed']) assert.deepEqual(await read(model), whole);
});
