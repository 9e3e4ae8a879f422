/**
 * Groups vectors of voices into as many speakers as there are: agglomerative clustering with average linkage of the
 * cosine similarity, until no two groups are alike enough. Voices that were told apart in one window never meet.
 */

import { largestOf, pushAll } from '../../../protocol/lists.ts';
import { yieldToOthers } from '../../../work/yieldToOthers.ts';

/** A voice in one window. */
export interface VoiceSample {
	readonly vector: Float32Array;
	/** Voices of one window are different people. */
	readonly window: number;
	/** Seconds that the vector stands for. */
	readonly seconds: number;
}

/** More are grouped in parts first, so that the work grows with the length of a recording and not with its square. */
const maxTogether = 600;
/** Less than this makes no speaker of its own: it goes to whoever is most alike. */
const minSpeakerS = 3;

interface Group {
	readonly members: number[];
	/** Sum of the unit vectors: its product with another sum is the sum of all similarities. */
	readonly sum: Float64Array;
	readonly count: number;
	readonly windows: Set<number>;
	readonly seconds: number;
}

/**
 * The speaker of each voice, numbered in the order in which they first come.
 * @param minSimilarity cosine from which two groups are one speaker
 */
export async function clusterVoices(
	voices: readonly VoiceSample[],
	minSimilarity: number,
	signal?: AbortSignal,
): Promise<number[]> {
	let groups: Group[] = [];
	for (let at = 0; at < voices.length; at += maxTogether) {
		const part = voices.slice(at, at + maxTogether);
		const single = part.map(
			(voice, index): Group => ({
				members: [at + index],
				sum: unit(voice.vector),
				count: 1,
				windows: new Set([voice.window]),
				seconds: voice.seconds,
			}),
		);
		pushAll(groups, await merged(single, minSimilarity, signal));
	}
	if (voices.length > maxTogether) groups = await merged(groups, minSimilarity, signal);
	return numbered(withoutSmall(groups), voices.length);
}

/** Merges the two most alike until they are too different. */
async function merged(
	given: readonly Group[],
	minSimilarity: number,
	signal: AbortSignal | undefined,
): Promise<Group[]> {
	const groups: (Group | undefined)[] = [...given];
	const best = groups.map((_, index) => nearestOf(groups, index));
	for (;;) {
		await yieldToOthers();
		signal?.throwIfAborted();
		const left = best.reduce(
			(found, each, index) =>
				each !== undefined && each.similarity > (best[found]?.similarity ?? minSimilarity)
					? index
					: found,
			-1,
		);
		const first = groups[left];
		const right = best[left]?.index ?? -1;
		const second = groups[right];
		if (first === undefined || second === undefined)
			return groups.filter((group) => group !== undefined);
		groups[left] = joined(first, second);
		groups[right] = undefined;
		for (const [index, group] of groups.entries()) {
			if (group === undefined) best[index] = undefined;
			else if (index === left || best[index]?.index === left || best[index]?.index === right)
				best[index] = nearestOf(groups, index);
			else {
				const similarity = similarityOf(group, groups[left]);
				if (similarity > (best[index]?.similarity ?? -1)) best[index] = { index: left, similarity };
			}
		}
	}
}

interface Neighbour {
	readonly index: number;
	readonly similarity: number;
}

function nearestOf(groups: readonly (Group | undefined)[], at: number): Neighbour | undefined {
	const own = groups[at];
	let best: Neighbour | undefined;
	if (own === undefined) return undefined;
	for (const [index, other] of groups.entries()) {
		if (index === at || other === undefined) continue;
		const similarity = similarityOf(own, other);
		if (similarity > (best?.similarity ?? -1)) best = { index, similarity };
	}
	return best;
}

/** Mean cosine of all pairs; −1 for those that speak in one window. */
function similarityOf(left: Group, right: Group): number {
	const [few, many] =
		left.windows.size < right.windows.size
			? [left.windows, right.windows]
			: [right.windows, left.windows];
	for (const window of few) if (many.has(window)) return -1;
	return product(left.sum, right.sum) / (left.count * right.count);
}

function joined(left: Group, right: Group): Group {
	return {
		members: [...left.members, ...right.members],
		sum: left.sum.map((value, index) => value + (right.sum[index] ?? 0)),
		count: left.count + right.count,
		windows: new Set([...left.windows, ...right.windows]),
		seconds: left.seconds + right.seconds,
	};
}

/** Scraps of sound go to the speaker they resemble most. */
function withoutSmall(groups: readonly Group[]): Group[] {
	const large = groups.filter(({ seconds }) => seconds >= minSpeakerS);
	if (large.length === 0) return [...groups];
	const result = [...large];
	for (const small of groups.filter(({ seconds }) => seconds < minSpeakerS)) {
		const scores = large.map((group) => product(group.sum, small.sum) / group.count);
		const at = scores.indexOf(largestOf(scores, Number.NEGATIVE_INFINITY));
		result[at] = joined(result[at] as Group, small);
	}
	return result;
}

function numbered(groups: readonly Group[], count: number): number[] {
	const firstOf = ({ members }: Group) => members.reduce((first, one) => Math.min(first, one));
	const result = new Array<number>(count).fill(0);
	for (const [speaker, { members }] of [...groups]
		.sort((a, b) => firstOf(a) - firstOf(b))
		.entries())
		for (const member of members) result[member] = speaker;
	return result;
}

function unit(vector: Float32Array): Float64Array {
	const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
	return Float64Array.from(vector, (value) => value / norm);
}

function product(left: Float64Array, right: Float64Array): number {
	let sum = 0;
	for (let i = 0; i < left.length; i++) sum += (left[i] as number) * (right[i] as number);
	return sum;
}
