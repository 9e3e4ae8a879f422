/** Work that is done on a loop others wait for lets them have their turn every few milliseconds. */

/** Milliseconds of work between two turns. */
const maxWorkMs = 10;

/** Those that went on are forgotten in lots. */
const maxGone = 1024;

/** After so many urgent ones in a row one of the others goes on. */
const maxPassed = 8;

let since = performance.now();
/** Who waits for a share of a turn, in their order, from `next` on. */
let waiting: (() => void)[] = [];
let next = 0;
/** Those somebody waits for at a screen: before the others, who are not passed over for ever. */
const urgent: (() => void)[] = [];
let urgentInRow = 0;
let isArmed = false;

/**
 * Waits for a share of the loop's next turns when this one has lasted long enough; else returns at once. It is
 * asked before every small piece of work. However many wait, only as many go on in a turn as it has time for.
 *
 * @param isUrgent somebody waits for it at a screen
 */
export function yieldToOthers(isUrgent = false): Promise<void> | undefined {
	const isAlone = next === waiting.length && urgent.length === 0;
	if (isAlone && performance.now() - since < maxWorkMs) return undefined;
	return new Promise((resolve) => {
		(isUrgent ? urgent : waiting).push(resolve);
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
	const isOthersTurn = urgent.length === 0 || (urgentInRow >= maxPassed && next < waiting.length);
	const go = isOthersTurn ? waiting[next] : urgent[0];
	if (go === undefined) {
		waiting = [];
		next = 0;
		isArmed = false;
	} else if (performance.now() - since >= maxWorkMs) {
		setImmediate(begin);
	} else {
		urgentInRow = isOthersTurn ? 0 : urgentInRow + 1;
		if (isOthersTurn) next++;
		else urgent.shift();
		if (next > maxGone) {
			waiting = waiting.slice(next);
			next = 0;
		}
		go();
		// Whatever follows from it without waiting for the loop runs before the next tick.
		queueMicrotask(() => process.nextTick(wake));
	}
}
