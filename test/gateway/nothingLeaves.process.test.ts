/** The sign-in layer talks to the providers and the app it was told of, and to nobody else. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { whyNoTrace } from '../support/syscallTrace.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { watch } from '../support/watched.ts';

const folder = temporaryFolder('quiet');
const skip = process.platform === 'linux' ? (whyNoTrace() ?? false) : 'there is no strace here';
const everyWay = fileURLToPath(new URL('everyWay.ts', import.meta.url));

test('a sign-in, proxied requests, a refresh and a sign-out reach the provider and the app only', {
	skip,
}, async () => {
	const seen = await watch([everyWay], join(folder, 'quiet'));
	assert.deepEqual(JSON.parse(seen.stdout), {
		answers: {
			login: 302,
			callback: 302,
			app: 200,
			me: 200,
			refresh: 200,
			'client login': 200,
			'client call': 200,
			logout: 302,
			after: 302,
			stranger: 404,
		},
		refreshCalls: 1,
	});
	const { reached, changed, left } = seen;
	assert.deepEqual({ reached, changed, left }, { reached: [], changed: [], left: [] });
	assert.ok(seen.loopback > 0);
});

test('a name that is looked up and a file that is left elsewhere are caught', {
	skip,
}, async () => {
	const seen = await watch([everyWay, 'leak'], join(folder, 'leak'));
	assert.notDeepEqual(seen.reached, []);
	assert.ok(seen.changed.some((call) => call.includes('/left"')));
	assert.equal(seen.left.length, 1);
});
