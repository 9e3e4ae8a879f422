/** Work that is done on a loop others wait for lets them have their turn every few milliseconds. */

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work between two turns. */
const maxWorkMs = 10;

let since = performance.now();
let turn: Promise<void> | undefined;

/**
 * Waits for the loop's next turn when this one has lasted long enough; else returns at once. All that
 * wait go on together, so it is asked before every small piece of work.
 */
export async function turnOfOthers(): Promise<void> {
	if (performance.now() - since < maxWorkMs) return;
	turn ??= nextTurn().then(() => {
		since = performance.now();
		turn = undefined;
	});
	await turn;
}
