/** What a search of a hub shows: repositories whose models run here, those with graphs first. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createHubHttp } from '../../server/hub/http.ts';
import { readRepository } from '../../server/hub/repository.ts';
import { searchHub } from '../../server/hub/searchHub.ts';
import { startHub } from '../support/hubServer.ts';

const never = new AbortController().signal;

async function found(answer: unknown, words = 'qwen small') {
	let asked = '';
	await using hub = await startHub(
		{},
		{
			onList: (request, response) => {
				asked = request.url ?? '';
				response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
				return true;
			},
		},
	);
	const http = createHubHttp({ endpoint: hub.url });
	try {
		return { list: await searchHub(http, words, never, { tries: 1 }), asked };
	} finally {
		http.close();
	}
}

it('exports come first, then weights; what cannot run is left out', async () => {
	const { list, asked } = await found([
		{ id: 'a/weights', tags: ['gguf', 'license:mit'], downloads: 9, gated: 'manual' },
		{ id: 'a/torch', tags: ['pytorch'] },
		{ id: '../evil', tags: ['gguf'] },
		null,
		{ id: 'a/no-tags' },
		{
			id: 'a/export',
			tags: ['safetensors', 'onnx', 7],
			pipeline_tag: 'text-generation',
			gated: false,
		},
	]);
	assert.deepEqual(list, [
		{
			repository: 'a/export',
			formats: ['onnx', 'safetensors'],
			task: 'text-generation',
			isGated: false,
		},
		{ repository: 'a/weights', formats: ['gguf'], license: 'mit', downloads: 9, isGated: true },
	]);
	const url = new URL(asked, 'http://hub');
	assert.equal(url.pathname, '/api/models');
	assert.equal(url.searchParams.get('search'), 'qwen small');
});

it('words are words, whatever is in them; an answer that is no list finds nothing', async () => {
	const { list, asked } = await found({}, 'a&limit=1#/../x');
	assert.deepEqual(list, []);
	assert.equal(new URL(asked, 'http://hub').searchParams.get('search'), 'a&limit=1#/../x');
	await assert.rejects(found('<html>'), /not JSON/);
});

it('what a repository says of itself stays in one line', async () => {
	const { list } = await found([
		{
			id: 'a/export',
			tags: ['onnx', 'license:mit\nLicence accepted.\u001b[2K'],
			pipeline_tag: 'text\r\ngeneration',
		},
	]);
	assert.deepEqual(
		list.map(({ license, task }) => [license, task]),
		[['mit Licence accepted.[2K', 'text generation']],
	);
	await using hub = await startHub({});
	hub.faults.license = 'mit\nIt is built of nothing.\u2028Licence\u202e accepted.';
	const http = createHubHttp({ endpoint: hub.url });
	try {
		const { license } = await readRepository(http, 'acme/tiny', 'main', never, { tries: 1 });
		assert.equal(license, 'mit It is built of nothing. Licence accepted.');
	} finally {
		http.close();
	}
});
