/** A clock that says the date and never goes back: with one that does, limits would be passed or never end. */

export interface ForwardClock {
	/** Milliseconds since 1970. */
	now(): number;
	/** Somebody has noted this time already: it is not earlier now. */
	note(ms: number): void;
}

/**
 * Goes as the clock on the wall does, and where that is set back, as the time that really passes.
 * @param wall milliseconds since 1970 of a clock that people and machines set
 * @param passed milliseconds of a clock that nobody sets; it may stand still while the machine sleeps
 */
export function forwardClock(
	wall: () => number,
	passed: () => number = () => performance.now(),
): ForwardClock {
	let now = wall();
	let lastWall = now;
	let lastPassed = passed();
	const advance = (): number => {
		const [atWall, atPassed] = [wall(), passed()];
		const byWall = atWall - lastWall;
		now += Math.max(0, byWall < 0 ? atPassed - lastPassed : byWall);
		[lastWall, lastPassed] = [atWall, atPassed];
		return now;
	};
	return {
		now: advance,
		note: (ms) => {
			if (ms > advance()) now = ms;
		},
	};
}
