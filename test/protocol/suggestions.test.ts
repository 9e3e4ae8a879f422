/** Models proposed for computers of different sizes, from the real catalogue. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	chooseSuggestions,
	type MachineFacts,
	type ModelInfo,
	suggestionGroups,
	weightsOf,
} from '../../server/protocol/index.ts';

const model = (alias: string, more: Partial<ModelInfo> = {}): ModelInfo => ({
	id: `${alias}:1`,
	name: alias,
	version: '1',
	alias,
	displayName: alias,
	task: 'chat-completion',
	state: 'not-downloaded',
	origin: 'catalogue',
	publisher: 'p',
	license: 'mit',
	supportsToolCalling: false,
	...more,
});
const machine = (gigabytes: number, more: Partial<MachineFacts> = {}): MachineFacts => ({
	memoryBytes: gigabytes * 1e9,
	diskFreeBytes: 1e12,
	gpus: [],
	bytesPerSecond: 20e9,
	...more,
});
const all = [model('smollm2-135m'), model('qwen2.5-1.5b'), model('qwen3-4b'), model('phi-9-mini')];
const names = (facts: MachineFacts, models = all) =>
	chooseSuggestions(models, facts, 'chat-completion').models.map((each) => each.model.alias);

test('the number of weights is read from a name', () => {
	assert.equal(weightsOf('qwen2.5-1.5b'), 1.5e9);
	assert.equal(weightsOf('smollm2-135m'), 135e6);
	assert.equal(weightsOf('phi-9-mini'), undefined);
	assert.equal(weightsOf('qwen2.5-coder-3b-instruct'), 3e9);
});

test('a large computer gets the largest first; what has no known size is not proposed', () => {
	assert.deepEqual(names(machine(32)), ['qwen3-4b', 'qwen2.5-1.5b', 'smollm2-135m']);
});

test('memory, disk and speed each leave out what they do not allow', () => {
	assert.deepEqual(names(machine(4)), ['qwen2.5-1.5b', 'smollm2-135m']);
	assert.deepEqual(names(machine(32, { diskFreeBytes: 1.5e9 })), ['smollm2-135m']);
	assert.deepEqual(names(machine(32, { bytesPerSecond: 5e9 })), ['qwen2.5-1.5b', 'smollm2-135m']);
});

test('a size the hub has told goes before an estimate, and models that are here are left out', () => {
	const known = model('qwen3-4b', { sizeBytes: 2e9 });
	const here = model('smollm2-135m', { state: 'cached' });
	const [first, ...rest] = chooseSuggestions([known, here], machine(32), 'chat-completion').models;
	assert.equal(first?.sizeBytes, 2e9);
	assert.equal(first?.sizeIsEstimate, false);
	assert.equal(first?.tokensPerSecond, 10);
	assert.deepEqual(rest, []);
});

test('speech models are proposed for speech', () => {
	const models = [model('whisper-base', { task: 'automatic-speech-recognition' }), ...all];
	const [only, ...rest] = chooseSuggestions(
		models,
		machine(8),
		'automatic-speech-recognition',
	).models;
	assert.equal(only?.model.alias, 'whisper-base');
	assert.equal(only?.tokensPerSecond, undefined);
	assert.deepEqual(rest, []);
});

test('one is recommended that answers as fast as people read; the slowest are not first', () => {
	const grouped = (facts: MachineFacts, models: readonly ModelInfo[], languages: string[] = []) =>
		suggestionGroups(chooseSuggestions(models, facts, models[0]!.task).models, languages).map(
			({ group, suggestions }) => [group, ...suggestions.map((one) => one.model.alias)],
		);
	const slow = machine(32, { bytesPerSecond: 15e9 });
	assert.deepEqual(grouped(slow, [...all, model('qwen2.5-coder-0.5b')]), [
		['recommended', 'qwen2.5-1.5b'],
		['fast', 'smollm2-135m'],
		['code', 'qwen2.5-coder-0.5b'],
		['best', 'qwen3-4b'],
	]);
	const translation = (alias: string, ...languages: string[]) =>
		model(alias, { task: 'translation', languages });
	const pairs = [
		translation('opus-mt-en-fr', 'en', 'fr'),
		translation('opus-mt-en-de', 'en', 'de'),
		translation('m2m100-418m', 'en', 'de', 'fr'),
	];
	assert.deepEqual(grouped(slow, pairs, ['de-AT']), [
		['recommended', 'opus-mt-en-de'],
		['other', 'opus-mt-en-fr', 'm2m100-418m'],
	]);
});
