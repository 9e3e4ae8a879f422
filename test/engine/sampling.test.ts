/** Tokens are drawn as the settings say; text comes out whole. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedBlocks, findBlocks } from '../../server/engine/sample/blocks.ts';
import { argmax, topIndices } from '../../server/engine/sample/candidates.ts';
import { logitsKernels } from '../../server/engine/sample/logitsKernels.ts';
import { logSumExp } from '../../server/engine/sample/logprobs.ts';
import { findTopPThreshold } from '../../server/engine/sample/nucleus.ts';
import {
	applyMask,
	applyPenalties,
	suppressRepeatedNgrams,
	suppressSequences,
} from '../../server/engine/sample/penalties.ts';
import { uniform } from '../../server/engine/sample/random.ts';
import { sampleToken } from '../../server/engine/sample/sampleToken.ts';
import { TextStream } from '../../server/engine/sample/textStream.ts';
import { Random } from '../fixtures/graphBuilder.ts';
import { greedy } from '../fixtures/greedy.ts';
import { bigRow } from './logitRows.ts';

const logits = Float32Array.from([2, 1, 0, -1, 3, 2.5, -50, 1.5]);

/** Frequencies of many draws. */
function frequencies(options: Partial<typeof greedy>, draws = 20_000): number[] {
	const counts = new Array<number>(logits.length).fill(0);
	for (let k = 0; k < draws; k++) {
		const token = sampleToken(logits, { ...greedy, temperature: 1, ...options }, uniform(9, 0, k));
		counts[token] = (counts[token] ?? 0) + 1;
	}
	return counts.map((count) => count / draws);
}

function softmax(
	values: ArrayLike<number>,
	temperature: number,
	allowed: (index: number) => boolean,
): number[] {
	const weights = Array.from(values, (value, index) =>
		allowed(index) ? Math.exp(value / temperature) : 0,
	);
	const sum = weights.reduce((a, b) => a + b, 0);
	return weights.map((weight) => weight / sum);
}

function assertClose(actual: number[], expected: number[]): void {
	for (const [index, value] of expected.entries()) {
		assert.ok(
			Math.abs(value - (actual[index] ?? 0)) < 0.015,
			`${index}: ${actual[index]} for ${value}`,
		);
	}
}

test('draws follow the softmax at the temperature', () => {
	assertClose(
		frequencies({}),
		softmax(logits, 1, () => true),
	);
	assertClose(
		frequencies({ temperature: 0.5 }),
		softmax(logits, 0.5, () => true),
	);
});

test('top-k, top-p and min-p keep exactly their tokens', () => {
	assertClose(
		frequencies({ topK: 3 }),
		softmax(logits, 1, (k) => [4, 5, 0].includes(k)),
	);
	// 4: 0.43, 5: 0.26, 0: 0.16, 7: 0.10 → 0.8 needs the first three.
	assertClose(
		frequencies({ topP: 0.8 }),
		softmax(logits, 1, (k) => [4, 5, 0].includes(k)),
	);
	assertClose(
		frequencies({ topP: 0.01 }),
		softmax(logits, 1, (k) => k === 4),
	);
	assertClose(
		frequencies({ minP: 0.3 }),
		softmax(logits, 1, (k) => [4, 5, 0].includes(k)),
	);
	assertClose(
		frequencies({ topK: 6, minP: 0.3 }),
		softmax(logits, 1, (k) => [4, 5, 0].includes(k)),
	);
	assertClose(
		frequencies({ topK: 4, topP: 0.6 }),
		softmax(logits, 1, (k) => [4, 5].includes(k)),
	);
});

