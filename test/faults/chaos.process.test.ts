/** Seconds of `npm run bench -- chaos`, every scene of it. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runChaos, type SceneName } from '../../bench/chaos/chaos.ts';

const skip = process.platform === 'linux' ? false : 'it needs /proc';
const inProcess: readonly SceneName[] = ['server', 'layer on SQLite', 'layer on Redis'];

for (const name of inProcess)
	test(`${name}: after faults in a row the next request works, and nothing is lost or left`, {
		skip,
	}, async (context) => {
		const only = [name];
		const { taken, failures, leftOut } = await runChaos({ seed: 7, durationMs: 6000, only });
		if (leftOut.length > 0) return context.skip(leftOut.join());
		assert.deepEqual(failures, []);
		assert.ok(Object.keys(taken).length > 0);
	});

test('disk: the same where it fills up and is read-only', { skip }, (context) => {
	const bench = fileURLToPath(new URL('../../bench/run.mjs', import.meta.url));
	const args = [bench, 'chaos', '--only', 'disk', '--minutes', '0.1', '--seed', '7'];
	const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
	if (stdout.includes('LEFT OUT')) return context.skip(stdout);
	assert.equal(status, 0, stdout + stderr);
	assert.match(stdout, /All held in [1-9]/);
});
