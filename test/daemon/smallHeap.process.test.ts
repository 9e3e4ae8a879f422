/** The daemon's heap, in a process of its own. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

const module = new URL('../../server/daemon/smallHeap.ts', import.meta.url).href;

/** Bytes of the heap for new objects and of the whole heap at its largest, after many that are kept for a while. */
function grown(isSmall: boolean): { readonly young: number; readonly all: number } {
	const script = `
		import { getHeapSpaceStatistics } from 'node:v8';
		import { keepHeapSmall } from ${JSON.stringify(module)};
		if (${isSmall}) keepHeapSmall();
		const kept = [];
		let all = 0;
		for (let i = 0; i < 3e6; i++) {
			kept[i % 150_000] = { a: i, b: [i, i], c: String(i) };
			if (i % 50_000 === 0) all = Math.max(all, process.memoryUsage().heapTotal);
		}
		const [space] = getHeapSpaceStatistics().filter(({ space_name }) => space_name === 'new_space');
		console.log(JSON.stringify({ young: space.space_size, all }));`;
	const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
	return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

test('what requests need for a moment, or while they wait, does not make the heap grow', () => {
	const [small, usual] = [grown(true), grown(false)];
	assert.ok(small.young < 8e6, `${small.young} bytes`);
	assert.ok(usual.young > 2 * small.young, `${usual.young} bytes otherwise`);
	assert.ok(small.all < 0.85 * usual.all, `${small.all} bytes, ${usual.all} otherwise`);
});