/** The tokens that top-k, top-p and min-p keep, by sorting everything, and the mass of all. */
function keptBySorting(
	row: Float32Array,
	{ temperature, topP, topK, minP }: typeof greedy,
): { tokens: number[]; probability: (token: number) => number } {
	const max = Math.max(...row);
	const weight = (token: number): number => Math.exp(((row[token] as number) - max) / temperature);
	let tokens = [...row.keys()].sort((a, b) => weight(b) - weight(a) || a - b);
	if (topK > 0) tokens = tokens.slice(0, topK);
	const all = tokens.reduce((sum, token) => sum + weight(token), 0);
	let mass = 0;
	let count = 0;
	for (const token of tokens) {
		if (count > 0 && mass >= topP * all) break;
		mass += weight(token);
		count++;
	}
	tokens = tokens.slice(0, count).filter((token) => weight(token) >= minP && weight(token) > 0);
	const total = tokens.reduce((sum, token) => sum + weight(token), 0);
	return { tokens, probability: (token) => weight(token) / total };
}

test('over large vocabularies the cuts are those of sorting everything', () => {
	for (const [seed, length, spread, peaks, temperature] of [
		[1, 5000, 2.5, 0, 1],
		[2, 5000, 2.5, 30, 1],
		[3, 20_000, 1, 0, 0.7],
		[4, 20_000, 4, 5, 1.5],
		[5, 300, 0.001, 0, 1],
	] as const) {
		const row = bigRow(seed, length, spread, peaks);
		const blocks = findBlocks(row);
		for (const topP of [0.0001, 0.1, 0.5, 0.9, 0.95, 0.999]) {
			for (const topK of [0, 3, 700, 4000]) {
				const options = { ...greedy, temperature, topP, topK };
				const { tokens, probability } = keptBySorting(row, options);
				const cut = findTopPThreshold(blocks, temperature, topP, topK);
				const kept = new Set(
					[...row.keys()].filter((k) => (row[k] as number) >= cut.minLogit && cut.allows?.(k)),
				);
				const wrong = [
					...tokens.filter((token) => !kept.has(token)),
					...[...kept].filter((token) => !tokens.includes(token)),
				];
				const mass = wrong.reduce((sum, token) => sum + probability(token), 0);
				assert.ok(mass < 2e-4 && wrong.length <= 2, `${seed} ${topP} ${topK}: ${wrong.length}`);
			}
		}
	}
});

test('over large vocabularies draws follow the exact distribution (chi-square)', () => {
	const draws = 6_000;
	const row = bigRow(9, 3000, 2, 12);
	for (const options of [
		{ temperature: 1 },
		{ temperature: 0.4 },
		{ temperature: 1, topK: 40 },
		{ temperature: 1, topK: 600 },
		{ temperature: 1.2, topP: 0.9 },
		{ temperature: 1, topP: 0.3 },
		{ temperature: 1, minP: 0.01 },
		{ temperature: 1, topK: 100, topP: 0.8, minP: 0.02 },
	]) {
		const sampling = { ...greedy, ...options };
		const { tokens, probability } = keptBySorting(row, sampling);
		const counts = new Map<number, number>();
		for (let k = 0; k < draws; k++) {
			const token = sampleToken(row, sampling, uniform(77, 1, k));
			counts.set(token, (counts.get(token) ?? 0) + 1);
		}
		const allowed = new Set(tokens);
		assert.ok([...counts.keys()].every((token) => allowed.has(token)));
		// Rare tokens share a class, so that every class is expected often enough.
		let statistic = 0;
		let classes = 0;
		let expected = 0;
		let seen = 0;
		const close = (): void => {
			statistic += (seen - expected) ** 2 / expected;
			classes++;
			expected = 0;
			seen = 0;
		};
		for (const token of tokens) {
			expected += probability(token) * draws;
			seen += counts.get(token) ?? 0;
			if (expected >= 20) close();
		}
		if (expected > 5) close();
		// Five standard deviations of a chi-square with that many degrees of freedom.
		const most = classes + 5 * Math.sqrt(2 * classes);
		assert.ok(statistic < most, `${JSON.stringify(options)}: ${statistic} of ${classes}`);
	}
});

test('temperature 0 takes the best, the lowest id among equals', () => {
	assert.equal(sampleToken(logits, greedy, 0.99), 4);
	assert.equal(argmax(Float32Array.from([1, 5, 5, 2])), 1);
	assert.equal(argmax(Float32Array.from([Number.NaN, -1, 2])), 2);
});

