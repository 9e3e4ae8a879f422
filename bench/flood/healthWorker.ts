/**
 * Asks a daemon whether it is well, again and again, in a thread of its own: the callers of a flood keep theirs busy.
 * Told anything, it says how long each answer took and ends.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const { url, everyMs } = workerData as { readonly url: string; readonly everyMs: number };
const waits: number[] = [];
let isOver = false;
parentPort?.once('message', () => {
	isOver = true;
});
while (!isOver) {
	const began = performance.now();
	const response = await fetch(`${url}/health`);
	await response.arrayBuffer();
	waits.push(performance.now() - began);
	await sleep(everyMs);
}
parentPort?.postMessage(waits);
