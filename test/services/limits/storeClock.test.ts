/** The time of a store between the looks at it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreClock } from '../../../server/services/limits/storeClock.ts';

test('a store is asked now and then, and at once after a sleep in which nothing was counted', async () => {
	let [own, passed, store, asked] = [1_000_000, 0, 5_000_000, 0];
	const clock = new StoreClock({ now: () => own, note: () => {} }, () => passed);
	const ask = () =>
		clock.ask(async () => {
			asked++;
			return store;
		});
	const pass = (ms: number) => {
		own += ms;
		passed += ms;
		store += ms;
	};
	assert.equal(clock.now(), 1_000_000);
	await ask();
	pass(3000);
	await ask();
	assert.equal(asked, 1);
	assert.equal(clock.now(), 5_003_000);
	pass(8000);
	await ask();
	assert.equal(asked, 2);
	// The computer sleeps: its date goes on, what it counts does not.
	own += 60_000;
	store += 60_000;
	await ask();
	assert.equal(asked, 3);
	assert.equal(clock.now(), 5_071_000);
});
