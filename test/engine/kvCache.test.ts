/** Caches keep what was written of every sequence, wherever it lies after growing, going back and moving. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DynamicKvCache } from '../../server/engine/kv/dynamicKvCache.ts';
import type { CacheTensor } from '../../server/engine/kv/kvCache.ts';
import { Random } from '../fixtures/graphBuilder.ts';

const tensor = {
	past: 'past',
	present: 'present',
	type: 'float32',
	heads: 2,
	headSize: 3,
} as const;
const state: CacheTensor = { ...tensor, stateLength: 1 };

/** As a graph does: past and one token more, which says whose and which it is. */
function feed(cache: DynamicKvCache, marks: readonly number[]): void {
	const { length } = cache;
	cache.reserve(length + 1);
	for (const [index, { heads, headSize, stateLength }] of cache.tensors.entries()) {
		const [past, present] = [cache.past(index), cache.present(index)];
		for (let row = 0; row < marks.length * heads; row++) {
			const mark = (marks[Math.floor(row / heads)] ?? 0) + (row % heads) / 10;
			const kept = stateLength === undefined ? length : 0;
			for (let at = 0; at < (kept + 1) * headSize; at++)
				present[row * (kept + 1) * headSize + at] =
					at < kept * headSize ? (past[row * kept * headSize + at] as number) : mark;
		}
	}
	cache.advance(1);
}

/** Marks of all tokens of every sequence, seen to be the same in every head. */
function marks(cache: DynamicKvCache, index = 0): number[][] {
	const [sequences, heads, length, headSize] = cache.dims(index, cache.length);
	return Array.from({ length: sequences }, (_, sequence) =>
		Array.from({ length }, (_, token) => {
			const seen = Array.from({ length: heads }, (_, head) => {
				const at = ((sequence * heads + head) * length + token) * headSize;
				return Math.round(((cache.past(index)[at] as number) - head / 10) * 1000) / 1000;
			});
			assert.equal(new Set(seen).size, 1, `${seen}`);
			return seen[0] as number;
		}),
	);
}

test('any history of tokens, moves, cuts and copies gives what lists give', () => {
	const random = new Random(7);
	const below = (count: number) => Math.floor((random.bits() / 2 ** 32) * count);
	for (let round = 0; round < 40; round++) {
		let cache = new DynamicKvCache([tensor], { sequences: 1 + below(3) });
		let lists: number[][] = Array.from({ length: cache.dims(0, 0)[0] }, () => []);
		for (let step = 0; step < 60; step++) {
			const kind = below(10);
			if (kind < 6) {
				const next = lists.map((_, sequence) => step * 10 + sequence);
				feed(cache, next);
				lists = lists.map((list, sequence) => [...list, next[sequence] as number]);
			} else if (kind < 8) {
				const parents = Array.from({ length: 1 + below(4) }, () => below(lists.length));
				cache.select(parents);
				lists = parents.map((parent) => lists[parent] as number[]);
			} else if (kind === 8) {
				const length = below(cache.length + 1);
				assert.ok(cache.canTruncate(length));
				cache.truncate(length);
				lists = lists.map((list) => list.slice(0, length));
			} else {
				const before = cache;
				cache = before.fork();
				feed(
					before,
					lists.map(() => -1),
				);
				before.release();
			}
			assert.equal(cache.length, lists[0]?.length);
			assert.deepEqual(marks(cache), lists);
		}
	}
});

test('a state is zeros at first, is replaced by every token, moves with its sequence and never goes back', () => {
	const cache = new DynamicKvCache([tensor, state], { sequences: 2 });
	assert.deepEqual([...cache.past(1)], new Array(12).fill(0));
	feed(cache, [1, 2]);
	feed(cache, [3, 4]);
	cache.select([1, 1, 0]);
	assert.deepEqual(marks(cache, 1), [[4], [4], [3]]);
	assert.deepEqual(marks(cache), [
		[2, 4],
		[2, 4],
		[1, 3],
	]);
	assert.equal(cache.canTruncate(1), false);
	assert.throws(() => cache.truncate(1), /cannot go back to 1/);
});

test('a sequence has its limit, and room is made in steps of 64 positions of all sequences', () => {
	const one = new DynamicKvCache([tensor], { limit: 100 });
	one.reserve(1);
	assert.equal(one.present(0).length, 64 * 6);
	one.reserve(65);
	assert.equal(one.present(0).length, 100 * 6);
	assert.throws(() => one.reserve(101), { code: 'context_length_exceeded' });
	const many = new DynamicKvCache([tensor], { sequences: 32 });
	many.reserve(1);
	assert.equal(many.present(0).length, 2 * 32 * 6);
});
