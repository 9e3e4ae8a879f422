/** Models that complete code: which they are, each once, and in which order. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completionModels } from '../../../extension/ai/completionModels.ts';
import type { ModelInfo } from '../../../server/protocol/index.ts';

const model = (id: string, alias: string, more: Partial<ModelInfo> = {}): ModelInfo =>
	({ id, alias, task: 'chat-completion', state: 'not-downloaded', ...more }) as ModelInfo;

test('a model that fills in the middle is offered once, one that is here first, then by size', () => {
	const found = completionModels([
		model('qwen2.5-coder-3b-cpu', 'qwen2.5-coder-3b', { sizeBytes: 3e9 }),
		model('qwen2.5-coder-0.5b-gpu', 'qwen2.5-coder-0.5b', { estimatedBytes: 5e8 }),
		model('qwen2.5-coder-0.5b-cpu', 'qwen2.5-coder-0.5b', { estimatedBytes: 5e8 }),
		model('qwen2.5-coder-1.5b-gpu', 'qwen2.5-coder-1.5b', { sizeBytes: 2e9 }),
		model('qwen2.5-coder-1.5b-cpu', 'qwen2.5-coder-1.5b', { sizeBytes: 2e9, state: 'cached' }),
		model('qwen3-0.6b', 'qwen3-0.6b', { state: 'loaded' }),
		model('opus-coder', 'qwen-coder-x', { task: 'translation' }),
	]);
	assert.deepEqual(
		found.map(({ alias, here }) => [alias, here?.id]),
		[
			['qwen2.5-coder-1.5b', 'qwen2.5-coder-1.5b-cpu'],
			['qwen2.5-coder-0.5b', undefined],
			['qwen2.5-coder-3b', undefined],
		],
	);
});
