/** The bound of heavy work: what is let in, what is refused and what is told of the time until there is room. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../server/protocol/index.ts';
import { WorkBound, type WorkBoundOptions } from '../../server/work/workBound.ts';

let nowMs = 1000;
const boundOf = (minWork: number, maxWork: number, more: Partial<WorkBoundOptions> = {}) =>
	new WorkBound({
		describe: (work) => `Work of ${work} units waits`,
		...{ minWork, maxWork, now: () => nowMs, ...more },
	});
const isRefusal = (error: unknown) =>
	error instanceof AppError && error.code === 'overloaded' && error.retryAfterS !== undefined;

test('beyond the bound work is refused at once, and there is room again when some has ended', () => {
	const bound = boundOf(10, 20);
	const first = bound.enter({ work: 10 });
	const second = bound.enter({ work: 10 });
	assert.throws(() => bound.enter({ work: 1 }), isRefusal);
	assert.throws(() => bound.checkRoom(), isRefusal);
	const part = bound.enter({ work: 5, isPart: true });
	assert.equal(bound.work, 25);
	first[Symbol.dispose]();
	first[Symbol.dispose]();
	assert.equal(bound.work, 15, 'once, however often somebody leaves');
	bound.enter({ work: 5 })[Symbol.dispose]();
	assert.throws(() => bound.enter({ work: 6 }), isRefusal);
	second[Symbol.dispose]();
	part[Symbol.dispose]();
	assert.equal(bound.work, 0);
});

test('what is larger than the whole bound is let in when there is nothing else', () => {
	const bound = boundOf(10, 20);
	const first = bound.enter({ work: 500 });
	assert.throws(() => bound.enter({ work: 1 }), isRefusal);
	assert.equal(bound.work, 500);
	first[Symbol.dispose]();
	bound.enter({ work: 500 })[Symbol.dispose]();
});

test('files do not take the room of those who wait at a screen, nor the other way round', () => {
	const bound = boundOf(10, 20);
	for (const [mine, other] of [
		['batch', 'interactive'],
		['interactive', 'batch'],
	] as const) {
		const held = bound.enter({ work: 20, priority: mine });
		assert.throws(() => bound.enter({ work: 1, priority: mine }), isRefusal);
		bound.enter({ work: 20, priority: other })[Symbol.dispose]();
		held[Symbol.dispose]();
	}
	assert.equal(bound.work, 0);
});

test('what is not wanted any more takes no room', () => {
	const bound = boundOf(10, 20);
	assert.throws(() => bound.enter({ work: 10 }, AbortSignal.abort()), { code: 'cancelled' });
	assert.equal(bound.work, 0);
});

test('those refused are told to come back one after the other, at the pace of the work', () => {
	const bound = boundOf(10, 50);
	const first = bound.enter({ work: 10 });
	nowMs += 1000;
	first[Symbol.dispose]();
	// Ten units a second; fifty are there.
	const held = [30, 20].map((work) => bound.enter({ work }));
	const told: (number | undefined)[] = [];
	for (let i = 0; i < 3; i++) {
		try {
			bound.enter({ work: 10 });
		} catch (error) {
			told.push(error instanceof AppError ? error.retryAfterS : undefined);
		}
	}
	assert.deepEqual(told, [3, 4, 5]);
	for (const one of held) one[Symbol.dispose]();
});

test('on a slow machine less is let in: nobody waits for longer than it may take', () => {
	const bound = boundOf(10, 1000, { maxWaitS: 5 });
	const first = bound.enter({ work: 10 });
	nowMs += 1000;
	first[Symbol.dispose]();
	// Ten units a second: fifty may be there.
	const held = [25, 25].map((work) => bound.enter({ work }));
	assert.throws(() => bound.enter({ work: 1 }), isRefusal);
	for (const one of held) one[Symbol.dispose]();
	assert.equal(bound.work, 0);
});

test('requests that end in bursts do not make the pace look higher than it is', () => {
	const bound = boundOf(400, 1e6, { maxWaitS: 10 });
	for (let burst = 0; burst < 3; burst++) {
		const places = Array.from({ length: 40 }, () => bound.enter({ work: 10 }));
		nowMs += 10_000;
		for (const place of places) place[Symbol.dispose]();
	}
	// Forty a second.
	const held = bound.enter({ work: 390 });
	assert.throws(() => bound.enter({ work: 20 }), isRefusal);
	held[Symbol.dispose]();
});
