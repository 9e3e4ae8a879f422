/** Encoder-decoders: caches, batches, beams and cancelling give what plain decoding gives. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { EngineModel } from '../../server/engine/api.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import { gatherSequences } from '../../server/engine/kv/gatherSequences.ts';
import { describeModel } from '../../server/engine/modelFiles/describe.ts';
import { generationSettings } from '../../server/engine/modelFiles/generationSettings.ts';
import { BeamItem } from '../../server/engine/seq2seq/beamItem.ts';
import type { EncodedBatch, EncoderDecoder } from '../../server/engine/seq2seq/encoderDecoder.ts';
import { openEncoderDecoder } from '../../server/engine/seq2seq/openEncoderDecoder.ts';
import type { SearchOptions } from '../../server/engine/seq2seq/searchOptions.ts';
import { Translator } from '../../server/engine/seq2seq/translator.ts';
import { loadTextModel } from '../../server/engine/text/textModel.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';
import { difference } from '../../server/engine/verify/readings.ts';
import { byteTokenizer } from '../fixtures/tokenizerFiles.ts';
import { writeTranslationModel } from '../fixtures/translationModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const folder = writeTranslationModel(join(temporaryFolder(), 'split'));
const starter = fileURLToPath(new URL('../../starter/models/starter-translate', import.meta.url));
let engine: EngineModel;
let builtIn: EngineModel;

before(async () => {
	engine = await loadEngine({ folder, threads: 1 });
	builtIn = await loadEngine({ folder: starter, threads: 1 });
});
after(async () => {
	await engine.close();
	await builtIn.close();
});

async function openModel(plain: boolean): Promise<EncoderDecoder> {
	const description = await describeModel(folder);
	const variant = description.variants[0];
	assert.ok(variant);
	return openEncoderDecoder({
		description,
		variant,
		runtime: await openRuntime(plain),
		session: { threads: 1 },
	});
}

function encode(
	model: EncoderDecoder,
	rows: readonly (readonly number[])[],
): Promise<EncodedBatch> {
	const width = Math.max(...rows.map(({ length }) => length));
	const ids = new BigInt64Array(rows.length * width);
	const mask = new BigInt64Array(rows.length * width);
	for (const [row, tokens] of rows.entries()) {
		for (const [column, token] of tokens.entries()) {
			ids[row * width + column] = BigInt(token);
			mask[row * width + column] = 1n;
		}
	}
	const dims = [rows.length, width];
	return model.encode({
		input_ids: { type: 'int64', dims, data: ids },
		attention_mask: { type: 'int64', dims, data: mask },
	});
}

for (const plain of [false, true]) {
	test(`cached steps equal reading everything again (${plain ? 'session.run' : 'C API'})`, async () => {
		const model = await openModel(plain);
		const encoded = await encode(model, [
			[5, 6, 7, 8],
			[9, 10, 11, 12, 13, 14, 15],
		]);
		const tokens = [
			[258, 3, 70, 44, 9],
			[258, 8, 33, 2, 100],
		];
		const run = model.start(encoded);
		for (let length = 1; length <= 5; length++) {
			const output = await run.feed(tokens.map((row) => [row[length - 1] as number]));
			const whole = model.start(encoded);
			const again = await whole.feed(tokens.map((row) => row.slice(0, length)));
			for (const row of [0, 1]) {
				assert.ok(difference(again.logits(row), output.logits(row)) < 1e-4);
				if (length > 1) assert.ok(difference(again.logits(row, 0), again.logits(row)) > 1e-3);
			}
			whole.release();
		}
		assert.equal(run.length, 5);
		run.release();
		model.close();
	});
}

test('rows that are reordered, repeated and dropped continue as their parents', async () => {
	const model = await openModel(false);
	const encoded = await encode(model, [
		[5, 6, 7],
		[9, 10, 11, 12, 13],
	]);
	const run = model.start(encoded, { sequencesPerItem: 2 });
	assert.deepEqual(run.itemOfSequence, [0, 0, 1, 1]);
	await run.feed([[258], [258], [258], [258]]);
	await run.feed([[1], [2], [3], [4]]);
	run.select([1, 1, 3]);
	assert.deepEqual(run.itemOfSequence, [0, 0, 1]);
	const output = await run.feed([[7], [8], [9]]);
	const expected: [number, number[]][] = [
		[0, [258, 2, 7]],
		[0, [258, 2, 8]],
		[1, [258, 4, 9]],
	];
	for (const [row, [item, tokens]] of expected.entries()) {
		const alone = await encode(model, [item === 0 ? [5, 6, 7] : [9, 10, 11, 12, 13]]);
		const single = model.start(alone);
		const result = await single.feed([tokens]);
		assert.ok(difference(result.logits(0), output.logits(row)) < 1e-4, `row ${row}`);
		single.release();
	}
	run.release();
	model.close();
});

test('a cancelled step can be made again', async () => {
	const model = await openModel(false);
	const run = model.start(await encode(model, [[5, 6, 7]]));
	await run.feed([[258]]);
	const controller = new AbortController();
	controller.abort();
	await assert.rejects(run.feed([[4]], controller.signal), { code: 'cancelled' });
	assert.equal(run.length, 1);
	assert.equal((await run.feed([[4]])).tokens, 1);
	assert.equal(run.length, 2);
	await assert.rejects(run.feed([[1], [2]]), { code: 'internal' });
	run.release();
	model.close();
});

test('rows are gathered in place in any order', () => {
	const rows = (data: ArrayLike<number>): number[] =>
		Array.from(data).filter((_, k) => k % 2 === 0);
	const make = (): Float32Array => Float32Array.from([0, 0, 1, 1, 2, 2, 3, 3]);
	for (const parents of [
		[3, 2, 1, 0],
		[1, 1, 1, 1],
		[0, 2],
		[2, 0, 3, 1],
		[1, 3],
	]) {
		const result = gatherSequences(make(), 'float32', 2, parents) as Float32Array;
		assert.deepEqual(rows(result.subarray(0, parents.length * 2)), parents);
	}
	assert.deepEqual(
		rows(gatherSequences(make(), 'float32', 2, [0, 0, 1, 1, 2, 3]) as Float32Array),
		[0, 0, 1, 1, 2, 3],
	);
});

const texts = ['a', 'hello world', 'one two three four', 'xyz', 'some more text here', 'b c d'];
const item = (text: string) => ({ text });

test('texts translated together equal texts translated alone, greedy and with beams', async () => {
	for (const beams of [1, 4]) {
		const request = { beams, maxTokens: 20, priority: 'interactive' } as const;
		const alone = [];
		for (const text of texts) {
			alone.push(...(await engine.seq2seq({ items: [item(text)], ...request })).outputs);
		}
		const whole = await engine.seq2seq({ items: texts.map(item), ...request });
		const calls = await Promise.all(
			texts.map((text) => engine.seq2seq({ items: [item(text)], ...request, priority: 'batch' })),
		);
		assert.deepEqual(
			whole.outputs.map(({ tokenIds }) => tokenIds),
			alone.map(({ tokenIds }) => tokenIds),
		);
		assert.deepEqual(
			calls.map(({ outputs }) => outputs[0]?.tokenIds),
			alone.map(({ tokenIds }) => tokenIds),
		);
		assert.ok(new Set(alone.map(({ tokenIds }) => tokenIds.join())).size > 3, 'the texts differ');
	}
});

test('more beams never find a worse text than one beam among finished ones', async () => {
	const one = await engine.seq2seq({
		items: [item('hello')],
		beams: 1,
		maxTokens: 12,
		priority: 'batch',
	});
	const five = await engine.seq2seq({
		items: [item('hello')],
		beams: 5,
		alternatives: 4,
		lengthPenalty: 0,
		maxTokens: 12,
		priority: 'batch',
	});
	const sum = ({ score, tokenIds }: { score: number; tokenIds: readonly number[] }) =>
		score * tokenIds.length;
	const [greedy, best] = [one.outputs[0], five.outputs[0]];
	assert.ok(greedy && best);
	assert.ok(sum(best) >= sum(greedy) - 1e-6);
	assert.equal(best.alternatives?.length, 4);
});

test('beam search keeps finished and running hypotheses apart', () => {
	const options: SearchOptions = {
		beams: 2,
		maxLength: 4,
		minLength: 0,
		lengthPenalty: 1,
		earlyStopping: false,
		endTokens: [0],
		forcedBegin: undefined,
		forcedEnd: undefined,
		badSequences: [],
		suppressTokens: [],
		beginSuppressTokens: [],
		repetitionPenalty: 1,
		noRepeatNgram: 0,
		renormalise: false,
	};
	const row = (...probabilities: number[]) => ({
		logits: Float32Array.from(probabilities, Math.log),
		attention: undefined,
	});
	const search = new BeamItem([9], options);
	assert.deepEqual(search.advance([row(0.4, 0.35, 0.25), row(0.4, 0.35, 0.25)]), [0, 0]);
	assert.deepEqual(
		search.results.map(({ ids }) => ids),
		[[9, 0]],
	);
	assert.deepEqual(
		search.beams.map(({ ids }) => ids),
		[
			[9, 1],
			[9, 2],
		],
	);
	assert.deepEqual(search.advance([row(0.9, 0.05, 0.05), row(0.1, 0.1, 0.8)]), [1, 1]);
	const best = search.results[0];
	assert.deepEqual(best?.ids, [9, 1, 0]);
	assert.ok(Math.abs((best?.score ?? 0) - Math.log(0.35 * 0.9) / 2) < 1e-6);
	search.advance([row(0.5, 0.3, 0.2), row(0.5, 0.3, 0.2)]);
	assert.ok(search.done);
});

test('the length limit ends a text and says so; too long a source says by how much', async () => {
	const cut = await engine.seq2seq({
		items: [item('hello world')],
		beams: 1,
		maxTokens: 2,
		priority: 'batch',
	});
	assert.ok((cut.outputs[0]?.tokenIds.length ?? 0) <= 2);
	assert.ok(['length', 'stop'].includes(cut.outputs[0]?.reason ?? ''));
	await assert.rejects(
		engine.seq2seq({ items: [item('ok'), item('x'.repeat(500))], priority: 'batch' }),
		(error: unknown) =>
			error instanceof Error && /Text 2 has 500 tokens; this model reads 128/.test(error.message),
	);
	await assert.rejects(engine.seq2seq({ items: [item('a')], beams: 99, priority: 'batch' }), {
		code: 'invalid_request',
	});
	await assert.rejects(engine.seq2seq({ items: [item('a')], alignment: true, priority: 'batch' }), {
		code: 'unsupported_parameter',
	});
});

test('a cancelled translation ends at once; the others finish', async () => {
	const controller = new AbortController();
	const request = { beams: 1, priority: 'batch' } as const;
	const many = Array.from({ length: 400 }, (_, k) => item(`${texts[k % texts.length]} ${k}`));
	const cancelled = engine.seq2seq({ items: many, ...request }, controller.signal);
	const other = engine.seq2seq({ items: [item('stays')], ...request });
	setTimeout(() => controller.abort(), 5);
	await assert.rejects(cancelled, { code: 'cancelled' });
	assert.equal((await other).outputs.length, 1);
	await assert.rejects(engine.seq2seq({ items: [item('x')], ...request }, controller.signal), {
		code: 'cancelled',
	});
});

test('the built-in model translates and aligns words', async () => {
	const { outputs } = await builtIn.seq2seq({
		items: [
			{ text: 'Save the file.', targetLanguage: 'de' },
			{ text: 'Save the file.', targetLanguage: 'fr' },
		],
		alignment: true,
		priority: 'interactive',
	});
	assert.notEqual(outputs[0]?.text, outputs[1]?.text);
	for (const output of outputs) {
		assert.ok(output.text.length > 3);
		const { sourceSpans = [], targetSpans = [], attention = new Float32Array(0) } = output;
		assert.equal(attention.length, sourceSpans.length * targetSpans.length);
		for (let row = 0; row < targetSpans.length; row++) {
			const values = attention.subarray(row * sourceSpans.length, (row + 1) * sourceSpans.length);
			assert.ok(Math.abs(values.reduce((a, b) => a + b, 0) - 1) < 1e-3);
		}
		for (const [start, end] of targetSpans) assert.ok(start < end && end <= output.text.length);
	}
	await assert.rejects(
		builtIn.seq2seq({ items: [{ text: 'x', targetLanguage: 'tlh' }], priority: 'batch' }),
		{ code: 'invalid_request' },
	);
});

test('a text for several languages is encoded once, and each translation is what it is alone', async () => {
	const tags = ['__en__', '__de__', '__fr__', '__es__'];
	const many = writeTranslationModel(join(temporaryFolder(), 'many'));
	byteTokenizer(many, undefined, tags);
	const text = await loadTextModel(many);
	const model = await openModel(false);
	const encoderRows: number[] = [];
	const counting: EncoderDecoder = {
		...model,
		encode: (inputs, signal) => {
			encoderRows.push(inputs['input_ids']?.dims[0] ?? 0);
			return model.encode(inputs, signal);
		},
	};
	const translator = new Translator({
		model: counting,
		text,
		settings: await generationSettings(many),
		contextLength: 128,
		alignment: undefined,
	});
	const item = (line: string, targetLanguage: string) => ({
		text: line,
		sourceLanguage: 'en',
		targetLanguage,
	});
	const items = ['one text', 'and another one'].flatMap((line) =>
		['de', 'fr', 'es'].map((language) => item(line, language)),
	);
	for (const beams of [1, 3]) {
		const request = { beams, maxTokens: 12, priority: 'batch' as const };
		const alone = [];
		for (const one of items)
			alone.push((await translator.run({ ...request, items: [one] })).outputs[0]);
		encoderRows.length = 0;
		const together = await Promise.all(
			items.map((one) => translator.run({ ...request, items: [one] })),
		);
		assert.deepEqual(encoderRows, [2]);
		assert.deepEqual(
			together.map(({ outputs }) => outputs[0]?.tokenIds),
			alone.map((output) => output?.tokenIds),
		);
		assert.ok(new Set(alone.map((output) => output?.tokenIds.join())).size > 3);
	}
	await translator.close();
	model.close();
});
