/** A sampler's draws under penalties, suppression and grammars, and what it tells of them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sampler } from '../../server/engine/sample/sampler.ts';
import { Random } from '../fixtures/graphBuilder.ts';
import { greedy } from '../fixtures/greedy.ts';
import { bigRow } from './logitRows.ts';

test('log-probabilities are those before penalties, and asking for them changes no draw', () => {
	const allowed = new Int32Array(Math.ceil(3000 / 32)).fill(-1);
	for (let word = 0; word < allowed.length; word += 2) allowed[word] = 0x5555_5555;
	const constraint = {
		mask: () => allowed,
		accept: () => true,
		rollback: () => {},
		isTerminated: () => false,
		dispose: () => {},
	};
	const suppression = {
		suppressTokens: [5, 70],
		beginSuppressTokens: [90],
		badSequences: [[7, 8]],
		noRepeatNgram: 2,
	};
	const penalised = {
		temperature: 0.8,
		repetitionPenalty: 1.3,
		presencePenalty: 0.6,
		frequencyPenalty: 0.2,
		logitBias: { 11: -100, 12: 6 },
	};
	for (const settings of [
		{ sampling: { ...greedy, ...penalised } },
		{ sampling: { ...greedy, ...penalised, topP: 0.8 }, suppression },
		{ sampling: { ...greedy, ...penalised, topK: 20 }, suppression, constraint },
		{ sampling: { ...greedy, presencePenalty: 9 } },
		{ sampling: { ...greedy, logitBias: { 12: 100 } } },
	]) {
		const options = { choice: 0, prompt: [1, 2, 3], endTokens: [], ...settings };
		const quiet = new Sampler(options);
		const telling = new Sampler({ ...options, topLogprobs: 4 });
		for (let k = 0; k < 20; k++) {
			// Every row four times, so that penalties meet what was drawn.
			const row = bigRow(100 + (k >> 2), 3000, 1.5, 8);
			const max = Math.max(...row);
			const total = row.reduce((sum, value) => sum + Math.exp(value - max), 0);
			const exact = (id: number): number => (row[id] as number) - max - Math.log(total);
			const { token } = quiet.next(row.slice());
			const told = telling.next(row.slice());
			assert.equal(told.token, token);
			assert.ok(Math.abs((told.logprob?.logprob ?? 0) - exact(token)) < 2e-6);
			const best = [...row.keys()].sort((a, b) => exact(b) - exact(a) || a - b).slice(0, 4);
			assert.deepEqual(
				told.logprob?.top.map(({ tokenId }) => tokenId),
				best,
			);
			for (const { tokenId, logprob } of told.logprob?.top ?? [])
				assert.ok(Math.abs(logprob - exact(tokenId)) < 2e-6);
		}
	}
});

test('under a grammar only what it allows is drawn, and it is told everything but the end', () => {
	const told: number[] = [];
	let allowed: number[] = [];
	const constraint = {
		mask: () => {
			const words = new Int32Array(Math.ceil(400 / 32));
			for (const id of allowed) words[id >> 5] = (words[id >> 5] as number) | (1 << (id & 31));
			return words;
		},
		accept: (id: number) => told.push(id) > 0,
		rollback: () => {},
		isTerminated: () => told.length === 30,
		dispose: () => {},
	};
	for (const topLogprobs of [undefined, 2]) {
		told.length = 0;
		const random = new Random(3);
		const sampling = { ...greedy, temperature: 1, logitBias: { 7: 50 } };
		const sampler = new Sampler({
			sampling,
			choice: 0,
			prompt: [1],
			endTokens: [399],
			constraint,
			topLogprobs,
		});
		const drawn: number[] = [];
		for (let k = 0; k < 30; k++) {
			assert.equal(sampler.isComplete, false);
			allowed = [0, 1, 2].map(() => 8 + (random.bits() % 390));
			const { token } = sampler.next(bigRow(k + 1, 400, 3, 5));
			assert.ok(allowed.includes(token), `${token} of ${allowed}`);
			drawn.push(token);
		}
		assert.deepEqual(told, drawn);
		assert.equal(sampler.isComplete, true);
		allowed = [399];
		assert.equal(sampler.next(bigRow(99, 400, 3, 5)).token, 399);
		assert.deepEqual(told, drawn);
	}
});