test('the best entries by heap are the best by sorting', () => {
	const random = new Random(4);
	for (let round = 0; round < 50; round++) {
		const values = Float32Array.from(
			{ length: 1 + (random.bits() % 300) },
			() => random.bits() % 40,
		);
		const count = 1 + (random.bits() % 50);
		const sorted = [...values.keys()].sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b);
		assert.deepEqual(topIndices(values, count), sorted.slice(0, count));
	}
});

test('uniform numbers depend on seed, choice and position, and spread evenly', () => {
	const draws = Array.from({ length: 4000 }, (_, k) => uniform(k % 7, k % 3, k));
	assert.ok(draws.every((value) => value >= 0 && value < 1));
	assert.ok(Math.abs(draws.reduce((a, b) => a + b, 0) / draws.length - 0.5) < 0.02);
	assert.equal(uniform(1, 2, 3), uniform(1, 2, 3));
	assert.equal(
		new Set([uniform(1, 0, 0), uniform(2, 0, 0), uniform(1, 1, 0), uniform(1, 0, 1)]).size,
		4,
	);
});

test('the sum of exponentials over a large row is exact to five digits', () => {
	for (const [spread, peaks] of [
		[0.5, 0],
		[2.5, 0],
		[3, 40],
	] as const) {
		const row = bigRow(21, 30_000, spread, peaks);
		const max = row.reduce((a, b) => Math.max(a, b));
		const exact = max + Math.log(row.reduce((sum, value) => sum + Math.exp(value - max), 0));
		assert.ok(Math.abs(logSumExp(row) - exact) < 2e-6, `${logSumExp(row)} for ${exact}`);
	}
	assert.equal(logSumExp(new Float32Array(70).fill(-Infinity)), -Infinity);
});

test('passes over rows of any length and content agree with plain loops', () => {
	const random = new Random(31);
	// Long and short in turns: what a longer row left behind must not show.
	for (const length of [1, 5000, 63, 64, 65, 200_001, 7, 1000]) {
		const row = Float32Array.from({ length }, () => random.normal() * 3);
		for (let k = 0; k < length / 20; k++) {
			const odd = [Number.NaN, Number.NEGATIVE_INFINITY, -1e30, -0][k % 4] as number;
			row[random.bits() % length] = odd;
		}
		row[random.bits() % length] = 4;
		const blocks = findBlocks(row);
		const numbers = [...row].filter((value) => !Number.isNaN(value));
		assert.equal(
			blocks.max,
			numbers.reduce((a, b) => Math.max(a, b)),
		);
		for (let block = 0; block < blocks.count; block++) {
			const own = [...row.subarray(block * 64, block * 64 + 64)];
			const most = own.reduce((a, b) => (b > a ? b : a), Number.NEGATIVE_INFINITY);
			assert.equal(blocks.largest[block], most);
		}
		const sum = numbers.reduce((total, value) => total + Math.exp(value - blocks.max), 0);
		assert.ok(Math.abs(logitsKernels.sum(blocks) / sum - 1) < 2e-6, `${length}`);
		const classes = 3000;
		const counts = new Array<number>(classes).fill(0);
		for (const value of numbers) {
			const at = Math.fround(Math.fround(blocks.max - value) * 250);
			if (at < classes) counts[Math.floor(at)] = (counts[Math.floor(at)] ?? 0) + 1;
		}
		assert.deepEqual([...logitsKernels.count(blocks, 250, classes)], counts);
	}
	const first = findBlocks(Float32Array.of(1, 2));
	findBlocks(Float32Array.of(3));
	assert.throws(() => logitsKernels.sum(first), /Other logits/);
});

test('blocks follow the entries that change', () => {
	const row = bigRow(5, 1000, 1, 3);
	const before = findBlocks(row);
	const changed = [0, 63, 64, 777, argmax(row)];
	for (const index of changed) row[index] = -Infinity;
	const after = changedBlocks(before, changed);
	assert.equal(after.max, Math.max(...row));
	const largest = [...after.largest];
	const total = logitsKernels.sum(after);
	const again = findBlocks(row);
	assert.deepEqual(largest, [...again.largest]);
	assert.equal(total, logitsKernels.sum(again));
});

