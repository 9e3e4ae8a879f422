/** Read bandwidth of the memory, for judging how near to its limit decoding is. */

import { Worker } from 'node:worker_threads';

const source = `
	const { parentPort } = require('node:worker_threads');
	const data = new Float64Array(24 << 20).fill(1);
	let sink = 0;
	parentPort.on('message', (passes) => {
		const start = performance.now();
		for (let pass = 0; pass < passes; pass++) {
			let a = 0, b = 0, c = 0, d = 0;
			// One number of every cache line: every line is fetched, little is computed.
			for (let at = 0; at < data.length; at += 32) {
				a += data[at]; b += data[at + 8]; c += data[at + 16]; d += data[at + 24];
			}
			sink += a + b + c + d;
		}
		parentPort.postMessage({ ms: performance.now() - start, bytes: passes * data.byteLength, sink });
	});
	parentPort.postMessage('ready');
`;

/** Best of a few passes of `threads` threads together over 192 MiB each, in GB/s. */
export async function readBandwidth(threads) {
	const workers = Array.from({ length: threads }, () => new Worker(source, { eval: true }));
	const next = (worker) => new Promise((resolve) => worker.once('message', resolve));
	await Promise.all(workers.map(next));
	let best = 0;
	for (let round = 0; round < 5; round++) {
		const answers = workers.map(next);
		for (const worker of workers) worker.postMessage(4);
		const rates = (await Promise.all(answers)).map(({ bytes, ms }) => bytes / 1e6 / ms);
		best = Math.max(
			best,
			rates.reduce((a, b) => a + b, 0),
		);
	}
	await Promise.all(workers.map((worker) => worker.terminate()));
	return best;
}
