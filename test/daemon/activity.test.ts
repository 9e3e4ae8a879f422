/** What keeps a daemon that nobody started on purpose. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createActivity } from '../../server/daemon/activity.ts';

test('what goes on keeps a daemon however long it takes, and its end begins the time without any', () => {
	let now = 1000;
	const activity = createActivity(() => now);
	now += 500;
	assert.equal(activity.idleMs(), 500);
	activity.begin();
	activity.begin();
	now += 1e9;
	assert.deepEqual([activity.idleMs(), activity.idle(), activity.idle(2)], [0, false, true]);
	activity.end();
	now += 1e9;
	assert.equal(activity.idleMs(), 0, 'the other one goes on');
	activity.end();
	assert.deepEqual([activity.idleMs(), activity.idle()], [0, true]);
	now += 700;
	assert.equal(activity.idleMs(), 700);
});

test('what waits keeps a daemon, but nobody who would replace it', () => {
	let now = 0;
	const activity = createActivity(() => now);
	activity.begin();
	activity.wait();
	now += 1e9;
	assert.deepEqual([activity.idleMs(), activity.idle()], [0, true]);
	activity.begin();
	assert.deepEqual(
		[activity.idle(), activity.idle(1)],
		[false, true],
		'beside it something goes on',
	);
	activity.end();
	activity.goOn();
	assert.equal(activity.idle(), false);
	activity.end();
	assert.equal(activity.idle(), true);
});
