/** The daemon's heap for new objects, in a process of its own. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

const module = new URL('../../server/daemon/youngHeap.ts', import.meta.url).href;

/** Bytes of the heap for new objects after many that are kept for a while. */
function grown(isSmall: boolean): number {
	const script = `
		import { getHeapSpaceStatistics } from 'node:v8';
		import { keepYoungHeapSmall } from ${JSON.stringify(module)};
		if (${isSmall}) keepYoungHeapSmall();
		const kept = [];
		for (let i = 0; i < 1e6; i++) kept[i % 100_000] = { a: i, b: [i, i], c: String(i) };
		const [space] = getHeapSpaceStatistics().filter(({ space_name }) => space_name === 'new_space');
		console.log(space.space_size);`;
	const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
	return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

test('what requests need for a moment does not make the heap grow', () => {
	const [small, usual] = [grown(true), grown(false)];
	assert.ok(small < 8e6, `${small} bytes`);
	assert.ok(usual > 2 * small, `${usual} bytes otherwise`);
});
