/** Places at work: who waits for a store holds up nobody, and comes back before others. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkPlaces } from '../../server/jobs/workPlaces.ts';

const { signal } = new AbortController();
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('whoever waits outside gives its place to the next, and takes the first that is free again', async () => {
	let told = 0;
	const places = new WorkPlaces(1, () => told++);
	const first = await places.take(signal);
	const order: string[] = [];
	const others = ['second', 'third'].map(async (name) => {
		const place = await places.take(signal);
		order.push(name);
		return place;
	});
	await turn();
	assert.deepEqual(order, []);
	let arrive = () => {};
	const transfer = first.outside(() => new Promise<void>((resolve) => (arrive = resolve)));
	const second = await others[0];
	assert.deepEqual(order, ['second']);
	arrive();
	await turn();
	assert.ok(places.isWanted && told === 1);
	second?.[Symbol.dispose]();
	await transfer;
	assert.ok(!places.isWanted);
	assert.deepEqual(order, ['second']);
	first[Symbol.dispose]();
	const third = await others[1];
	third?.[Symbol.dispose]();
	assert.deepEqual(order, ['second', 'third']);
});

test('work that is given up while it is outside takes no place with it', async () => {
	const places = new WorkPlaces(1, () => {});
	const first = await places.take(signal);
	let arrive = () => {};
	const transfer = first.outside(() => new Promise<void>((resolve) => (arrive = resolve)));
	first[Symbol.dispose]();
	arrive();
	await transfer;
	const second = await places.take(signal);
	second[Symbol.dispose]();
	const stop = new AbortController();
	const held = await places.take(signal);
	const waiting = places.take(stop.signal);
	stop.abort();
	(await waiting)[Symbol.dispose]();
	held[Symbol.dispose]();
	const last = await places.take(signal);
	last[Symbol.dispose]();
});
