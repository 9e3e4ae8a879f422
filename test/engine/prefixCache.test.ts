/** Which cache of a finished request serves a prompt, and which ones are given up. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	commonPrefix,
	maxPrefixes,
	PrefixCache,
} from '../../server/engine/schedule/prefixCache.ts';
import { ExactDecoder } from './exactDecoder.ts';

function setUp() {
	const decoder = new ExactDecoder();
	const prefixes = new PrefixCache();
	const make = (tokens: readonly number[], ropeTotalLength = 0) => {
		const cache = decoder.createCache();
		cache.ropeTotalLength = ropeTotalLength;
		cache.feed(tokens);
		return cache;
	};
	const add = (
		tokens: readonly number[],
		ropeTotalLength = 0,
		owner: string | undefined = 'me',
	) => {
		const cache = make(tokens, ropeTotalLength);
		prefixes.add({ owner, tokens, cache });
		return cache;
	};
	return { prefixes, make, add, alive: decoder.alive };
}

const range = (from: number, to: number): number[] =>
	Array.from({ length: to - from }, (_, k) => from + k);

test('the longest common beginning wins, cut to what is common, and one token is left to feed', () => {
	const { prefixes, add } = setUp();
	add([...range(0, 10), 99, 98]);
	const longer = add([...range(0, 14), 97, 96]);
	const found = prefixes.take('me', range(0, 20), 0, []);
	assert.equal(found, longer);
	assert.equal(found?.length, 14);
	assert.equal(prefixes.size, 1);
	// The whole prompt is known: its last token is fed again, for its logits.
	assert.equal(prefixes.take('me', range(0, 10), 0, [])?.length, 9);
	assert.equal(prefixes.take('me', [50, 51, 52, 53, 54, 55], 0, []), undefined);
	assert.equal(prefixes.take('me', range(0, 3), 0, []), undefined, 'too short to be worth it');
});

test('what must be reproducible begins with nothing that was read otherwise', () => {
	const { prefixes, add } = setUp();
	add(range(0, 30));
	assert.equal(prefixes.take('me', range(0, 20), 0, [], true), undefined);
	const read = add(range(0, 16));
	read.reproducibleTokens = 12;
	// The other has more of the text, but not more that counts.
	assert.equal(prefixes.take('me', range(0, 40), 0, [], true), read);
	assert.deepEqual([read.length, read.reproducibleTokens], [12, 12]);
	prefixes.add({ owner: 'me', tokens: range(0, 12), cache: read });
	// A longer one that is worth less does not take its place.
	assert.equal(prefixes.size, 2);
	const cut = prefixes.take('me', [...range(0, 7), 70], 0, [], true);
	assert.deepEqual([cut?.length, cut?.reproducibleTokens], [7, 7]);
});

test('a cache of which most would stay unused is copied, as one that is in use', () => {
	const { prefixes, add, make, alive } = setUp();
	const kept = add(range(0, 30));
	const copy = prefixes.take('me', [...range(0, 8), 70, 71], 0, []);
	assert.notEqual(copy, kept);
	assert.deepEqual([copy?.length, kept.length, prefixes.size], [8, 30, 1]);
	const running = make(range(100, 120));
	const other = prefixes.take('me', [...range(100, 116), 5], 0, [
		{ owner: 'me', tokens: range(100, 120), cache: running },
	]);
	assert.notEqual(other, running);
	assert.deepEqual([other?.length, running.length], [16, 20]);
	assert.equal(alive.size, 4);
});

test('keys made with other rotary factors are never taken, nor replaced by such', () => {
	const { prefixes, add, alive } = setUp();
	const short = add(range(0, 10), 0);
	add(range(0, 20), 4097);
	assert.equal(prefixes.size, 2, 'the shorter one is not covered');
	assert.equal(prefixes.take('me', [...range(0, 20), 60], 0, []), short);
	assert.equal(short.length, 10);
	assert.equal(prefixes.take('me', [...range(0, 20), 60], 4097, [])?.length, 20);
	assert.equal(prefixes.size, 0);
	assert.equal(alive.size, 2);
});

test('what a new one covers is released, and of the others the least recently used first', () => {
	const { prefixes, add, alive } = setUp();
	const covered = add(range(0, 10));
	const [a, b, c] = [add(range(0, 20)), add(range(200, 220)), add(range(300, 320))];
	assert.ok(!alive.has(covered));
	assert.equal(prefixes.size, 3);
	// Asking for the first makes it the latest.
	prefixes.take('me', [...range(0, 8), 70], 0, [])?.release();
	prefixes.shrink(prefixes.bytes - 1);
	assert.deepEqual(
		[a, b, c].map((cache) => alive.has(cache)),
		[true, false, true],
	);
	prefixes.shrink(prefixes.bytes - 1);
	assert.deepEqual(
		[a, b, c].map((cache) => alive.has(cache)),
		[true, false, false],
	);
	prefixes.shrink(prefixes.bytes);
	assert.equal(prefixes.size, 1, 'what fits stays');
	for (let k = 0; k < 40; k++) add(range(1000 * k + 500, 1000 * k + 510));
	prefixes.shrink(Number.POSITIVE_INFINITY);
	assert.equal(prefixes.size, maxPrefixes);
	prefixes.clear();
	assert.deepEqual([prefixes.size, prefixes.bytes, alive.size], [0, 0, 0]);
});

test('common beginnings are counted', () => {
	assert.equal(commonPrefix([1, 2, 3], [1, 2, 4]), 2);
	assert.equal(commonPrefix([1, 2], [1, 2, 4]), 2);
	assert.equal(commonPrefix([], [1]), 0);
});

test('what somebody keeps serves nobody else, whichever way it could be found', () => {
	const { prefixes, add, make, alive } = setUp();
	const mine = add(range(0, 20), 0, 'alice');
	assert.equal(prefixes.take('bob', range(0, 30), 0, []), undefined);
	assert.equal(prefixes.take(undefined, range(0, 30), 0, []), undefined);
	const running = { owner: 'alice', tokens: range(50, 70), cache: make(range(50, 70)) };
	assert.equal(prefixes.take('bob', range(50, 80), 0, [running]), undefined);
	// A longer one of another person does not take its place either: its owner would miss it.
	add(range(0, 25), 0, 'bob');
	assert.ok(alive.has(mine));
	assert.equal(prefixes.take('alice', range(0, 30), 0, []), mine);
	assert.equal(prefixes.take('bob', range(0, 30), 0, [])?.length, 25);
});

test('what belongs to nobody is not kept', () => {
	const { prefixes, make, alive } = setUp();
	const cache = make(range(0, 20));
	prefixes.add({ owner: undefined, tokens: range(0, 20), cache });
	assert.equal(prefixes.size, 0);
	assert.ok(!alive.has(cache));
	const running = { owner: undefined, tokens: range(0, 20), cache: make(range(0, 20)) };
	assert.equal(prefixes.take(undefined, range(0, 30), 0, [running]), undefined);
});
