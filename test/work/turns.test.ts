/** Shares of the loop's turns: many who work side by side hold it no longer than one does. */

import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { yieldToOthers } from '../../server/work/yieldToOthers.ts';

const pieceMs = 4;
/** The clock of this test: only work moves it. */
let nowMs = 0;
before(() => {
	nowMs = performance.now() + 1000;
	mock.method(performance, 'now', () => nowMs);
});
after(() => mock.restoreAll());
function work(): void {
	nowMs += pieceMs;
}

test('however many wait for a turn, the loop has its own between their pieces', async () => {
	let done = 0;
	let turns = 0;
	let isOver = false;
	const count = () => {
		if (isOver) return;
		turns++;
		setImmediate(count);
	};
	setImmediate(count);
	const one = async () => {
		for (let piece = 0; piece < 2; piece++) {
			await yieldToOthers();
			work();
			done++;
		}
	};
	await Promise.all(Array.from({ length: 30 }, one));
	isOver = true;
	assert.equal(done, 60);
	// Ten milliseconds hold three pieces of four: nearly all together would be two turns or three.
	assert.ok(turns >= 15, `${turns} turns`);
});

test('who fails at its piece of work keeps nobody else from going on', async () => {
	work();
	work();
	work();
	const each = Array.from({ length: 20 }, async (_, place) => {
		await yieldToOthers();
		if (place % 2 === 0) throw new Error('bad piece');
		return place;
	});
	const settled = await Promise.allSettled(each);
	assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 10);
	await yieldToOthers();
});

test('they go on in the order in which they came', async () => {
	work();
	work();
	work();
	const order: number[] = [];
	await Promise.all(
		Array.from({ length: 3000 }, async (_, place) => {
			await yieldToOthers();
			order.push(place);
		}),
	);
	assert.deepEqual(
		order,
		Array.from({ length: 3000 }, (_, place) => place),
	);
});

test('what somebody waits for goes on before the texts of files, which are not passed over for ever', async () => {
	work();
	work();
	work();
	const order: string[] = [];
	const one = async (name: string, isUrgent: boolean) => {
		await yieldToOthers(isUrgent);
		order.push(name);
	};
	await Promise.all([
		...Array.from({ length: 30 }, () => one('file', false)),
		...Array.from({ length: 20 }, () => one('person', true)),
	]);
	assert.deepEqual(order.slice(0, 10), [...new Array<string>(8).fill('person'), 'file', 'person']);
	assert.equal(order.length, 50);
	assert.equal(order.lastIndexOf('person'), 21);
});
