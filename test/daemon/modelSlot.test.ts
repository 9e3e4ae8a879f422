/** When a model in memory is to be unloaded, on a clock that the test moves. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { IndexedModel } from '../../server/daemon/modelIndex.ts';
import { type LoadedModel, ModelSlot } from '../../server/daemon/modelSlot.ts';

/** A slot whose model is loaded, and how often it was to be unloaded. */
async function loadedSlot(context: TestContext, ttlS: number) {
	context.mock.timers.enable({ apis: ['setTimeout'] });
	let ends = 0;
	const slot = new ModelSlot(
		{} as IndexedModel,
		{ provider: 'cpu' },
		ttlS,
		async () => ({}) as LoadedModel,
		() => ends++,
	);
	await slot.loading;
	return { slot, ends: () => ends, tick: (ms: number) => context.mock.timers.tick(ms) };
}

test('an unused model is unloaded after its time, counted from the end of the last request', async (context) => {
	const { slot, ends, tick } = await loadedSlot(context, 10);
	tick(9_000);
	const release = slot.lease();
	const other = slot.lease();
	tick(60_000);
	release();
	release();
	tick(60_000);
	assert.equal(ends(), 0, 'not while it answers');
	other();
	tick(9_999);
	assert.equal(ends(), 0);
	tick(1);
	assert.equal(ends(), 1);
});

test('a model without a time stays, and so does a pinned one until it is unpinned', async (context) => {
	const { slot, ends, tick } = await loadedSlot(context, 0);
	tick(2 ** 31);
	assert.equal(ends(), 0);
	slot.ttlS = 10;
	slot.pinned = true;
	slot.rearm();
	tick(60_000);
	assert.equal(ends(), 0);
	slot.pinned = false;
	slot.rearm();
	tick(10_000);
	assert.equal(ends(), 1);
});

test('a slot that is done with unloads nothing, and a time too long for a timer is not a short one', async (context) => {
	const { slot, ends, tick } = await loadedSlot(context, 1e9);
	tick(60_000);
	assert.equal(ends(), 0);
	slot.ttlS = 10;
	slot.rearm();
	slot.dispose();
	tick(60_000);
	assert.equal(ends(), 0);
});
