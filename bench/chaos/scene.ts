/** Something that runs, what can go wrong with it, and what must hold after each fault. */

export type Random = () => number;

export interface Scene extends AsyncDisposable {
	readonly name: string;
	readonly steps: readonly (readonly [name: string, step: () => Promise<void>])[];
	/** What does not hold; empty when all is well. */
	broken(): Promise<string[]>;
}

export const pick = <Item>(random: Random, items: readonly Item[]): Item =>
	items[Math.floor(random() * items.length)] as Item;

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function randomFrom(seed: number): Random {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let bits = Math.imul(state ^ (state >>> 15), state | 1);
		bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
		return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
	};
}

export const pause = (ms: number): Promise<void> =>
	new Promise((resolve) => {
		setTimeout(resolve, ms);
	});
