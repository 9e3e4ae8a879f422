/** Exports that give logits of the last token only, or do not say which they give, answer as those that give all. */

import assert from 'node:assert/strict';
import { chmodSync, cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import {
	declareLogitsOf,
	flattenLogits,
	type LogitsDeclared,
	type PrunedForm,
	prunedForms,
	pruneHead,
} from '../fixtures/prunedHead.ts';
import { sharedFolder } from '../support/sharedData.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { type Answers, answers, assertSame } from './sameAnswers.ts';

const folder = temporaryFolder();
for (const attention of ['gqa', 'plain'] as const) {
	const published = writeDecoderModel(join(folder, attention), { attention });
	const graphOf = (model: string): string => join(model, 'onnx', 'model.onnx');
	const pruned = (form: PrunedForm, declared: LogitsDeclared = 'row'): string => {
		const copy = join(folder, `${attention}-${form}-${declared}`);
		cpSync(published, copy, { recursive: true });
		pruneHead(graphOf(copy), form, declared);
		return copy;
	};
	for (const plainRuntime of [false, true]) {
		const runtime = plainRuntime ? 'session.run' : 'the C API';
		let asPublished: Promise<Answers> | undefined;
		const publishedAnswers = () => (asPublished ??= answers(published, plainRuntime));
		test(`a head that sees the last token only gives what the whole one gives: ${attention}, ${runtime}`, async () => {
			const expected = await publishedAnswers();
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

		for (const declared of ['tokens', 'symbol', 'sizes', 'nothing'] as const)
			test(`one row is found out where the graph declares ${declared}: ${attention}, ${runtime}`, async () => {
				const expected = await publishedAnswers();
				for (const form of prunedForms) {
					const found = await answers(pruned(form, declared), plainRuntime);
					assertSame(found, expected);
					const notices = found.notices.join();
					if (form === 'computed') assert.match(notices, /not guessed: .*the last one only/);
					else assert.equal(notices, '', form);
				}
			});

		test(`a whole head is found out where the graph does not say it: ${attention}, ${runtime}`, async () => {
			const expected = await publishedAnswers();
			for (const declared of ['symbol', 'sizes', 'nothing'] as const) {
				const copy = join(folder, `${attention}-whole-${declared}`);
				cpSync(published, copy, { recursive: true });
				declareLogitsOf(graphOf(copy), declared);
				const found = await answers(copy, plainRuntime);
				assertSame(found, expected);
				assert.deepEqual(found.notices, []);
				assert.equal(found.drafted > 0, expected.drafted > 0);
			}
		});

		test(`logits of all tokens may be one list: ${attention}, ${runtime}`, async () => {
			const list = join(folder, `${attention}-list-${plainRuntime}`);
			cpSync(published, list, { recursive: true });
			flattenLogits(graphOf(list));
			const expected = await publishedAnswers();
			const found = await answers(list, plainRuntime);
			assertSame(found, expected);
			assert.deepEqual(found.notices, [
				'The graph is not prepared: the logits do not come from one matrix product.',
			]);
			assert.equal(found.drafted > 0, expected.drafted > 0);
		});

		test(`logits of no known form are refused in words: ${attention}, ${runtime}`, async () => {
			const contradicts = join(folder, `${attention}-contradicts-${plainRuntime}`);
			cpSync(published, contradicts, { recursive: true });
			declareLogitsOf(graphOf(contradicts), 'row');
			await assert.rejects(answers(contradicts, plainRuntime), {
				code: 'unsupported_model',
				message: /declares logits of the shape \[\?, 1, 320\] and gives \[1, 3, 320\]: export/,
			});
			for (const declared of ['tokens', 'symbol', 'nothing'] as const)
				await assert.rejects(answers(pruned('two', declared), plainRuntime), {
					code: 'unsupported_model',
					message: /logits for 3 tokens have the shape \[1, 2, 320\].*export the model/,
				});
		});
	}
}

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
			const others = found.notices.filter((notice) => !notice.includes("Nearglot's own kernel"));
			assert.deepEqual(others, []);
		}
	});
}
