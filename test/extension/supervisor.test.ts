/** When an ended server is started again. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Supervisor } from '../../extension/supervisor.ts';

test('restarts wait longer each time and end with the fifth end within three minutes', () => {
	let now = 0;
	const supervisor = new Supervisor(() => now);
	const delays = [0, 1, 2, 3, 4].map(() => {
		now += 1000;
		const verdict = supervisor.ended();
		return verdict.restart ? verdict.delayMs : 'no';
	});
	assert.deepEqual(delays, [0, 1000, 5000, 20_000, 'no']);
});

test('old ends are forgotten, and all are when the user asks for a start', () => {
	let now = 0;
	const supervisor = new Supervisor(() => now);
	for (let count = 0; count < 5; count++) supervisor.ended();
	now = 180_000;
	assert.deepEqual(supervisor.ended(), { restart: true, delayMs: 0 });
	for (let count = 0; count < 5; count++) supervisor.ended();
	supervisor.forgive();
	assert.deepEqual(supervisor.ended(), { restart: true, delayMs: 0 });
});
