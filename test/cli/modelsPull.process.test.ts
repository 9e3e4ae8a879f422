/** `nearglot models pull` downloads nothing under a licence with conditions that nobody has accepted. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Home, newHome } from '../support/home.ts';
import { startHub } from '../support/hubServer.ts';

let home: Home;
before(async () => {
	home = await newHome();
});
after(() => home.close());

const content = {
	'config.json': Buffer.from('{"model_type": "llama"}'),
	'tokenizer.json': Buffer.from('{}'),
	'onnx/model_q4.onnx': Buffer.alloc(5000, 1),
};

test('a licence with conditions, or none, is named with its page and the option, before a byte of the model comes', async () => {
	for (const license of ['gemma', null]) {
		await using hub = await startHub(content, { license });
		const pull = (...more: string[]) =>
			home.run(['models', 'pull', 'acme/tiny', ...more], '', { HF_ENDPOINT: hub.url });
		const refused = await pull('--name', 'own-model');
		assert.equal(refused.code, 1);
		assert.equal(refused.stdout, '');
		assert.match(
			refused.stderr,
			license === null
				? /The page of own-model:1 names no licence/
				: /under the licence 'gemma', which has conditions/,
		);
		assert.ok(refused.stderr.includes(`${hub.url}/acme/tiny`), refused.stderr);
		assert.match(
			refused.stderr,
			/Nothing was downloaded\. To accept it: nearglot models pull acme\/tiny --name own-model --accept-license$/m,
		);
		const fetched = () => hub.requests.some(({ path }) => path.includes('/resolve/'));
		assert.equal(fetched(), false);
		const planned = await pull('--plan', '--json');
		assert.equal(planned.code, 0, planned.stderr);
		assert.equal(JSON.parse(planned.stdout).repository, 'acme/tiny');
		assert.equal(JSON.parse(planned.stdout).license, license ?? undefined);
		assert.equal(fetched(), false);
		// What comes is no model that runs.
		const accepted = await pull('--name', `accepted-${license}`, '--accept-license');
		assert.doesNotMatch(accepted.stderr, /Nothing was downloaded/);
		assert.equal(fetched(), true);
	}
});

test('a licence that everybody may use models under is asked of nobody', async () => {
	await using hub = await startHub(content);
	await home.run(['models', 'pull', 'acme/tiny', '--name', 'free'], '', { HF_ENDPOINT: hub.url });
	assert.ok(hub.requests.some(({ path }) => path.includes('/resolve/')));
});
