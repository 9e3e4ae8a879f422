/** What a flood leaves in the heap goes when it is over. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { collectWhenQuiet } from '../../server/daemon/quietHeap.ts';

const megabyte = 1 << 20;

test('the heap is collected once when requests are over and it has grown', (context) => {
	context.mock.timers.enable({ apis: ['setTimeout'] });
	let bytes = 50 * megabyte;
	let collections = 0;
	const watch = collectWhenQuiet({
		heapBytes: () => bytes,
		collect: () => {
			collections++;
			bytes = 55 * megabyte;
		},
	});
	watch.begin();
	watch.begin();
	bytes = 120 * megabyte;
	watch.end();
	context.mock.timers.tick(60_000);
	assert.equal(collections, 0, 'somebody still waits for an answer');
	watch.end();
	watch.begin();
	context.mock.timers.tick(60_000);
	assert.equal(collections, 0, 'somebody has come meanwhile');
	watch.end();
	context.mock.timers.tick(15_000);
	assert.equal(collections, 1);
	watch.begin();
	watch.end();
	context.mock.timers.tick(60_000);
	assert.equal(collections, 1, 'nothing has grown since');
});

test('it is the real heap that shrinks', () => {
	const module = new URL('../../server/daemon/quietHeap.ts', import.meta.url).href;
	const script = `
		import { mock } from 'node:test';
		import { collectWhenQuiet } from ${JSON.stringify(module)};
		mock.timers.enable({ apis: ['setTimeout'] });
		const watch = collectWhenQuiet();
		const used = () => process.memoryUsage().heapUsed;
		const before = used();
		let kept = Array.from({ length: 800_000 }, (_, i) => ({ i, list: [i] }));
		watch.begin();
		watch.end();
		const full = kept.length && used() - before;
		kept = undefined;
		mock.timers.tick(15_000);
		console.log(JSON.stringify({ full, after: used() - before }));`;
	const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
	const { full, after } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
	assert.ok(full > 48 * megabyte, `${full} bytes`);
	assert.ok(after < 8 * megabyte, `${after} bytes are left of ${full}`);
});