test('penalties and biases change what they name', () => {
	const row = (): Float32Array => Float32Array.from([2, -2, 1, 0]);
	const apply = (options: Partial<typeof greedy>): number[] => {
		const values = row();
		applyPenalties(values, { ...greedy, ...options }, new Map([[0, 3]]), new Set([1]));
		return [...values];
	};
	assert.deepEqual(apply({ repetitionPenalty: 2 }), [1, -4, 1, 0]);
	assert.deepEqual(apply({ presencePenalty: 0.5, frequencyPenalty: 0.25 }), [0.75, -2, 1, 0]);
	assert.deepEqual(apply({ logitBias: { 2: -100, 3: 1.5, 9: 5 } }), [2, -2, -Infinity, 1.5]);
	assert.ok((apply({ logitBias: { 1: 100 } })[1] ?? 0) > 1e5);
});

test('a grammar mask bans every token whose bit is 0, also those beyond it', () => {
	const values = new Float32Array(70).fill(1);
	applyMask(values, Int32Array.of(-1, 0b101));
	const allowed = [...values.keys()].filter((k) => values[k] === 1);
	assert.deepEqual(allowed, [...Array(32).keys(), 32, 34]);
});

test('forbidden sequences and repeated n-grams are banned at their last token', () => {
	const values = new Float32Array(10);
	suppressSequences(values, [1, 2, 3], [[3, 4], [2, 5], [7]]);
	assert.deepEqual(
		[...values.keys()].filter((k) => values[k] !== 0),
		[4, 7],
	);
	const ngrams = new Float32Array(10);
	suppressRepeatedNgrams(ngrams, [1, 2, 3, 1, 2], 3);
	assert.deepEqual(
		[...ngrams.keys()].filter((k) => ngrams[k] !== 0),
		[3],
	);
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('characters cut by token borders come out whole', () => {
	const stream = new TextStream([]);
	const euro = bytes('a€😀');
	const pieces = [...euro].map((byte) => stream.push(Uint8Array.of(byte)));
	assert.deepEqual(
		pieces.map(({ text }) => text).filter((text) => text !== ''),
		['a', '€', '😀'],
	);
	assert.deepEqual(
		pieces.flatMap(({ tokens }) => tokens),
		[0, 1, 2, 3, 4, 5, 6, 7],
	);
	const cut = new TextStream([]);
	cut.push(bytes('€').subarray(0, 2));
	assert.equal(cut.end().text, '\uFFFD');
});

test('a stop string is found across tokens and never shown, not even in part', () => {
	const stream = new TextStream(['STOP', '\n\n']);
	const shown = ['He', 'llo S', 'T', 'O', 'x', '\n', 'y ST', 'OP more'].map((text) =>
		stream.push(bytes(text)),
	);
	assert.deepEqual(
		shown.map(({ text }) => text),
		['He', 'llo ', '', '', 'STOx', '', '\ny ', ''],
	);
	assert.equal(shown[7]?.stop, 'STOP');
	assert.deepEqual(stream.push(bytes('late')), { text: '', tokens: [] });
});

test('what was held back is shown at the end', () => {
	const stream = new TextStream(['<end>']);
	assert.equal(stream.push(bytes('a<en')).text, 'a');
	assert.equal(stream.end().text, '<en');
});

test('splitting a text anywhere gives the same text', () => {
	const random = new Random(8);
	const text = 'Grüße — 你好 😀 done<|x|>tail';
	const all = bytes(text);
	for (let round = 0; round < 100; round++) {
		const stream = new TextStream(['<|x|>']);
		let out = '';
		for (let at = 0; at < all.length; ) {
			const next = Math.min(all.length, at + 1 + (random.bits() % 5));
			out += stream.push(all.subarray(at, next)).text;
			at = next;
		}
		assert.equal(out + stream.end().text, 'Grüße — 你好 😀 done');
	}
});
