/** A plan that is not run, or a run that is ended, asks for no logits a second time. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KvCache } from '../../server/engine/kv/kvCache.ts';
import type { Sampler } from '../../server/engine/sample/sampler.ts';
import { Sequence } from '../../server/engine/schedule/sequence.ts';

test('a sequence that is reproducible gives each log-probability of its prompt once', () => {
	const cache = {
		length: 0,
		canTruncate: () => true,
		truncate(length: number) {
			this.length = length;
		},
	};
	const tokens = [1, 2, 3, 4, 5, 6, 7];
	const sequence = new Sequence({
		...{ owner: undefined, isBackground: true, choice: 0, promptLength: 7, maxTokens: 4 },
		...{ reproducible: 'even', wantsPromptLogprobs: true },
		cache: cache as unknown as KvCache,
		sampler: { tokens } as unknown as Sampler,
	});
	let logits = 0;
	const run = (budget: number): void => {
		const item = sequence.nextItem(budget);
		cache.length += item.tokens.length;
		const read = Array.from({ length: item.logits }, () => new Float32Array(1));
		logits += sequence.afterStep(read).length;
	};
	run(4);
	assert.equal(logits, 4);
	// Planned twice in vain: the cache is shorter by the token that makes the number even.
	sequence.nextItem(3);
	sequence.nextItem(3);
	while (cache.length < tokens.length) run(4);
	assert.equal(logits, 7);
});
