/** Images in messages, sent by the published clients of four interfaces; nothing is fetched for them. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { pngImage } from '../fixtures/pngImage.ts';
import { writeVisionModel } from '../fixtures/visionModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTestServer } from '../support/testServer.ts';

const models = temporaryFolder('models');
writeVisionModel(join(models, 'tiny-eyes'), 'idefics3');
const server = await startTestServer({ modelsDir: models });
after(() => server.close());

const model = 'tiny-eyes';
const base64 = pngImage(32, 24, (x) => (x < 16 ? 65 : 90)).toString('base64');
const url = `data:image/png;base64,${base64}`;
const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
const anthropic = new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
const ollama = new Ollama({ host: server.url });
const max = 8;

const parts = (address: string, detail: 'auto' | 'low' = 'auto') => [
	{ type: 'image_url' as const, image_url: { url: address, detail } },
	{ type: 'text' as const, text: 'see?' },
];

const chat = (address: string, detail?: 'auto' | 'low', name = model) =>
	openai.chat.completions.create({
		...{ model: name, max_tokens: max, temperature: 0 },
		messages: [{ role: 'user', content: parts(address, detail) }],
	});

test('chat completions, Responses, Messages and Ollama read the same image alike', async () => {
	const whole = await chat(url);
	const expected = whole.choices[0]?.message.content;
	const tokens = whole.usage?.prompt_tokens ?? 0;
	// Four squares and the whole, their marks and line ends, and four characters.
	assert.equal(tokens, 5 * 4 + (4 * 2 + 3 + 3) + 4);
	const plain = await openai.chat.completions.create({
		...{ model, max_tokens: max, temperature: 0 },
		messages: [{ role: 'user', content: 'see?' }],
	});
	assert.notEqual(plain.choices[0]?.message.content, expected);
	assert.ok(((await chat(url, 'low')).usage?.prompt_tokens ?? 0) < tokens);

	let streamed = '';
	const stream = await openai.chat.completions.create({
		...{ model, max_tokens: max, temperature: 0, stream: true },
		messages: [{ role: 'user', content: parts(url) }],
	});
	for await (const { choices } of stream) streamed += choices[0]?.delta.content ?? '';
	assert.equal(streamed, expected);

	const content = [
		{ type: 'input_image' as const, image_url: url, detail: 'auto' as const },
		{ type: 'input_text' as const, text: 'see?' },
	];
	const response = await openai.responses.create({
		...{ model, max_output_tokens: max, temperature: 0, store: true },
		input: [{ role: 'user', content }],
	});
	assert.equal(response.output_text, expected);
	const items = await openai.responses.inputItems.list(response.id);
	const [item] = items.data as { content: unknown[] }[];
	assert.deepEqual(item?.content, content);

	const message = await anthropic.messages.create({
		...{ model, max_tokens: max, temperature: 0 },
		messages: [
			{
				role: 'user',
				content: [
					{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } },
					{ type: 'text', text: 'see?' },
				],
			},
		],
	});
	const [block] = message.content;
	assert.equal(block?.type === 'text' ? block.text : '', expected);

	const options = { num_predict: max, temperature: 0 };
	const said = await ollama.chat({
		...{ model, options },
		messages: [{ role: 'user', content: 'see?', images: [base64] }],
	});
	assert.equal(said.message.content, expected);
	const generated = await ollama.generate({ model, prompt: 'see?', images: [base64], options });
	assert.equal(generated.response, expected);
	const shown = await ollama.show({ model });
	assert.ok(shown.capabilities?.includes('vision'));
});

test('a model without eyes refuses by name, and what is no image by its place', async () => {
	const status = async (sent: Promise<unknown>) =>
		sent.then(
			() => [200, ''] as const,
			(error: { status?: number; message?: string }) => [error.status, error.message] as const,
		);
	const [blind, words] = await status(chat(url, 'auto', 'starter-chat'));
	assert.equal(blind, 400);
	assert.match(words ?? '', /starter-chat.*does not see images/);
	const text = Buffer.from('no image at all, whatever its name says').toString('base64');
	const [wrong, why] = await status(chat(`data:image/png;base64,${text}`));
	assert.equal(wrong, 400);
	assert.match(why ?? '', /messages\[0\].*PNG, JPEG or WebP/);
	const cut = Buffer.from(base64, 'base64').subarray(0, 60).toString('base64');
	assert.match((await status(chat(`data:image/png;base64,${cut}`)))[1] ?? '', /damaged/);
	const many = openai.chat.completions.create({
		...{ model, max_tokens: 1 },
		messages: [{ role: 'user', content: Array.from({ length: 17 }, () => parts(url)[0] as never) }],
	});
	assert.match((await status(many))[1] ?? '', /17 images; at most 16/);
});

test('an address is refused, and nothing is asked of it', async () => {
	let asked = 0;
	const other = createServer((_, response) => {
		asked++;
		response.end();
	}).listen(0, '127.0.0.1');
	await new Promise((resolve) => other.once('listening', resolve));
	const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}/cat.png`;
	await assert.rejects(chat(address), /nothing is fetched/);
	await assert.rejects(chat('file:///etc/hostname'), /nothing is fetched/);
	const linked = anthropic.messages.create({
		...{ model, max_tokens: 1 },
		messages: [
			{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: address } }] },
		],
	});
	await assert.rejects(linked, /nothing is fetched/);
	other.close();
	assert.equal(asked, 0);
});
