/**
 * Preloaded into processes of the product while they are measured: appends the longest block of the
 * event loop of every second to the file that NEARGLOT_LOOP_PROBE names, as lines of JSON. `busyMs` is
 * the processor time of that block: what is more is the system giving the processor to others.
 */
import { appendFileSync } from 'node:fs';

const file = process.env.NEARGLOT_LOOP_PROBE;
if (file !== undefined) {
	const everyMs = 2;
	const role = process.argv[2] ?? '';
	const busy = () => {
		const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
		return (user + system) / 1000;
	};
	let lastMs = performance.now();
	let lastBusyMs = busy();
	let longestMs = 0;
	let busyMs = 0;
	setInterval(() => {
		const nowMs = performance.now();
		const nowBusyMs = busy();
		longestMs = Math.max(longestMs, nowMs - lastMs - everyMs);
		busyMs = Math.max(busyMs, nowBusyMs - lastBusyMs);
		lastMs = nowMs;
		lastBusyMs = nowBusyMs;
	}, everyMs).unref();
	setInterval(() => {
		const line = { at: Date.now(), role, pid: process.pid, longestMs, busyMs };
		appendFileSync(file, `${JSON.stringify(line)}\n`);
		longestMs = 0;
		busyMs = 0;
	}, 1000).unref();
}
