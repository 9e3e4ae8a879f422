/** The extension, its language client and the server it starts reach nothing but this machine. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { whyNoTrace } from '../support/syscallTrace.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { watch } from '../support/watched.ts';

const folder = temporaryFolder('quiet');
const skip = process.platform === 'linux' ? (whyNoTrace() ?? false) : 'there is no strace here';
const host = fileURLToPath(new URL('stubHost.cjs', import.meta.url));
/** The daemon's data, and what the editor gives the extension to keep things in. */
const own = (home: string) => [join(home, '.local', 'share', 'nearglot'), join(home, 'storage')];

test('an extension host that activates the extension and asks its server sends nothing', {
	skip,
}, async () => {
	const seen = await watch([host], join(folder, 'quiet'), own);
	const { models, health, said } = JSON.parse(seen.stdout);
	assert.ok(models >= 3, 'the built-in models are listed');
	assert.deepEqual(health, ['running', 'idle'], said.join('\n'));
	const { reached, changed, left } = seen;
	assert.deepEqual({ reached, changed, left }, { reached: [], changed: [], left: [] });
	// Asking for a list loads no model.
	assert.equal(seen.runtimes, 0);
});

test('a name that is looked up and a file that is left elsewhere are caught', {
	skip,
}, async () => {
	const seen = await watch([host, 'leak'], join(folder, 'leak'), own);
	assert.notDeepEqual(seen.reached, []);
	assert.ok(seen.changed.some((call) => call.includes('/left"')));
	assert.equal(seen.left.length, 1);
});
