/**
 * Preloaded into processes of the product while they are measured: appends the longest block of the
 * event loop of every second to the file that NEARGLOT_LOOP_PROBE names, as lines of JSON.
 */
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const file = process.env.NEARGLOT_LOOP_PROBE;
if (file !== undefined) {
	const resolution = 1;
	const delays = monitorEventLoopDelay({ resolution });
	delays.enable();
	const role = process.argv[2] ?? '';
	setInterval(() => {
		const longestMs = Math.max(0, delays.max / 1e6 - resolution);
		delays.reset();
		appendFileSync(
			file,
			`${JSON.stringify({ at: Date.now(), role, pid: process.pid, longestMs })}\n`,
		);
	}, 1000).unref();
}
