/** A shortlist makes steps cheaper and translations no different. */

import assert from 'node:assert/strict';
import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { EngineModel } from '../../server/engine/api.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import { learnShortlist } from '../../server/engine/learnShortlist.ts';
import { describeModel } from '../../server/engine/modelFiles/describe.ts';
import { readHeadWeights } from '../../server/engine/seq2seq/headWeights.ts';
import {
	changedShare,
	learnLexicon,
	lexiconFile,
	readLexicon,
	shortlistOf,
	writeLexicon,
} from '../../server/engine/seq2seq/lexicon.ts';
import { openEncoderDecoder } from '../../server/engine/seq2seq/openEncoderDecoder.ts';
import { loadTextModel } from '../../server/engine/text/textModel.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';
import { GraphBuilder } from '../fixtures/graphBuilder.ts';
import { tinyTranslation, writeTranslationModel } from '../fixtures/translationModel.ts';
import { sharedFolder } from '../support/sharedData.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const folder = temporaryFolder();
const texts = ['one', 'two words', 'three more words', 'and a longer line of text'];

async function translate(engine: EngineModel, beams: number): Promise<string[]> {
	const { outputs } = await engine.seq2seq({
		items: texts.map((text) => ({ text })),
		beams,
		maxTokens: 10,
		priority: 'batch',
	});
	return outputs.map(({ tokenIds }) => tokenIds.join());
}

const kinds = [
	{ kind: 'float32', shape: tinyTranslation, suffix: '' },
	{ kind: '4-bit', shape: { ...tinyTranslation, block: 32 }, suffix: '_q4' },
	{ kind: 'int8', shape: { ...tinyTranslation, int8: true }, suffix: '_quantized' },
];

for (const { kind, shape, suffix } of kinds) {
	test(`translations over a shortlist are those over all words (${kind} head)`, async () => {
		const model = writeTranslationModel(join(folder, `model-${kind}`), shape);
		const engine = await loadEngine({ folder: model, threads: 1 });
		const expected = await translate(engine, 1);
		await engine.close();
		const used = new Set(expected.flatMap((ids) => ids.split(',').map(Number)));
		// The words of the answers and some others.
		const frequent = [...new Set([...used, 1, 2, 3, 50, 60, 70, 318])].slice(0, 75);
		const text = await loadTextModel(model);
		const sources = texts.flatMap((line) => text.encode(line));
		await writeLexicon(model, {
			vocabulary: 320,
			frequent,
			targets: new Map(sources.map((id) => [id, []])),
			changed: 0,
			texts: 9,
		});
		const short = await loadEngine({ folder: model, threads: 1 });
		assert.deepEqual(await translate(short, 1), expected);
		const { notices = [] } = await short.stats();
		assert.deepEqual(
			notices.filter(({ message }) => message.includes('is not rewritten')),
			[],
		);
		// With other words than those, the shortlist shows that it is used at all.
		const beams = await translate(short, 3);
		assert.ok(
			beams.every((ids) =>
				ids.split(',').every((id) => frequent.includes(Number(id)) || id === '257'),
			),
		);
		await short.close();
		const [first = 0] = [...used];
		await writeLexicon(model, {
			vocabulary: 320,
			frequent: frequent.filter((id) => id !== first),
			targets: new Map(sources.map((id) => [id, []])),
			changed: 0,
			texts: 9,
		});
		const without = await loadEngine({ folder: model, threads: 1 });
		assert.ok(
			(await translate(without, 1)).every((ids) => !ids.split(',').includes(String(first))),
		);
		await without.close();
		const off = await loadEngine({ folder: model, threads: 1, vocabularyShortlist: false });
		assert.deepEqual(await translate(off, 1), expected);
		await off.close();
	});

	test(`the columns of chosen words give the logits of those words (${kind} head)`, async () => {
		const model = writeTranslationModel(join(folder, `head-${kind}`), shape);
		const path = join(model, 'onnx', `decoder_model${suffix}.onnx`);
		const head = await readHeadWeights(path);
		assert.ok(head !== undefined);
		const ids = [3, 7, 200, 319];
		const { weights, width, tokens: words } = head.columns(ids);
		assert.deepEqual([width, words, weights.length], [64, 4, 256]);
		const all = head.columns(Array.from({ length: 320 }, (_, id) => id));
		for (let row = 0; row < 64; row++) {
			for (const [column, id] of ids.entries()) {
				assert.equal(weights[row * 4 + column], all.weights[row * 320 + id]);
			}
		}
	});
}

test('the built-in model, whose decoder is one merged graph, translates over a shortlist as without', async () => {
	const model = join(folder, 'merged');
	cpSync(fileURLToPath(new URL('../../starter/models/starter-translate', import.meta.url)), model, {
		recursive: true,
	});
	const items = ['The file could not be saved.', 'Open the settings.'].map((text) => ({
		text,
		sourceLanguage: 'en',
		targetLanguage: 'de',
	}));
	const run = async (vocabularyShortlist: boolean) => {
		const engine = await loadEngine({ folder: model, threads: 1, vocabularyShortlist });
		const { outputs } = await engine.seq2seq({ items, beams: 1, priority: 'batch' });
		await engine.close();
		return outputs;
	};
	const expected = await run(false);
	const used = new Set(expected.flatMap(({ tokenIds }) => tokenIds));
	const sources = new Set(Array.from({ length: 6000 }, (_, id) => id));
	const write = (frequent: number[]) =>
		writeLexicon(model, {
			vocabulary: 6000,
			frequent,
			targets: new Map([...sources].map((id) => [id, []])),
			changed: 0,
			texts: 9,
		});
	await write([...used, 11, 12, 13, 4000]);
	const short = await run(true);
	assert.deepEqual(
		short.map(({ text }) => text),
		expected.map(({ text }) => text),
	);
	const dropped = expected[0]?.tokenIds[1] ?? 0;
	await write([...used, 11, 12].filter((id) => id !== dropped));
	assert.ok((await run(true)).every(({ tokenIds }) => !tokenIds.includes(dropped)));
});

