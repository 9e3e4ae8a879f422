/** Work that is done on a loop others wait for lets them have their turn every few milliseconds. */

/** Milliseconds of work between two turns. */
const maxWorkMs = 10;

/** Those that went on are forgotten in lots. */
const maxGone = 1024;

let since = performance.now();
/** Who waits for a share of a turn, in their order, from `next` on. */
let waiting: (() => void)[] = [];
let next = 0;
let isArmed = false;

/**
 * Waits for a share of the loop's next turns when this one has lasted long enough; else returns at once. It is
 * asked before every small piece of work. However many wait, only as many go on in a turn as it has time for.
 */
export function yieldToOthers(): Promise<void> | undefined {
	if (next === waiting.length && performance.now() - since < maxWorkMs) return undefined;
	return new Promise((resolve) => {
		waiting.push(resolve);
		if (isArmed) return;
		isArmed = true;
		setImmediate(begin);
	});
}

/** Waits until everybody who waits for a turn at this moment has had it, and for the loop's next turn at least. */
export async function yieldToAll(): Promise<void> {
	await new Promise((resolve) => setImmediate(resolve));
	if (next < waiting.length) await new Promise<void>((resolve) => waiting.push(resolve));
}

function begin(): void {
	since = performance.now();
	wake();
}

/** Lets the next one go on, and the one after it when that one has come to the end of its piece of work. */
function wake(): void {
	const go = waiting[next];
	if (go === undefined) {
		waiting = [];
		next = 0;
		isArmed = false;
	} else if (performance.now() - since >= maxWorkMs) {
		setImmediate(begin);
	} else {
		next++;
		if (next > maxGone) {
			waiting = waiting.slice(next);
			next = 0;
		}
		go();
		// Whatever follows from it without waiting for the loop runs before the next tick.
		queueMicrotask(() => process.nextTick(wake));
	}
}
