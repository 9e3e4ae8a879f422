/** Seconds of `npm run bench -- chaos`. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runChaos } from '../../bench/chaos/chaos.ts';

const skip = process.platform === 'linux' ? false : 'it needs /proc';

test('after faults in a row the next request works, and nothing is lost or left', {
	skip,
}, async () => {
	const { taken, failures } = await runChaos({ seed: 7, durationMs: 15_000 });
	assert.deepEqual(failures, []);
	assert.ok(Object.keys(taken).length > 0);
});
