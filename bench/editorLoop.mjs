/**
 * Loaded into the process under test: tells over IPC for how long its event loop was held up, by the
 * clock and by the processor time of its thread. Where other programs want the processor, too, only the
 * second says what the process itself has done.
 */

const busy = () => {
	const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
	return (user + system) / 1000;
};
let longest = 0;
let longestBusy = 0;
let last = performance.now();
let lastBusy = busy();
setInterval(() => {
	const [now, nowBusy] = [performance.now(), busy()];
	// The timer itself asks for one millisecond.
	longest = Math.max(longest, now - last - 1);
	longestBusy = Math.max(longestBusy, nowBusy - lastBusy);
	last = now;
	lastBusy = nowBusy;
}, 1).unref();

process.on('message', (message) => {
	if (message === 'read') process.send?.({ longest, longestBusy });
	longest = 0;
	longestBusy = 0;
	last = performance.now();
	lastBusy = busy();
});
process.channel?.unref();
