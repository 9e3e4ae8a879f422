import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ModelInfo, readyChatModels } from '../../server/protocol/index.ts';

const model = (id: string, more: Partial<ModelInfo>) =>
	({ id, task: 'chat-completion', state: 'cached', origin: 'local', ...more }) as ModelInfo;

test('what was downloaded answers before the built-in model, even a loaded and pinned one, and a team last', () => {
	const models = [
		model('team', { origin: 'team', state: 'loaded' }),
		model('built-in', { origin: 'built-in', state: 'loaded', pinned: true }),
		model('downloaded', { origin: 'catalogue' }),
		model('pinned', { pinned: true }),
		model('loading', { state: 'loading' }),
		model('loaded', { state: 'loaded' }),
		model('to be had', { state: 'available' as ModelInfo['state'] }),
		model('speech', { task: 'automatic-speech-recognition', state: 'loaded' }),
	];
	assert.deepEqual(
		readyChatModels(models).map(({ id }) => id),
		['loaded', 'loading', 'pinned', 'downloaded', 'built-in', 'team'],
	);
});
