/** What docs/data.md says lies in the data folder is what a server makes there, and nothing is left out. */

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { findOrStartDaemon } from '../../server/daemon/findDaemon.ts';
import { chatCompletions, responses } from '../../server/protocol/routeAddresses.ts';
import { type Home, newHome } from '../support/home.ts';

let home: Home;
before(async () => {
	home = await newHome();
});
after(() => home.close());

test('every file of a data folder that was used is documented', async () => {
	const text = await readFile(new URL('../../docs/data.md', import.meta.url), 'utf8');
	const named = new Set([...text.matchAll(/`([\w.-]+)\/?`/g)].map(([, name]) => name));
	const daemon = await findOrStartDaemon({ env: home.env });
	const body = { model: 'starter-chat', messages: [{ role: 'user', content: 'list files' }] };
	await daemon.call(chatCompletions, { body });
	await daemon.call(responses, { body: { model: 'starter-chat', input: 'list files' } });
	for (const args of [
		['keys', 'create', 'one', '--quota', '1000'],
		['models', 'pin', 'starter-chat'],
	]) {
		const { code, stderr } = await home.run(args);
		assert.equal(code, 0, stderr);
	}
	const found = await readdir(home.folder);
	assert.ok(found.includes('responses.db'));
	assert.ok(found.includes('keys.db') && found.includes('models.json'), String(found));
	const missing = found.filter((name) => !named.has(name.replace(/\.made$|-(?:wal|shm)$/, '')));
	assert.deepEqual(missing, []);
});
