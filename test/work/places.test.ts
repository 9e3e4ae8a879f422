/** So many at work at once, the others in their order. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Places } from '../../server/work/places.ts';

test('places are given in order, once each', async () => {
	const places = new Places(1);
	const first = await places.take();
	const order: string[] = [];
	const second = places.take().then((place) => {
		order.push('second');
		return place;
	});
	const third = places.take().then((place) => {
		order.push('third');
		return place;
	});
	first[Symbol.dispose]();
	first[Symbol.dispose]();
	(await second)[Symbol.dispose]();
	(await third)[Symbol.dispose]();
	assert.deepEqual(order, ['second', 'third']);
});

test('who goes while waiting, or at the moment of getting a place, leaves it to the next', async () => {
	const places = new Places(1);
	const first = await places.take();
	const [early, late] = [new AbortController(), new AbortController()];
	const gone = places.take(early.signal);
	const woken = places.take(late.signal);
	const next = places.take();
	early.abort();
	await assert.rejects(gone, { code: 'cancelled' });
	first[Symbol.dispose]();
	late.abort();
	await assert.rejects(woken, { code: 'cancelled' });
	(await next)[Symbol.dispose]();
	await assert.rejects(places.take(AbortSignal.abort()), { code: 'cancelled' });
	(await places.take())[Symbol.dispose]();
});
