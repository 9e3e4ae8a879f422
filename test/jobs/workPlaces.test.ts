/** Room for work: who waits for a store holds up nobody, comes back before others, and who needs much is not passed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type WorkPlace, WorkPlaces } from '../../server/jobs/workPlaces.ts';

const { signal } = new AbortController();
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('whoever waits outside gives its place to the next, and takes the first that is free again', async () => {
	const places = new WorkPlaces(1);
	const first = await places.take(1, signal);
	const order: string[] = [];
	const others = ['second', 'third'].map(async (name) => {
		const place = await places.take(1, signal);
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
	second?.[Symbol.dispose]();
	await transfer;
	assert.deepEqual(order, ['second']);
	first[Symbol.dispose]();
	const third = await others[1];
	third?.[Symbol.dispose]();
	assert.deepEqual(order, ['second', 'third']);
});

test('work that is given up while it is outside takes no place with it', async () => {
	const places = new WorkPlaces(1);
	const first = await places.take(1, signal);
	let arrive = () => {};
	const transfer = first.outside(() => new Promise<void>((resolve) => (arrive = resolve)));
	first[Symbol.dispose]();
	arrive();
	await transfer;
	const second = await places.take(1, signal);
	second[Symbol.dispose]();
	const stop = new AbortController();
	const held = await places.take(1, signal);
	const waiting = places.take(1, stop.signal);
	stop.abort();
	(await waiting)[Symbol.dispose]();
	held[Symbol.dispose]();
	const last = await places.take(1, signal);
	last[Symbol.dispose]();
});

test('who needs all of the room gets it in turn, and who gives up waiting for it holds up nobody', async () => {
	const places = new WorkPlaces(4);
	const small = await Promise.all([1, 2, 3].map(() => places.take(1, signal)));
	const entered: string[] = [];
	const enter = async (name: string, size: number, ended = signal): Promise<WorkPlace> => {
		const place = await places.take(size, ended);
		if (!ended.aborted) entered.push(name);
		return place;
	};
	const large = enter('large', Number.POSITIVE_INFINITY);
	const later = enter('later', 1);
	await turn();
	assert.deepEqual(entered, [], 'there is room for the small one, and it is behind the large one');
	for (const place of small) place[Symbol.dispose]();
	(await large)[Symbol.dispose]();
	assert.deepEqual(entered, ['large']);
	const stop = new AbortController();
	const held = await later;
	const givenUp = enter('given up', 4, stop.signal);
	const last = enter('last', 1);
	await turn();
	stop.abort();
	await givenUp;
	(await last)[Symbol.dispose]();
	held[Symbol.dispose]();
	assert.deepEqual(entered, ['large', 'later', 'last']);
});
