/** How much of a long prompt is read beside others, by what runs take. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StepPace } from '../../server/engine/schedule/stepPace.ts';

test('on a slow machine a run beside others reads less, on a fast one no more than it should', () => {
	const pace = new StepPace();
	assert.equal(pace.sharedTokens, 192);
	for (let k = 0; k < 20; k++) pace.learn(100, 100);
	assert.equal(pace.sharedTokens, 96);
	for (let k = 0; k < 20; k++) pace.learn(100, 5000);
	assert.equal(pace.sharedTokens, 32);
	for (let k = 0; k < 20; k++) pace.learn(100, 1);
	assert.equal(pace.sharedTokens, 192);
});

test('runs of a few tokens tell nothing of long ones', () => {
	const pace = new StepPace();
	for (let k = 0; k < 20; k++) pace.learn(3, 60);
	assert.equal(pace.sharedTokens, 192);
});

test('says how long a run takes by those of its kind', () => {
	const pace = new StepPace();
	assert.equal(pace.expectedMs(8), 0);
	for (let k = 0; k < 20; k++) pace.learn(8, 60);
	assert.equal(pace.expectedMs(3), 60);
	assert.equal(pace.expectedMs(100), 0);
	for (let k = 0; k < 20; k++) pace.learn(100, 200);
	assert.equal(pace.expectedMs(50), 100);
	assert.equal(pace.expectedMs(8), 60);
});
