/** Small steps of a decoder whose logits are compared with those of another way of running it. */

import { AppError } from '../../protocol/index.ts';
import { firstDifference, type Reading, tolerances } from '../verify/readings.ts';
import type { Decoder, SequenceCache, StepRow } from './decoder.ts';

type Step = (rows: readonly StepRow[]) => Promise<Float32Array[][]>;

/** Two sequences of different length. */
const lengths = [5, 3];
/** What each of them is given in turn: tokens, of which logits are wanted of the last `logits`. */
const rounds = [
	{ of: 'a prompt', tokens: (sequence: number) => lengths[sequence] as number, logits: 2 },
	{ of: 'a continuation', tokens: () => 1, logits: 1 },
	{ of: 'a continuation by guesses', tokens: () => 2, logits: 2 },
];

/** Logits of the sequences one by one. */
export async function readAlone(decoder: Decoder): Promise<Reading[]> {
	const found: Reading[][] = rounds.map(() => []);
	for (const sequence of lengths.keys()) {
		const cache = decoder.createCache();
		try {
			for (const [round, { of, tokens, logits }] of rounds.entries()) {
				const given = tokensOf(decoder, sequence, round, tokens(sequence));
				const rows: Float32Array[] = [];
				for (const part of partsOf(decoder, given, logits)) {
					const [row = []] = await decoder.step([{ cache, ...part }]);
					rows.push(...row.map((one) => one.slice()));
				}
				found[round]?.push({ of, values: joined(rows) });
			}
		} finally {
			cache.release();
		}
	}
	return found.flat();
}

/**
 * The runs in which tokens are fed. A graph that gives the logits of the last token only is asked for
 * every row by itself. Where the tokens of a run share their scales each is fed alone: this is what
 * scales for each row come closest to.
 */
function partsOf(
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

/** Logits of the sequences in common runs, in the form of {@link readAlone}. */
async function readTogether(
	decoder: Decoder,
	createCache: () => SequenceCache,
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
			for (const rows of results) found.push({ of, values: joined(rows) });
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
	createCache: () => SequenceCache,
	step: Step,
): Promise<string | undefined> {
	const expected = await readAlone(serial);
	try {
		const actual = await readTogether(serial, createCache, step);
		return firstDifference(expected, actual, tolerances.together);
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

function joined(rows: readonly Float32Array[]): Float32Array {
	const width = rows[0]?.length ?? 0;
	const values = new Float32Array(rows.length * width);
	for (const [index, row] of rows.entries()) values.set(row, index * width);
	return values;
}
