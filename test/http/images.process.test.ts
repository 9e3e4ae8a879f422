/** Images are refused by name in every interface, and none is fetched. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../support/testServer.ts';

let server: TestServer;
let asked = 0;
const host = createServer((_, response) => {
	asked++;
	response.end('an image');
});
before(async () => {
	server = await startTestServer({ fakeRunner: true });
	await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
});
after(async () => {
	await server.close();
	host.close();
});

test('no interface takes an image for a model without eyes, wherever the image lies', async () => {
	const model = 'starter-chat';
	const remote = `http://127.0.0.1:${(host.address() as AddressInfo).port}/a.png`;
	const data = 'data:image/png;base64,iVBORw0KGgo=';
	const user = (content: unknown, more: object = {}) => [{ role: 'user', content, ...more }];
	const text = { type: 'text', text: 'What is it?' };
	const doors: (readonly [path: string, body: object])[] = [];
	for (const url of [remote, data]) {
		const image = { type: 'image_url', image_url: { url } };
		const input = { type: 'input_image', image_url: url };
		const block = { type: 'image', source: { type: 'url', url } };
		doors.push(
			['/v1/chat/completions', { model, messages: user([text, image]) }],
			['/v1/responses', { model, input: user([input]) }],
			['/v1/responses/input_tokens', { model, input: user([input]) }],
			['/v1/messages', { model, max_tokens: 5, messages: user([text, block]) }],
			['/v1/messages/count_tokens', { model, messages: user([text, block]) }],
			['/api/chat', { model, messages: user('What is it?', { images: [url] }) }],
			['/api/generate', { model, prompt: 'What is it?', images: [url] }],
			['/tokenize', { model, messages: user([image]) }],
		);
	}
	// What is kept may be asked of a model that sees.
	doors.push(['/v1/conversations', { items: user([{ type: 'input_image', image_url: remote }]) }]);
	for (const [path, body] of doors) {
		const response = await server.post(path, body);
		const answer = await response.text();
		assert.equal(response.status, 400, `${path}: ${answer}`);
		assert.match(answer, /image/, path);
	}
	assert.equal(asked, 0, 'nothing is fetched');
});
