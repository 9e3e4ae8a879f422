/** A job's events as an async iterator, so that no callback has to be passed to the job. */

/**
 * Runs a job and gives what it tells, in order; returns its result. Leaving the iterator early ends the
 * job, and waits for its end.
 * @param replaces whether what is told next makes needless what nobody has taken yet
 */
export async function* jobEvents<Event extends object, Result>(
	work: (emit: (event: Event) => void, signal: AbortSignal) => Promise<Result>,
	signal: AbortSignal,
	replaces: (waiting: Event, next: Event) => boolean = () => false,
): AsyncGenerator<Event, Result, undefined> {
	const stop = new AbortController();
	const waiting: Event[] = [];
	let hasEnded = false;
	let wake = (): void => {};
	const emit = (event: Event): void => {
		const last = waiting.at(-1);
		if (last !== undefined && replaces(last, event)) waiting.pop();
		waiting.push(event);
		wake();
	};
	const result = work(emit, AbortSignal.any([signal, stop.signal])).finally(() => {
		hasEnded = true;
		wake();
	});
	// Nobody may be reading when it fails.
	result.catch(() => {});
	try {
		for (;;) {
			for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) yield event;
			if (hasEnded) return await result;
			await new Promise<void>((resolve) => {
				wake = resolve;
			});
		}
	} finally {
		stop.abort();
		await result.catch(() => {});
	}
}
