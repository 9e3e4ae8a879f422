/** The figure by which held loops are judged. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchLoop } from '../../server/daemon/loopWatch.ts';
import { daemonMetrics } from '../../server/services/daemonMetrics.ts';

const line = (text: string, name: string): string | undefined =>
	text
		.split('\n')
		.find((each) => each.startsWith(`nearglot_loop_held_seconds${name} `))
		?.split(' ')[1];

test('what the daemon computes between two turns is noted while somebody asks', (context) => {
	context.mock.timers.enable({ apis: ['setInterval'] });
	const metrics = daemonMetrics();
	let busyMs = 1000;
	const watch = watchLoop(metrics, () => busyMs);
	const turn = (ms: number) => {
		busyMs += ms;
		context.mock.timers.tick(5);
	};
	watch.begin();
	turn(4);
	turn(70);
	watch.end();
	turn(20);
	// Nobody asks: what is computed now is nobody's.
	turn(500);
	const text = metrics.render();
	assert.equal(line(text, '_count'), '2');
	assert.equal(line(text, '_bucket{le="0.05"}'), '1');
	assert.equal(Number(line(text, '_sum')).toFixed(3), '0.090');
	watch.begin();
	turn(3);
	assert.equal(line(metrics.render(), '_count'), '2');
	watch.end();
	turn(0);
});
