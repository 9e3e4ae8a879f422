/** What a run computes: streams first, prompts with what is left, guesses shared. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BatchItem } from '../../server/engine/decode/decoder.ts';
import type { KvCache } from '../../server/engine/kv/kvCache.ts';
import { fairOrder, planBatch } from '../../server/engine/schedule/planBatch.ts';
import type { Sequence } from '../../server/engine/schedule/sequence.ts';

/** A sequence that takes all it is given: a prompt of so many tokens, or a stream with guesses. */
function sequence(kind: 'stream' | number): Sequence {
	const nextItem = (budget: number): BatchItem => {
		const count = kind === 'stream' ? budget : Math.min(kind, budget);
		return { cache: {} as KvCache, tokens: new Array<number>(count).fill(1), logits: 1 };
	};
	const pending = kind === 'stream' ? 1 : kind;
	return { isDecoding: kind === 'stream', pending, nextItem } as unknown as Sequence;
}

const decoder = { maxBatchSize: 8, maxStepTokens: 512 };
const lengths = (
	kinds: readonly ('stream' | number)[],
	options = decoder,
	shared = 192,
): number[] =>
	planBatch(kinds.map(sequence), options, shared).map(({ item }) => item.tokens.length);

test('a prompt nobody waits beside takes the whole run', () => {
	assert.deepEqual(lengths([2000]), [512]);
	assert.deepEqual(lengths([300, 300, 300]), [300, 212]);
});

test('beside a stream prompts take a bounded part of a run', () => {
	const [stream = 0, ...prompts] = lengths([2000, 'stream', 2000]);
	assert.ok(stream >= 1 && stream <= 16);
	const read = prompts.reduce((sum, count) => sum + count, 0);
	assert.ok(read > 100 && read + stream <= 192, `${read}`);
	const [, small = 0] = lengths(['stream', 2000], { maxBatchSize: 8, maxStepTokens: 64 });
	assert.ok(small > 0 && small < 64, `${small}`);
});

test('the more streams, the fewer guesses of each, and never more sequences than fit', () => {
	const streams = (count: number): number[] => lengths(new Array<'stream'>(count).fill('stream'));
	assert.deepEqual(streams(1), [16]);
	assert.deepEqual(streams(4), [4, 4, 4, 4]);
	assert.deepEqual(streams(8), new Array<number>(8).fill(2));
	assert.equal(streams(20).length, 8);
	assert.equal(lengths([5, 5, 5, 5, 5, 5, 5, 5, 5, 5]).length, 8);
	const crowd = new Array<'stream'>(8).fill('stream');
	assert.deepEqual(lengths([1000, ...crowd]).length, 8);
});

test('however many streams there are, a prompt has a place in the next run', () => {
	const crowd = new Array<'stream'>(6).fill('stream');
	const four = { maxBatchSize: 4, maxStepTokens: 512 };
	const planned = planBatch(
		[...crowd, 20].map((kind) => sequence(kind as 'stream' | 20)),
		four,
		192,
	);
	assert.equal(planned.length, 4);
	assert.equal(planned.filter(({ sequence: one }) => !one.isDecoding).length, 1);
});

test('a short prompt does not wait while much of a long one is read', () => {
	assert.deepEqual(lengths([20, 2000], decoder, 64), [20, 44]);
	assert.deepEqual(lengths([2000, 20], decoder, 64), [64]);
	assert.deepEqual(lengths([2000, 1000], decoder, 64), [512]);
});

test('a graph for one sequence at a time serves the one whose turn it is', () => {
	const serial = { maxBatchSize: 1, maxStepTokens: 40 };
	assert.deepEqual(lengths([100, 'stream'], serial), [40]);
	assert.deepEqual(lengths(['stream', 100], serial), [40]);
	assert.deepEqual(lengths([], serial), []);
});

test('background work of somebody else stays behind all sequences of people, or before them', () => {
	const of = (owner: string, isBackground: boolean, count: number) =>
		Array.from({ length: count }, () => ({ owner, isBackground }) as Sequence);
	const [people, background] = [of('a', false, 3), of('b', true, 3)];
	const order = (queue: readonly Sequence[]) =>
		fairOrder(queue, new Map([['a', 5]])).map(({ owner }) => owner);
	assert.equal(order([...people, ...background]).join(''), 'aaabbb');
	assert.equal(order([...background, ...people]).join(''), 'bbbaaa');
});
