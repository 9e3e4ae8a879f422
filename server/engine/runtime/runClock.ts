/** How long a run kept the processor, by clocks of any step. */

/** The clocks of a machine. */
export interface RunClocks {
	/** Microseconds of processor time of this process; Windows counts in steps of 15.6 ms. */
	cpuUsage(): { readonly user: number; readonly system: number };
	/** Milliseconds of a clock that is never set. */
	now(): number;
}

const here: RunClocks = { cpuUsage: () => process.cpuUsage(), now: () => performance.now() };

/**
 * Starts a measurement; what it returns tells the milliseconds since. Processor time, because on a busy machine the
 * clock says little of a run; the clock where no step of processor time has passed, as no run takes no time: taken
 * for 0, the longest run would look as short as the shortest.
 */
export function startRunClock(clocks: RunClocks = here): () => number {
	const busyMs = () => {
		const { user, system } = clocks.cpuUsage();
		return (user + system) / 1000;
	};
	const [busy, started] = [busyMs(), clocks.now()];
	return () => {
		const spentMs = busyMs() - busy;
		return spentMs > 0 ? spentMs : clocks.now() - started;
	};
}
