/** Small steps of a decoder whose logits are compared with those of another way of running it. */

import { AppError } from '../../protocol/index.ts';
import type { KvCache } from '../kv/kvCache.ts';
import { firstDifference, type Reading, tolerances } from '../verify/readings.ts';
import type { BatchItem, Decoder } from './decoder.ts';

type Step = (batch: readonly BatchItem[]) => Promise<Float32Array[][]>;

/** Two sequences of different length. */
const lengths = [5, 3];
/** What each of them is given in turn: tokens, of which logits are wanted of the last `logits`. */
const rounds = [
	{ of: 'a prompt', tokens: (sequence: number) => lengths[sequence] as number, logits: 2 },
	{ of: 'a continuation', tokens: () => 1, logits: 1 },
	{ of: 'a continuation by guesses', tokens: () => 2, logits: 2 },
];

/**
 * Logits of the sequences one by one.
 * @param sequences how many of them; a graph beside another one needs the first alone, which is longest
 */
export async function readSerially(
	decoder: Decoder,
	sequences = lengths.length,
): Promise<Reading[]> {
	const found: Reading[][] = rounds.map(() => []);
	for (const sequence of lengths.slice(0, sequences).keys()) {
		const cache = decoder.createCache();
		try {
			for (const [round, { of, tokens, logits }] of rounds.entries()) {
				const given = tokensOf(decoder, sequence, round, tokens(sequence));
				const collected: Float32Array[] = [];
				for (const part of runsOf(decoder, given, logits)) {
					const [own = []] = await decoder.step([{ cache, ...part }]);
					collected.push(...own.map((one) => one.slice()));
				}
				found[round]?.push({ of, values: concatenate(collected) });
			}
		} finally {
			cache.release();
		}
	}
	return found.flat();
}

/**
 * The runs in which tokens are fed. A graph that gives the logits of the last token only is run
 * once per token. If the tokens of a run share a scale (per-tensor quantization) each is fed alone,
 * which is what per-token quantization comes closest to.
 */
function runsOf(
	{ lastLogitsOnly, batchInvariant }: Decoder,
	tokens: readonly number[],
	logits: number,
): { tokens: readonly number[]; logits: number }[] {
	const unread = tokens.slice(0, tokens.length - logits);
	if (!batchInvariant)
		return [
			...unread.map((token) => ({ tokens: [token], logits: 0 })),
			...tokens.slice(unread.length).map((token) => ({ tokens: [token], logits: 1 })),
		];
	if (lastLogitsOnly !== true) return [{ tokens, logits }];
	const [first = 0, ...later] = tokens.slice(unread.length);
	return [[...unread, first], ...later.map((token) => [token])].map((part) => ({
		tokens: part,
		logits: 1,
	}));
}

/** Logits of the sequences in common runs, in the form of {@link readSerially}. */
async function readBatched(
	decoder: Decoder,
	createCache: () => KvCache,
	step: Step,
): Promise<Reading[]> {
	const caches = lengths.map(createCache);
	const found: Reading[] = [];
	try {
		for (const [round, { of, tokens, logits }] of rounds.entries()) {
			const results = await step(
				caches.map((cache, sequence) => ({
					cache,
					tokens: tokensOf(decoder, sequence, round, tokens(sequence)),
					logits,
				})),
			);
			for (const own of results) found.push({ of, values: concatenate(own) });
		}
		return found;
	} finally {
		for (const cache of caches) cache.release();
	}
}

/**
 * Compares common runs with single ones.
 * Returns what differs, or `undefined` when nothing does.
 */
export async function compareSteps(
	serial: Decoder,
	createCache: () => KvCache,
	step: Step,
): Promise<string | undefined> {
	const expected = await readSerially(serial);
	try {
		const actual = await readBatched(serial, createCache, step);
		return firstDifference(expected, actual, tolerances.batched);
	} catch (error) {
		if (error instanceof AppError && error.code === 'internal') return 'the graph does not run';
		throw error;
	}
}

function tokensOf(
	{ vocabularySize }: Decoder,
	sequence: number,
	round: number,
	count: number,
): number[] {
	const top = Math.max(2, Math.min(vocabularySize, 1000));
	const first = sequence * 20 + round * 7;
	return Array.from({ length: count }, (_, k) => 1 + (((first + k) * 7919) % (top - 1)));
}

function concatenate(parts: readonly Float32Array[]): Float32Array {
	const width = parts[0]?.length ?? 0;
	const values = new Float32Array(parts.length * width);
	for (const [index, part] of parts.entries()) values.set(part, index * width);
	return values;
}
