/** Counts what is going on, so that a daemon nobody uses can end and an idle one can be replaced. */

export interface Activity {
	/** Something started: a request, a connected window, a download. */
	begin(): void;
	end(): void;
	/** What began waits for something far off, such as a limit: a successor may have it. Until it goes on, or ends. */
	wait(): void;
	goOn(): void;
	/** Nothing is going on but what waits, besides the given number of activities (the asker's own). */
	idle(besides?: number): boolean;
	/** Milliseconds since the last end, 0 while something is going on or waits: what waits keeps a daemon. */
	idleMs(): number;
}

export function createActivity(now: () => number = () => performance.now()): Activity {
	let running = 0;
	let waiting = 0;
	let since = now();
	return {
		begin: () => {
			running++;
		},
		end: () => {
			running = Math.max(0, running - 1);
			since = now();
		},
		wait: () => {
			waiting++;
		},
		goOn: () => {
			waiting = Math.max(0, waiting - 1);
		},
		idle: (besides = 0) => running - waiting <= besides,
		idleMs: () => (running > 0 ? 0 : now() - since),
	};
}
