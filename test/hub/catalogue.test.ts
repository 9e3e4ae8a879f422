import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	bundledCatalogue,
	catalogueEntries,
	type Device,
	parseCatalogue,
	resolveEntry,
	similarNames,
} from '../../server/hub/catalogue.ts';

const entries = catalogueEntries(bundledCatalogue());
const cpu = { devices: new Set<Device>(['CPU']) };
const gpu = { devices: new Set<Device>(['GPU', 'CPU']) };

test('the bundled catalogue has every family, both layouts and unique ids', () => {
	assert.equal(new Set(entries.map((entry) => entry.id)).size, entries.length);
	for (const alias of [
		'qwen2.5-0.5b',
		'qwen2.5-coder-0.5b',
		'qwen3-0.6b',
		'smollm2-135m',
		'llama-3.2-1b',
		'phi-3.5-mini',
		'phi-4-mini',
		'gemma-3-1b',
		'deepseek-r1-1.5b',
		'whisper-tiny',
		'whisper-large-v3-turbo',
		'moonshine-tiny',
		'opus-mt-en-de',
		'm2m100-418m',
		'nllb-200-600m',
		'all-minilm-l6-v2',
		'bge-small-en-v1.5',
		'nomic-embed-text-v1.5',
		'bge-reranker-base',
		'bge-reranker-v2-m3',
		'jina-reranker-v1-turbo-en',
	])
		assert.ok(resolveEntry(entries, alias, cpu), alias);
	assert.ok(
		entries.some((entry) => entry.variant.subfolder !== undefined),
		'a genai layout',
	);
	assert.match(
		resolveEntry(entries, 'nllb-200-600m', cpu)?.model.licenseDescription ?? '',
		/commercial/,
	);
});

test('nothing that cannot be known offline is in the bundled file', () => {
	for (const { id, variant } of entries) {
		assert.equal(variant.sizeBytes, undefined, id);
		assert.equal(variant.commit, undefined, id);
	}
});

test('names resolve by id, by id without version, by alias for the devices there are', () => {
	const id = 'qwen2.5-0.5b-instruct-generic-cpu:1';
	assert.equal(resolveEntry(entries, id.toUpperCase(), gpu)?.id, id);
	assert.equal(resolveEntry(entries, 'qwen2.5-0.5b-instruct-generic-cpu', gpu)?.id, id);
	assert.equal(resolveEntry(entries, 'qwen2.5-0.5b', cpu)?.id, id);
	assert.equal(resolveEntry(entries, 'qwen2.5-0.5b', gpu)?.variant.device, 'GPU');
	assert.equal(resolveEntry(entries, 'qwen2.5-0.5b', { ...gpu, device: 'CPU' })?.id, id);
	assert.equal(
		resolveEntry(entries, 'phi-4-mini', gpu)?.variant.device,
		'CPU',
		'no CUDA, no CUDA variant',
	);
	assert.match(resolveEntry(entries, 'phi-4-mini', { ...gpu, cuda: true })?.id ?? '', /cuda-gpu/);
	assert.equal(resolveEntry(entries, 'nothing', gpu), undefined);
});

test('the highest version of a name wins', () => {
	const variant = {
		device: 'CPU',
		executionProvider: 'CPUExecutionProvider',
		repository: 'a/b',
	} as const;
	const two = catalogueEntries(
		parseCatalogue({
			models: [
				{
					alias: 'x',
					displayName: 'X',
					task: 'chat-completion',
					publisher: 'p',
					license: 'mit',
					variants: [
						{ ...variant, name: 'x-cpu', version: 2 },
						{ ...variant, name: 'x-cpu', version: 10 },
					],
				},
			],
		}),
	);
	assert.equal(resolveEntry(two, 'x-cpu', cpu)?.id, 'x-cpu:10');
	assert.equal(resolveEntry(two, 'x', cpu)?.id, 'x-cpu:10');
});

test('a misspelt name finds its neighbours', () => {
	assert.ok(similarNames(entries, 'qwen2-5-coder').includes('qwen2.5-coder-0.5b'));
});

test('a damaged catalogue names the entry at fault', () => {
	const good = bundledCatalogue().models[0];
	assert.throws(() => parseCatalogue({ models: [{ ...good, publisher: 1 }] }), /has no publisher/);
	assert.throws(() => parseCatalogue({ models: [good, good] }), /repeats/);
	assert.throws(() => parseCatalogue(null), /no list/);
});
