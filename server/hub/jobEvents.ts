/** A job that tells of itself, as one iterator: whoever reads it need not be handed to whoever works. */

/**
 * Runs a job and gives what it tells, in order; returns its result. Leaving the iterator early ends the
 * job, and waits for its end.
 * @param replaces whether what is told next makes needless what nobody has taken yet
 */
export async function* eventsOf<Event extends object, Result>(
	work: (tell: (event: Event) => void, signal: AbortSignal) => Promise<Result>,
	signal: AbortSignal,
	replaces: (waiting: Event, next: Event) => boolean = () => false,
): AsyncGenerator<Event, Result, undefined> {
	const stop = new AbortController();
	const waiting: Event[] = [];
	let hasEnded = false;
	let wake = (): void => {};
	const tell = (event: Event): void => {
		const last = waiting.at(-1);
		if (last !== undefined && replaces(last, event)) waiting.pop();
		waiting.push(event);
		wake();
	};
	const result = work(tell, AbortSignal.any([signal, stop.signal])).finally(() => {
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
