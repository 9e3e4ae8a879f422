/** HF_ENDPOINT and HF_TOKEN of the terminal count, also while a server runs that was started without them. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Home, newHome } from '../support/home.ts';
import { startHub } from '../support/hubServer.ts';

let home: Home;
before(async () => {
	home = await newHome({ HF_ENDPOINT: 'http://127.0.0.1:9', HF_TOKEN: 'token-of-the-server' });
});
after(() => home.close());

const content = { 'readme.md': Buffer.from('no model') };

test('a pull asks the hub that its own environment names, with its own token only', async () => {
	await using hub = await startHub(content);
	await home.run(['models', 'list']);
	const pull = ['models', 'pull', 'acme/tiny'];
	const mine = await home.run(pull, '', { HF_ENDPOINT: `${hub.url}/`, HF_TOKEN: 'mine' });
	assert.equal(mine.code, 1, 'it holds no model');
	assert.ok(hub.requests.length > 0, mine.stderr);
	for (const { authorization } of hub.requests) assert.equal(authorization, 'Bearer mine');
	hub.requests.length = 0;
	await home.run(pull, '', { HF_ENDPOINT: hub.url, HF_TOKEN: '' });
	assert.ok(hub.requests.length > 0);
	for (const { authorization } of hub.requests)
		assert.equal(authorization, undefined, 'the token of the server goes to its own hub only');
	hub.requests.length = 0;
	const all = await home.run(['models', 'refresh'], '', { HF_ENDPOINT: hub.url, HF_TOKEN: 'mine' });
	assert.ok(hub.requests.length > 0, all.stderr);
	hub.requests.length = 0;
	const search = ['models', 'search', '--hub', 'tiny'];
	const found = await home.run(search, '', { HF_ENDPOINT: hub.url, HF_TOKEN: 'mine' });
	assert.ok(hub.requests.length > 0, found.stderr);
	for (const { authorization } of hub.requests) assert.equal(authorization, 'Bearer mine');
});

test('an address that is none is told with the name of the variable and whose it is', async () => {
	for (const HF_ENDPOINT of ['nonsense', 'file:///etc', 'https://']) {
		const { code, stderr } = await home.run(['models', 'pull', 'acme/tiny'], '', { HF_ENDPOINT });
		assert.equal(code, 1);
		assert.match(
			stderr,
			/^nearglot models: HF_ENDPOINT of this terminal is ".+", which is no address/,
		);
	}
	const other = await newHome({ HF_ENDPOINT: 'nonsense' });
	try {
		await other.run(['models', 'list']);
		const { stderr } = await other.run(['models', 'pull', 'acme/tiny'], '', { HF_ENDPOINT: '' });
		assert.match(stderr, /HF_ENDPOINT of the running server is "nonsense"/);
	} finally {
		await other.close();
	}
});
