/** A flood on a clock of its own: whatever is refused and comes back when it was told, the worker has work. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../server/protocol/index.ts';
import { WorkBound } from '../../server/work/workBound.ts';

const callers = 400;
/** Characters of a request. */
const work = 2400;
const stepMs = 50;

/** Milliseconds for which the worker had nothing to do, and those of the whole. */
function flood(perMs: (nowMs: number) => number): { idleMs: number; allMs: number } {
	let nowMs = 0;
	const bound = new WorkBound({
		describe: (work) => `${work} characters wait`,
		...{ minWork: 40_000, maxWork: 480_000, now: () => nowMs },
	});
	const running: { left: number; readonly place: Disposable }[] = [];
	/** When those that have no answer yet ask. */
	let asking = Array.from({ length: callers }, () => 0);
	let done = 0;
	let idleMs = 0;
	const ask = (): void => {
		try {
			running.push({ left: work, place: bound.enter({ work, priority: 'interactive' }) });
		} catch (error) {
			assert.ok(error instanceof AppError && error.retryAfterS !== undefined);
			asking.push(nowMs + 1000 * error.retryAfterS);
		}
	};
	while (done < callers) {
		const due = asking.filter((at) => at <= nowMs);
		asking = asking.filter((at) => at > nowMs);
		for (const _ of due) ask();
		nowMs += stepMs;
		if (running.length === 0) idleMs += stepMs;
		let can = perMs(nowMs) * stepMs;
		for (let one = running[0]; one !== undefined && can > 0; one = running[0]) {
			const part = Math.min(can, one.left);
			one.left -= part;
			can -= part;
			if (one.left > 0) break;
			running.shift();
			done++;
			one.place[Symbol.dispose]();
		}
	}
	return { idleMs, allMs: nowMs };
}

const floods: Readonly<Record<string, (nowMs: number) => number>> = {
	'on a machine that is warm': () => 10,
	'on one that has to load its model first': (nowMs) => (nowMs < 6000 ? 0 : 20),
	'on one that is slow': () => 1,
	'on one that was busy with something else': (nowMs) => (nowMs < 8000 ? 2 : 12),
};

for (const [where, perMs] of Object.entries(floods))
	test(`a flood ${where} keeps the worker busy`, () => {
		const { idleMs, allMs } = flood(perMs);
		assert.ok(idleMs < allMs / 10, `idle for ${idleMs} of ${allMs} ms`);
	});
