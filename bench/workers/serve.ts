/** Answers the messages of the bench in a worker process. */

interface Message {
	readonly type: 'load' | 'measure' | 'memory';
}

/** `load(options)` returns `measure(task)`; a measurement is one number. */
export function serve<Options, Task>(
	load: (options: Options) => Promise<(task: Task) => Promise<number>>,
): void {
	let measure: ((task: Task) => Promise<number>) | undefined;
	process.on('message', (message) => {
		void answer(message as Message).then(
			(result) => process.send?.({ result }),
			(error: unknown) =>
				process.send?.({ error: error instanceof Error ? error.message : String(error) }),
		);
	});

	async function answer(message: Message): Promise<unknown> {
		if (message.type === 'memory') return process.memoryUsage.rss();
		if (message.type === 'measure') return measure?.(message as Task);
		const start = performance.now();
		measure = await load(message as Options);
		return { loadMs: performance.now() - start };
	}
}

/** Token ids that differ from seed to seed. */
export function promptTokens(length: number, seed: number): number[] {
	let state = (seed * 2_654_435_761 + 12_345) >>> 0;
	return Array.from({ length }, () => {
		state ^= state << 13;
		state ^= state >>> 17;
		state = (state ^ (state << 5)) >>> 0;
		return state % 250;
	});
}

/**
 * Tokens a second of streams, without their prompts: all but the first of each, over the longest time that a stream
 * took from its first to its last.
 * @param streams tokens of each, and the milliseconds since its first
 */
export function decodeRate(streams: readonly (readonly [tokens: number, ms: number])[]): number {
	const tokens = streams.reduce((sum, [count]) => sum + count - 1, 0);
	return (tokens * 1000) / Math.max(...streams.map(([, ms]) => ms));
}
