/**
 * Where top-p (or a large top-k) cuts logits off, without sorting them: entries are counted in narrow
 * classes of equal magnitude; the heaviest few, and where a draw needs it the class at the border,
 * are looked at one by one.
 */

import { around, type Blocks, indicesAtLeast } from './blocks.ts';
import type { TopPThreshold } from './gumbelMax.ts';
import { logitsKernels, maxClasses } from './logitsKernels.ts';

/** Classes per temperature below the maximum. */
const density = 512;
/** Beyond 26 temperatures 150,000 entries together weigh less than 10⁻⁶ and are never drawn. */
const classes = maxClasses;
/** Classes summed at once. */
const chunk = 256;
/** Entries whose weight is taken exactly. */
const heaviest = 256;

const chunkCounts = new Int32Array(classes / chunk);
const chunkMasses = new Float64Array(classes / chunk);
/** Weight of an entry in the middle of each class. */
const middles = Float64Array.from({ length: classes }, (_, k) => Math.exp(-(k + 0.5) / density));

/**
 * Cut after the fewest best entries that together weigh at least `topP` of the `topK` best (0 = of
 * all). The mass of all is summed by classes of 1/512: for logits as flat as random ones it is off by
 * some 10⁻⁶, for those with a few likely entries by less. Valid until the next call.
 */
export function findTopPThreshold(
	blocks: Blocks,
	temperature: number,
	topP: number,
	topK: number,
): TopPThreshold {
	const { values, max } = blocks;
	const scale = Math.fround(Math.min(density / temperature, 1e30));
	const counts = logitsKernels.count(blocks, scale, classes);
	const maxEntries = topK > 0 ? topK : Number.POSITIVE_INFINITY;
	// In float32, as they were counted.
	const classOf = (index: number): number =>
		Math.fround(Math.fround(max - (values[index] as number)) * scale) | 0;
	const weight = (index: number): number =>
		Math.exp(((values[index] as number) - max) / temperature);

	let headEnd = 0;
	let headCount = 0;
	while (headEnd < classes && headCount + (counts[headEnd] as number) <= heaviest) {
		headCount += counts[headEnd++] as number;
	}
	// A bound taken a class too low finds all members whatever the rounding.
	const head = indicesAtLeast(blocks, max - (headEnd + 1) / scale).filter(
		(k) => classOf(k) < headEnd,
	);
	const headMass = head.reduce((sum, index) => sum + weight(index), 0);
	if (headCount >= maxEntries) {
		const kept = ordered(values, head).slice(0, maxEntries);
		const total = kept.reduce((sum, index) => sum + weight(index), 0);
		return listed(values, kept, weight, topP * total);
	}
	let total = headMass;
	let seen = headCount;
	sumChunks(counts, headEnd);
	for (let at = 0; at < chunkCounts.length; at++) {
		const here = chunkCounts[at] as number;
		if (seen + here > maxEntries) {
			for (let k = Math.max(headEnd, at * chunk); seen < maxEntries; k++) {
				const taken = Math.min(counts[k] as number, maxEntries - seen);
				seen += taken;
				total += taken * (middles[k] as number);
			}
			break;
		}
		seen += here;
		total += chunkMasses[at] as number;
	}
	const wanted = topP * total;
	if (headCount > 0 && headMass >= wanted)
		return listed(values, ordered(values, head), weight, wanted);

	let at = 0;
	let above = headMass;
	let before = headCount;
	while (at < chunkCounts.length - 1) {
		const mass = chunkMasses[at] as number;
		const here = chunkCounts[at] as number;
		if (above + mass >= wanted || before + here >= maxEntries) break;
		above += mass;
		before += here;
		at++;
	}
	let border = Math.max(headEnd, at * chunk);
	for (; border < classes - 1; border++) {
		const mass = (counts[border] as number) * (middles[border] as number);
		if (above + mass >= wanted || before + (counts[border] as number) >= maxEntries) break;
		above += mass;
		before += counts[border] as number;
	}
	let kept: Set<number> | undefined;
	const keep = (): Set<number> => {
		const found = new Set<number>();
		const members = around(blocks, max - (border + 0.5) / scale, 1.5 / scale);
		const inside = members.filter((index) => classOf(index) === border);
		for (const index of ordered(values, inside)) {
			if (above >= wanted || before + found.size >= maxEntries) break;
			found.add(index);
			above += weight(index);
		}
		return found;
	};
	return {
		minLogit: max - (border + 2) / scale,
		allows: (index) => {
			const own = classOf(index);
			if (own !== border) return own < border;
			kept ??= keep();
			return kept.has(index);
		},
	};
}

/** Best first; equal entries by lower index. */
function ordered(values: Float32Array, indices: number[]): number[] {
	return indices.sort((a, b) => (values[b] as number) - (values[a] as number) || a - b);
}

/** The cut after those of the sorted entries that weigh `wanted` together. */
function listed(
	values: Float32Array,
	indices: readonly number[],
	weight: (index: number) => number,
	wanted: number,
): TopPThreshold {
	let count = 0;
	let mass = 0;
	for (const index of indices) {
		if (count > 0 && mass >= wanted) break;
		mass += weight(index);
		count++;
	}
	const last = indices[count - 1] as number;
	const minValue = values[last] as number;
	return {
		minLogit: minValue,
		allows: (index) => (values[index] as number) > minValue || index <= last,
	};
}

/** Numbers and masses of the classes from `first` on. */
function sumChunks(counts: Int32Array, first: number): void {
	for (let at = 0; at < chunkCounts.length; at++) {
		let here = 0;
		let mass = 0;
		const end = (at + 1) * chunk;
		for (let k = Math.max(first, at * chunk); k < end; k++) {
			const members = counts[k] as number;
			here += members;
			mass += members * (middles[k] as number);
		}
		chunkCounts[at] = here;
		chunkMasses[at] = mass;
	}
}
