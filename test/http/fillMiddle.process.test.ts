/** `suffix` of completions: filled in between by models that learned it, refused by others. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fillMiddleStops, fillMiddleTokens } from '../../server/engine/text/fillMiddle.ts';
import { loadTextModel } from '../../server/engine/text/textModel.ts';
import { tinyShape, writeDecoderModel } from '../fixtures/decoderModel.ts';
import { byteTokenizer } from '../fixtures/tokenizerFiles.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';

const models = temporaryFolder('fim');
let server: TestServer;
before(async () => {
	const shape = { ...tinyShape, vocabulary: 320 };
	writeDecoderModel(join(models, 'plain'), { attention: 'gqa', shape });
	const coder = writeDecoderModel(join(models, 'coder'), { attention: 'gqa', shape });
	byteTokenizer(coder, undefined, ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>']);
	server = await startTestServer({ modelsDir: models });
});
after(async () => {
	await server.close();
});

const complete = async (body: object) => {
	const response = await server.post('/v1/completions', {
		model: 'coder',
		prompt: 'a = ',
		max_tokens: 12,
		temperature: 0,
		...body,
	});
	return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

test('the prompt is prefix, suffix and middle with the marks of the model', async () => {
	const text = await loadTextModel(join(models, 'coder'));
	const ids = fillMiddleTokens(text, 'coder', 'ab', 'c');
	const start = text.encode('', { addSpecial: true }).slice(0, 1);
	assert.deepEqual(ids, [...start, 259, 97, 98, 260, 99, 261]);
	assert.deepEqual(fillMiddleStops(text), ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>']);
});

test('what stands after the gap changes what is filled in', async () => {
	const first = await complete({ suffix: '\nprint(a)\n' });
	const second = await complete({ suffix: '\nreturn sum(a, b, c)\n' });
	assert.equal(first.status, 200, JSON.stringify(first.body));
	const text = ({ body }: typeof first) => (body['choices'] as { text: string }[])[0]?.text;
	assert.notEqual(text(first), text(second));
	const usage = first.body['usage'] as { prompt_tokens: number };
	assert.ok(usage.prompt_tokens >= 'a = \nprint(a)\n'.length + 3, String(usage.prompt_tokens));
});

test('a model that never learned it, tokens and echo are refused with the reason', async () => {
	for (const [body, words] of [
		[{ model: 'plain', suffix: 'x' }, /not trained to fill in/],
		[{ prompt: [1, 2], suffix: 'x' }, /prompt of text/],
		[{ echo: true, suffix: 'x' }, /echo/],
	] as const) {
		const { status, body: answer } = await complete(body);
		const { message, param } = answer['error'] as { message: string; param: string };
		assert.equal(status, 400, message);
		assert.match(message, words);
		assert.equal(param, 'suffix');
	}
});
