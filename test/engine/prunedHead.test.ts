/** Exports that give the logits of the last token only answer as those that give all. */

import assert from 'node:assert/strict';
import { chmodSync, cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { GenerateRequest } from '../../server/engine/api.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { type PrunedForm, prunedForms, pruneHead } from '../fixtures/prunedHead.ts';
import { sharedFolder } from './sharedData.ts';
import { temporaryFolder, tokensRequest } from './support.ts';

const folder = temporaryFolder();
const prompts = [
	[5, 9, 40, 77, 12, 60, 33],
	[5, 9, 40, 5, 9, 40, 5, 9],
	[200, 3],
];

interface Answers {
	/** Of requests that ran at the same time. */
	readonly tokens: readonly (readonly number[])[];
	/** Of the tokens of a prompt. */
	readonly logprobs: readonly number[];
	readonly drafted: number;
	readonly notices: readonly string[];
}

async function answers(model: string, plainRuntime: boolean): Promise<Answers> {
	const engine = await loadEngine({ folder: model, threads: 1, plainRuntime });
	try {
		const ask = (tokens: readonly number[], more: Partial<GenerateRequest> = {}) =>
			engine.generate(tokensRequest(tokens, more), () => undefined);
		const results = await Promise.all(prompts.map((prompt) => ask(prompt)));
		const read = await ask(prompts[0] as number[], { maxTokens: 0, echoLogprobs: true });
		const { notices = [], draftedTotal } = await engine.stats();
		return {
			tokens: results.map(({ choices }) => choices[0]?.tokenIds ?? []),
			logprobs: (read.promptLogprobs ?? []).map(({ logprob }) => logprob),
			drafted: draftedTotal,
			notices: notices
				.map(({ message }) => message)
				.filter((notice) => !notice.includes('session.run')),
		};
	} finally {
		await engine.close();
	}
}

function assertSame(actual: Answers, expected: Answers): void {
	assert.deepEqual(actual.tokens, expected.tokens);
	assert.equal(expected.logprobs.length, (prompts[0]?.length ?? 0) - 1);
	assert.equal(actual.logprobs.length, expected.logprobs.length);
	for (const [index, value] of expected.logprobs.entries())
		assert.ok(Math.abs(value - (actual.logprobs[index] as number)) < 1e-3, `${index}: ${value}`);
}

for (const attention of ['gqa', 'plain'] as const) {
	const published = writeDecoderModel(join(folder, attention), { attention });
	const graphOf = (model: string): string => join(model, 'onnx', 'model.onnx');
	const pruned = (form: PrunedForm, declared = true): string => {
		const copy = join(folder, `${attention}-${form}-${declared}`);
		cpSync(published, copy, {
			recursive: true,
			filter: (path) => !path.includes('.prepared-'),
		});
		pruneHead(graphOf(copy), form, declared);
		return copy;
	};
	for (const plainRuntime of [false, true]) {
		const runtime = plainRuntime ? 'session.run' : 'the C API';
		test(`a head that sees the last token only gives what the whole one gives: ${attention}, ${runtime}`, async () => {
			const expected = await answers(published, plainRuntime);
			assert.deepEqual(expected.notices, []);
			for (const form of prunedForms) {
				const found = await answers(pruned(form), plainRuntime);
				assertSame(found, expected);
				// An index that is computed stays: the graph runs as published, without guesses.
				if (form !== 'computed') {
					assert.deepEqual(found.notices, [], form);
					assert.equal(found.drafted > 0, expected.drafted > 0);
					continue;
				}
				assert.equal(found.drafted, 0);
				assert.match(found.notices.join(), /not prepared: it selects the last token/);
				assert.match(found.notices.join(), /not guessed: .*the last one only/);
			}
		});
	}
}

test('that a head sees the last token only is found out where the graph does not say it', async () => {
	const model = writeDecoderModel(join(folder, 'whole'), { attention: 'gqa' });
	const expected = await answers(model, false);
	for (const form of ['unsqueezed', 'computed'] as const) {
		const silent = writeDecoderModel(join(folder, `silent-${form}`), { attention: 'gqa' });
		pruneHead(join(silent, 'onnx', 'model.onnx'), form, false);
		const found = await answers(silent, false);
		assertSame(found, expected);
		const refused = /not rewritten for logits where asked: it does not run/;
		if (form === 'computed') assert.match(found.notices.join(), refused);
		else assert.deepEqual(found.notices, []);
	}
});

for (const name of [
	'qwen2-genai-int4',
	'llama3-genai-int4',
	'phi3-genai-int4',
	'gemma3-genai-int4-windowed',
]) {
	const { path, skip } = sharedFolder(`models-tiny/${name}`);
	test(`${name}: pruned as its builder prunes, the same answers`, { skip }, async () => {
		const copies = ['whole', 'pruned'].map((kind) => join(folder, `${name}-${kind}`));
		for (const copy of copies) {
			cpSync(path, copy, { recursive: true });
			for (const each of [copy, ...readdirSync(copy).map((file) => join(copy, file))])
				chmodSync(each, 0o755);
		}
		const [whole = '', pruned = ''] = copies;
		pruneHead(join(pruned, 'model.onnx'), 'unsqueezed');
		for (const plainRuntime of [false, true]) {
			const found = await answers(pruned, plainRuntime);
			assertSame(found, await answers(whole, plainRuntime));
			assert.deepEqual(found.notices, []);
		}
	});
}
