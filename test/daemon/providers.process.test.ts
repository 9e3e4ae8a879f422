/** Execution providers beyond the CPU: refused ones fall back, and WebGPU really runs where Vulkan does. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { sharedFolder } from '../support/sharedData.ts';
import { startTestServer } from '../support/testServer.ts';

/** A Vulkan in software that Debian's browser package brings along. */
const softwareVulkan = '/usr/lib/chromium/vk_swiftshader_icd.json';

const ask = async (url: string, ep: string) => {
	const response = await fetch(`${url}/v1/chat/completions`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({
			model: 'starter-chat',
			ep,
			temperature: 0,
			messages: [{ role: 'user', content: 'extract a tar.gz file' }],
		}),
	});
	assert.equal(response.status, 200, await response.clone().text());
	const answer = (await response.json()) as { choices: { message: { content: string } }[] };
	return answer.choices[0]?.message.content ?? '';
};

const tiny = sharedFolder('models-tiny');

const complete = async (url: string, model: string, ep: string) => {
	const response = await fetch(`${url}/v1/completions`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ model, ep, temperature: 0, max_tokens: 12, prompt: 'The cat' }),
	});
	assert.equal(response.status, 200, await response.clone().text());
	const answer = (await response.json()) as { choices: { text: string }[] };
	return answer.choices[0]?.text;
};

test('where the CPU may stand in, a provider that cannot start is one warning, and the CPU answers', async () => {
	const server = await startTestServer({
		settings: { models: { defaultTtlS: 0, loadTimeoutMs: 120_000, refuseProvider: 'never' } },
	});
	const warnings: string[] = [];
	server.backend.events.on((event) => {
		if (event.type === 'log' && event.level === 'warn')
			warnings.push(`${event.message} ${String(event.facts['executionProvider'])}`);
	});
	try {
		assert.match(await ask(server.url, 'CUDAExecutionProvider'), /tar/);
		const [row] = await server.backend.host.stats();
		assert.equal(row?.stats.executionProvider, 'cpu');
		assert.match(await ask(server.url, 'cuda'), /tar/);
		assert.deepEqual(warnings, [
			'execution provider cannot be used here, the CPU is used instead cuda',
		]);
	} finally {
		await server.close();
	}
});

test('WebGPU gives the same answer as the CPU', async (context) => {
	if (process.platform !== 'linux' || process.arch !== 'x64' || !existsSync(softwareVulkan))
		return context.skip(`needs ${softwareVulkan} (Debian: chromium)`);
	const server = await startTestServer({
		env: { VK_ICD_FILENAMES: softwareVulkan },
		...(tiny.skip === false ? { modelsDir: tiny.path } : {}),
	});
	try {
		// Grouped attention; plain attention is that of the built-in model below.
		for (const model of tiny.skip === false ? ['llama3-gqa-tjs'] : []) {
			const texts = [];
			for (const ep of ['webgpu', 'cpu']) texts.push(await complete(server.url, model, ep));
			assert.equal(texts[0], texts[1], model);
		}
		await fetch(`${server.url}/openai/unloadall`);
		const onGpu = await ask(server.url, 'webgpu');
		const [row] = await server.backend.host.stats();
		assert.equal(row?.stats.executionProvider, 'webgpu');
		assert.equal(onGpu, await ask(server.url, 'cpu'));
		assert.match(onGpu, /tar xf/);
	} finally {
		await server.close();
	}
});
