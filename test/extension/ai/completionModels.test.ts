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

test('models of engines elsewhere and base models are offered too, and need no download', () => {
	const found = completionModels([
		model('lab/qwen2.5-coder-7b', 'lab/qwen2.5-coder-7b', { state: 'remote' }),
		model('starcoder2-3b', 'starcoder2-3b', { task: 'text-generation', state: 'cached' }),
		model('qwen2.5-coder-0.5b', 'qwen2.5-coder-0.5b', { state: 'loading' }),
		model('lab/llama', 'lab/llama', { state: 'remote' }),
	]);
	assert.deepEqual(
		found.map(({ here }) => here?.id),
		['lab/qwen2.5-coder-7b', 'starcoder2-3b', 'qwen2.5-coder-0.5b'],
	);
});
