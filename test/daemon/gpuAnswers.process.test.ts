/**
 * The built-in chat on a graphics processor of this machine: the same answer as from the processor, or a sentence that says
 * why it ran on the processor. NEARGLOT_GPU names the execution provider; the workflow `gpu` does so for each.
 */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestServer, type TestServer } from '../support/testServer.ts';

const provider = process.env['NEARGLOT_GPU'];
const skip =
	provider === undefined && 'NEARGLOT_GPU names no execution provider (dml, webgpu, coreml, cuda)';

let server: TestServer | undefined;
after(() => server?.close());

test('a graphics processor answers as the processor does, or it is said why it cannot', {
	skip,
}, async (t) => {
	server = await startTestServer();
	const { url, keyed } = server;
	const ask = async (ep: string | undefined) => {
		const response = await fetch(`${url}/v1/chat/completions`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', ...keyed },
			body: JSON.stringify({
				model: 'starter-chat',
				messages: [{ role: 'user', content: 'extract a tar.gz file' }],
				temperature: 0,
				ep,
			}),
		});
		const answer = (await response.json()) as {
			choices?: { message: { content: string } }[];
			execution_provider?: { used: string; reason: string };
			error?: { message: string };
		};
		return { ...answer, status: response.status, text: answer.choices?.[0]?.message.content };
	};
	const onGpu = await ask(provider);
	if (onGpu.error !== undefined) {
		assert.match(onGpu.error.message, /^\w.{20,}\.$/);
		assert.doesNotMatch(onGpu.error.message, /::|\.cc\b/);
		return t.skip(`refused: ${onGpu.error.message}`);
	}
	assert.equal(onGpu.status, 200);
	assert.match(onGpu.text ?? '', /tar xf archive\.tar\.gz/);
	assert.equal(onGpu.text, (await ask('cpu')).text);
	const { execution_provider: told } = onGpu;
	if (told !== undefined) {
		assert.match(told.reason, /^[A-Z].{20,}\.$/s);
		t.skip(`ran on ${told.used}: ${told.reason}`);
	}
});
