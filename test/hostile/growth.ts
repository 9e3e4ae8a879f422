/**
 * How the time of something grows with its input. Doubling the input may double the time; what grows
 * faster can be made to hold up everybody by whoever chooses the input.
 */

/** One kind of hostile input: a name for people, and the input of about `n` units. */
export interface HostileInput<T = string> {
	readonly name: string;
	readonly make: (n: number) => T;
}

/** Something that reads input somebody else chose. */
export interface HostileCase {
	readonly name: string;
	/** Input of about `n` units. */
	readonly make: (n: number) => unknown;
	/** Reads it; errors are answers, too. */
	readonly run: (input: never) => unknown;
}

export interface Growth {
	/** Units of the smaller input, and CPU milliseconds of both. */
	readonly n: number;
	readonly smallMs: number;
	readonly largeMs: number;
	readonly ratio: number;
}

export interface GrowthOptions {
	/** Units of the first and of the largest input. */
	readonly from: number;
	readonly to: number;
	/** CPU milliseconds from which a figure means something. */
	readonly minMs: number;
}

/** Time may grow this much when the input doubles; what takes the square of it grows to four times. */
export const maxGrowth = 3;

/** The best of several runs, in milliseconds of this thread's processor time. */
async function cpuMs(run: () => unknown, rounds: number): Promise<number> {
	let best = Number.POSITIVE_INFINITY;
	for (let round = 0; round < rounds; round++) {
		const before = process.threadCpuUsage();
		try {
			await run();
		} catch {
			// A refusal is an answer; how long it took is what counts.
		}
		const { user, system } = process.threadCpuUsage(before);
		best = Math.min(best, (user + system) / 1000);
	}
	return best;
}

/**
 * Doubles the input until its time can be measured, then tells how it grows. A growth above
 * {@link maxGrowth} is measured again, since the machine may have been busy with something else.
 *
 * @returns `undefined` when even the largest input takes less than can be measured.
 */
export async function growthOf(
	{ make, run }: HostileCase,
	{ from, to, minMs }: GrowthOptions,
): Promise<Growth | undefined> {
	const timed = (n: number, rounds: number) => {
		const input = make(n) as never;
		return cpuMs(() => run(input), rounds);
	};
	let n = from;
	let smallMs = await timed(n, 2);
	while (smallMs < minMs && n < to) {
		n *= 2;
		smallMs = await timed(n, 2);
	}
	if (smallMs < minMs) return undefined;
	let best: Growth | undefined;
	for (let attempt = 0; attempt < 3; attempt++) {
		const largeMs = await timed(2 * n, 2);
		const growth = { n, smallMs, largeMs, ratio: largeMs / smallMs };
		if (best === undefined || growth.ratio < best.ratio) best = growth;
		if (best.ratio <= maxGrowth) break;
		smallMs = await timed(n, 3);
	}
	return best;
}
