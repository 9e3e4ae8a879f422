/** Counts what is going on, so that a daemon nobody uses can end and an idle one can be replaced. */

export interface Activity {
	/** Something started: a request, a connected window, a download. */
	begin(): void;
	end(): void;
	/** Nothing is going on, besides the given number of activities (the asker's own). */
	idle(besides?: number): boolean;
	/** Milliseconds since the last end, 0 while something is going on. */
	idleMs(): number;
}

export function createActivity(now: () => number = () => performance.now()): Activity {
	let running = 0;
	let since = now();
	return {
		begin: () => {
			running++;
		},
		end: () => {
			running = Math.max(0, running - 1);
			since = now();
		},
		idle: (besides = 0) => running <= besides,
		idleMs: () => (running > 0 ? 0 : now() - since),
	};
}