test('words that go with a source word are learned, also beside frequent ones', () => {
	const pairs = Array.from({ length: 200 }, (_, k) => ({
		source: [1000 + (k % 20), 5],
		target: [2000 + (k % 20), 9],
	}));
	const lexicon = learnLexicon(pairs, 4000);
	assert.ok(lexicon.frequent.includes(9));
	const words = shortlistOf({ ...lexicon, frequent: [9] }, [[1003, 5]], [2]);
	assert.ok(words.includes(2003) || lexicon.frequent.includes(2003));
	assert.ok(words.includes(2));
	assert.equal(changedShare(lexicon, pairs, []), 0);
	const other = [{ source: [1003, 5], target: [3999] }];
	assert.equal(changedShare(lexicon, other, []), 1);
	// A source word that was never seen is translated with all words, so nothing changes.
	assert.equal(changedShare(lexicon, [{ source: [77], target: [3999] }], []), 0);
});

test('a table that changes too much, or is of another vocabulary, is not used; a broken one is named', async () => {
	const model = writeTranslationModel(join(folder, 'table'));
	const lexicon = {
		vocabulary: 320,
		frequent: [1],
		targets: new Map([[4, [5]]]),
		changed: 0.005,
		texts: 100,
	};
	await writeLexicon(model, lexicon);
	assert.deepEqual(await readLexicon(model, 320), lexicon);
	assert.equal(await readLexicon(model, 321), undefined);
	await writeLexicon(model, { ...lexicon, changed: 0.02 });
	assert.equal(await readLexicon(model, 320), undefined);
	writeFileSync(join(model, lexiconFile), '{"targets": 3');
	await assert.rejects(readLexicon(model, 320), { code: 'unsupported_model' });
});

test('a table is learned from the translations of a model and checked on texts it has not seen', async () => {
	const model = writeTranslationModel(join(folder, 'learned'));
	const lines = Array.from({ length: 60 }, (_, k) => `line ${k % 6}`);
	const report = await learnShortlist({ folder: model, texts: lines, threads: 1 });
	assert.equal(report.texts, 60);
	assert.equal(existsSync(join(model, lexiconFile)), report.written);
	assert.equal(report.written, report.changed <= 0.01);
	await assert.rejects(learnShortlist({ folder: model, texts: ['a'] }), {
		code: 'invalid_request',
	});
});

test('no table is learned for a model whose head cannot be cut', async () => {
	const model = writeTranslationModel(join(folder, 'uncut'));
	const g = new GraphBuilder(join(model, 'onnx', 'decoder_with_past_model.onnx'));
	g.node('Softmax', [g.input('input_ids', 'float32', ['batch', 320])], {}, 'logits');
	g.output('logits', 'float32', ['batch', 320]);
	g.save();
	const lines = Array.from({ length: 60 }, (_, k) => `line ${k}`);
	await assert.rejects(learnShortlist({ folder: model, texts: lines, threads: 1 }), {
		code: 'unsupported_model',
		message: /decoder_with_past_model\.onnx/,
	});
	assert.equal(existsSync(join(model, lexiconFile)), false);
});

for (const name of ['marian-tjs', 'm2m100-tjs']) {
	for (const precision of ['fp32', 'q8', 'q4']) {
		if (name === 'm2m100-tjs' && precision === 'q4') continue;
		const { path, skip } = sharedFolder(`models-tiny/${name}`);
		test(`${name} ${precision}: the columns of some words give their logits`, {
			skip,
		}, async () => {
			const copy = join(folder, `${name}-${precision}`);
			cpSync(path, copy, { recursive: true });
			const description = await describeModel(copy);
			const variant = description.variants.find((one) => one.precision === precision);
			assert.ok(variant);
			await writeLexicon(copy, {
				vocabulary: description.vocabularySize,
				frequent: [1],
				targets: new Map([[4, [5]]]),
				changed: 0,
				texts: 9,
			});
			const runtime = await openRuntime();
			const session = { threads: 1 };
			const model = await openEncoderDecoder({ description, variant, runtime, session });
			try {
				assert.ok(model.shortlist);
				const ids = [0, 3, 7, 200, 999];
				const columns = model.shortlist.head.columns(ids);
				const dims = [1, 8];
				const tokens = BigInt64Array.from([5, 60, 7, 88, 9, 100, 11, 2], BigInt);
				const encoded = await model.encode({
					input_ids: { type: 'int64', dims, data: tokens },
					attention_mask: { type: 'int64', dims, data: new BigInt64Array(8).fill(1n) },
				});
				const [all, some] = [model.start(encoded), model.start(encoded, { columns })];
				const full = (await all.feed([[2, 30, 4]])).logits(0);
				const short = (await some.feed([[2, 30, 4]])).logits(0);
				const size = Math.max(...ids.map((id) => Math.abs(full[id] as number)));
				for (const [place, id] of ids.entries()) {
					const off = Math.abs((short[place] as number) - (full[id] as number));
					assert.ok(off < (precision === 'fp32' ? 1e-5 : 0.03) * size, `${id}: ${off} of ${size}`);
				}
				all.release();
				some.release();
			} finally {
				model.close();
			}
		});
	}
}
