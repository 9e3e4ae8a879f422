/** Background work makes room for a request before it is there, and never for long. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Expectation } from '../../server/engine/queue/expectation.ts';

test('nobody is waited for unless somebody is expected', async () => {
	const expectation = new Expectation();
	assert.equal(await expectation.waits(), false);
	expectation.expect()[Symbol.dispose]();
	assert.equal(await expectation.waits(), false);
});

test('a wait ends when the request is there, whoever else is expected', async () => {
	for (const comes of ['the only one', 'another']) {
		const expectation = new Expectation();
		const reading = expectation.expect();
		const order: string[] = [];
		const waited = expectation.waits().then((has) => order.push(`waited ${has}`));
		await new Promise((resolve) => setImmediate(resolve));
		order.push('came');
		if (comes === 'another') expectation.came();
		else reading[Symbol.dispose]();
		await waited;
		assert.deepEqual(order, ['came', 'waited true'], comes);
	}
});

test('what does not come is waited for twice in a row, and again after a run', async () => {
	const expectation = new Expectation();
	using _reading = expectation.expect();
	for (let row = 0; row < 2; row++) {
		assert.equal(await expectation.waits(), true);
		assert.equal(await expectation.waits(), true);
		assert.equal(await expectation.waits(), false);
		expectation.ran();
	}
});
