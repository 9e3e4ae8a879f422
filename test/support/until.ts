/** The one way to wait in a test: for a condition, with an end that says what did not happen. */

import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until a condition holds.
 * @param what what is waited for, as it ends "Timed out waiting until …"
 * @throws Error after `withinMs`
 * @example await until('the model is gone', () => host.loaded().length === 0);
 */
export async function until(
	what: string,
	condition: () => boolean | Promise<boolean>,
	withinMs = 90_000,
): Promise<void> {
	const deadline = performance.now() + withinMs;
	// Soon at first, and then at a pace that leaves the processor to what is waited for.
	for (let pauseMs = 5; !(await condition()); pauseMs = Math.min(200, pauseMs * 1.3)) {
		if (performance.now() > deadline) throw new Error(`Timed out waiting until ${what}.`);
		await sleep(pauseMs);
	}
}
