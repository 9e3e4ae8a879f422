/** Decoders of translation give the logits that they are seen to give, whatever they declare. */

import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadEngine } from '../../server/engine/engine.ts';
import {
	declareLogitsOf,
	flattenLogits,
	type LogitsDeclared,
	type PrunedForm,
	prunedForms,
	pruneHead,
} from '../fixtures/prunedHead.ts';
import { writeTranslationModel } from '../fixtures/translationModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const folder = temporaryFolder();
const published = writeTranslationModel(join(folder, 'published'));
const graphs = ['decoder_model', 'decoder_with_past_model'] as const;
type GraphName = (typeof graphs)[number];

let made = 0;
function changed(change: (path: string) => void, names: readonly GraphName[] = graphs): string {
	const copy = join(folder, `changed-${made++}`);
	cpSync(published, copy, { recursive: true });
	for (const name of names) change(join(copy, 'onnx', `${name}.onnx`));
	return copy;
}

const pruned = (form: PrunedForm, declared: LogitsDeclared, names?: readonly GraphName[]): string =>
	changed((path) => pruneHead(path, form, declared), names);

/** The tokens of texts read together; the prompt of each begins with tokens that are given. */
async function tokensOf(model: string, plainRuntime: boolean): Promise<readonly string[]> {
	const engine = await loadEngine({ folder: model, threads: 1, plainRuntime });
	try {
		const items = ['one', 'another sentence', 'the third'].map((text) => ({ text }));
		const request = { items, beams: 2, maxTokens: 12, priority: 'interactive' as const };
		const { outputs } = await engine.seq2seq(request);
		return outputs.map(({ tokenIds }) => tokenIds.join());
	} finally {
		await engine.close();
	}
}

for (const plainRuntime of [false, true]) {
	const runtime = plainRuntime ? 'session.run' : 'the C API';

	test(`a decoder with a head for the last token translates as the whole one: ${runtime}`, async () => {
		const expected = await tokensOf(published, plainRuntime);
		assert.equal(new Set(expected).size, 3);
		for (const form of prunedForms)
			for (const declared of ['row', 'tokens', 'nothing'] as const) {
				const found = await tokensOf(pruned(form, declared), plainRuntime);
				assert.deepEqual(found, expected, `${form} declared as ${declared}`);
			}
	});

	test(`each of two decoders has its own form of logits: ${runtime}`, async () => {
		const expected = await tokensOf(published, plainRuntime);
		for (const name of graphs)
			for (const model of [pruned('flat', 'sizes', [name]), changed(flattenLogits, [name])])
				assert.deepEqual(await tokensOf(model, plainRuntime), expected, name);
	});

	test(`a whole head is found out where the graph does not say it: ${runtime}`, async () => {
		const expected = await tokensOf(published, plainRuntime);
		for (const declared of ['symbol', 'sizes', 'nothing'] as const) {
			const model = changed((path) => declareLogitsOf(path, declared));
			assert.deepEqual(await tokensOf(model, plainRuntime), expected, declared);
		}
	});

	test(`a decoder whose logits have no known form is refused in words: ${runtime}`, async () => {
		const contradicts = changed((path) => declareLogitsOf(path, 'row'));
		await assert.rejects(tokensOf(contradicts, plainRuntime), {
			code: 'unsupported_model',
			message: /declares logits of the shape \[\?, 1, 320\] and gives \[1, 3, 320\]: export/,
		});
		await assert.rejects(tokensOf(pruned('two', 'tokens'), plainRuntime), {
			code: 'unsupported_model',
			message: /logits for 3 tokens have the shape \[1, 2, 320\].*export the model/,
		});
	});
}
