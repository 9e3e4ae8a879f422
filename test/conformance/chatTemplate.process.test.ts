/** A model without a chat template chats only when the person who starts the server gives one. */

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTestServer } from '../support/testServer.ts';
import { chat, refused } from './ask.ts';

const models = temporaryFolder('models');
before(async () => {
	const folder = writeDecoderModel(join(models, 'plain'), { attention: 'gqa' });
	const file = join(folder, 'tokenizer_config.json');
	const { chat_template: _, ...rest } = JSON.parse(await readFile(file, 'utf8'));
	await writeFile(file, JSON.stringify(rest));
});

const ask = { model: 'plain', max_tokens: 2, messages: [{ role: 'user', content: 'abc' }] };

test('without a template chat is refused with a way out', async () => {
	const server = await startTestServer({ modelsDir: models });
	const error = await refused(server, ask);
	assert.equal(error.status, 400);
	assert.match(error.message, /completions/);
	await server.close();
});

test('the template given at the start is used for prompt, count and answer', async () => {
	const chatTemplate = '{% for m in messages %}[{{ m.content }}]{% endfor %}';
	const server = await startTestServer({
		modelsDir: models,
		settings: { models: { defaultTtlS: 0, loadTimeoutMs: 120_000, load: { chatTemplate } } },
	});
	assert.equal((await chat(server, ask)).usage.prompt_tokens, '[abc]'.length);
	const count = await server.post('/v1/chat/completions/tokenizer/encode/count', ask);
	assert.deepEqual(await count.json(), { tokenCount: '[abc]'.length });
	await server.close();
});
