/** Word alignment from the encoder: on made-up vectors, on the built-in model, on an any-to-any model. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadEngine } from '../../server/engine/engine.ts';
import { describeModel } from '../../server/engine/modelFiles/describe.ts';
import { chooseAlignment } from '../../server/engine/seq2seq/alignment.ts';
import { encodePadded } from '../../server/engine/seq2seq/encodePadded.ts';
import {
	alignVectors,
	type PieceVectors,
	pieceVectors,
} from '../../server/engine/seq2seq/encoderAlignment.ts';
import { encodeItem } from '../../server/engine/seq2seq/languageTokens.ts';
import { openEncoderDecoder } from '../../server/engine/seq2seq/openEncoderDecoder.ts';
import { loadTextModel } from '../../server/engine/text/textModel.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';
import { type Attention, alignWords } from '../../server/translate/align.ts';
import { wordSpans } from '../../server/translate/wordSpans.ts';
import { sharedFolder } from '../support/sharedData.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const anyToAny = sharedFolder('models-tiny', 'm2m100-tjs');

const pieces = (vectors: readonly (readonly number[])[]): PieceVectors => ({
	spans: vectors.map((_, index) => [index, index + 1] as const),
	vectors: vectors.map((vector) => Float32Array.from(vector)),
});

const bestOf = (attention: Float32Array, rows: number): number[] => {
	const columns = attention.length / rows;
	return Array.from({ length: rows }, (_, row) => {
		const values = [...attention.subarray(row * columns, (row + 1) * columns)];
		return values.indexOf(Math.max(...values));
	});
};

test('pieces are linked by what they mean, whatever all of them have in common', () => {
	// The first three numbers are the meaning; the last is the same for all and much larger.
	const source = pieces([
		[1, 0, 0, 50],
		[0, 1, 0, 50],
		[0, 0, 1, 50],
	]);
	const target = pieces([
		[0.1, 0.1, 0.9, 80],
		[0.9, 0, 0.1, 80],
		[0, 1, 0, 80],
	]);
	const { attention, sourceSpans, targetSpans } = alignVectors(source, target);
	assert.deepEqual(bestOf(attention, 3), [2, 0, 1]);
	assert.deepEqual([sourceSpans.length, targetSpans.length], [3, 3]);
	for (let row = 0; row < 3; row++) {
		const sum = attention.subarray(row * 3, row * 3 + 3).reduce((a, b) => a + b, 0);
		assert.ok(Math.abs(sum - 1) < 1e-5);
	}
});

test('one piece, or none, is no fault', () => {
	assert.deepEqual([...alignVectors(pieces([[1, 2]]), pieces([[3, 4]])).attention], [1]);
	assert.equal(alignVectors(pieces([[1, 2]]), pieces([])).attention.length, 0);
	assert.equal(alignVectors(pieces([]), pieces([[1, 2]])).attention.length, 0);
	const same = alignVectors(
		pieces([
			[0, 0],
			[0, 0],
		]),
		pieces([[0, 0]]),
	).attention;
	assert.deepEqual([...same], [0.5, 0.5]);
});

test('heads a model names come first, then an encoder of all languages, then lower layers', () => {
	assert.deepEqual(chooseAlignment([[1, 0]], [0, 1], true), {
		heads: [[1, 0]],
		layers: [],
		shifted: false,
	});
	assert.equal(chooseAlignment([], [0, 1], true), 'encoder');
	assert.equal(chooseAlignment([[9, 0]], [], true), 'encoder');
	assert.deepEqual(chooseAlignment([], [0, 1, 2], false), {
		heads: [],
		layers: [0, 1],
		shifted: true,
	});
	assert.equal(chooseAlignment([], [], false), undefined);
});

test('the encoder of the built-in model links most of the words its trained head links', async () => {
	const folder = join(root, 'starter/models/starter-translate');
	const description = await describeModel(folder);
	const [variant] = description.variants;
	assert.ok(variant);
	const runtime = await openRuntime(false);
	const model = await openEncoderDecoder({
		description,
		variant,
		runtime,
		session: { threads: 1 },
	});
	const engine = await loadEngine({ folder, threads: 1 });
	try {
		const text = await loadTextModel(folder);
		const texts = [
			'The file could not be opened.',
			'Show the number of lines in each file.',
			'The server is not running.',
			'Delete all files in the current folder.',
			'Enter the name of the new project.',
			'The value of the parameter must be a number.',
			'I have two brothers and a sister.',
			'Copy a directory recursively to another location.',
		];
		const items = texts.map((one) => ({ text: one, sourceLanguage: 'en', targetLanguage: 'de' }));
		const { outputs } = await engine.seq2seq({
			items,
			beams: 1,
			alignment: true,
			priority: 'batch',
		});
		let common = 0;
		let all = 0;
		for (const [index, output] of outputs.entries()) {
			const source = texts[index] as string;
			const read = async (one: string, to: string) => {
				const item = encodeItem(text, { text: one, targetLanguage: to }, 0);
				return pieceVectors(await encodePadded(model, [item.source], 0, 64), 0, item);
			};
			const found = alignVectors(await read(source, 'de'), await read(output.text, 'en'));
			const links = (attention: Attention): string[] =>
				alignWords(
					source,
					output.text,
					wordSpans(source, 'en'),
					wordSpans(output.text, 'de'),
					attention,
				).map((link) => `${link.source}:${link.target}`);
			const { sourceSpans = [], targetSpans = [], attention = new Float32Array() } = output;
			const trained = links({ sourceSpans, targetSpans, weights: attention });
			const own = links({ ...found, weights: found.attention });
			common += own.filter((link) => trained.includes(link)).length;
			all += own.length + trained.length;
		}
		// Measured: 0.84 on 150 everyday sentences; chance would be about 0.2.
		assert.ok((2 * common) / all > 0.6, `agreement ${(2 * common) / all}`);
	} finally {
		await engine.close();
		model.close();
	}
});

test('an any-to-any model gives alignment from its encoder, alone and in a batch', {
	skip: anyToAny.skip,
}, async () => {
	const engine = await loadEngine({ folder: anyToAny.path, threads: 1 });
	try {
		const items = [
			{ text: 'The small house is on the hill.', sourceLanguage: 'en', targetLanguage: 'de' },
			{ text: 'Das kleine Haus steht auf dem Hügel.', sourceLanguage: 'de', targetLanguage: 'en' },
			{ text: 'Yes.', sourceLanguage: 'en', targetLanguage: 'de' },
		];
		const request = { alignment: true, priority: 'batch' } as const;
		const { outputs } = await engine.seq2seq({ ...request, items });
		for (const [index, item] of items.entries()) {
			const output = outputs[index];
			assert.ok(output?.attention && output.sourceSpans && output.targetSpans);
			const { sourceSpans, targetSpans, attention } = output;
			assert.equal(attention.length, sourceSpans.length * targetSpans.length);
			for (const [start, end] of sourceSpans) assert.ok(start < end && end <= item.text.length);
			for (const [start, end] of targetSpans) assert.ok(start < end && end <= output.text.length);
			const [alone] = (await engine.seq2seq({ ...request, items: [item] })).outputs;
			const apart = attention.map((value, k) => Math.abs(value - (alone?.attention?.[k] ?? 9)));
			assert.ok(Math.max(0, ...apart) < 1e-3, `differs by ${Math.max(...apart)}`);
		}
		const [first] = outputs;
		const last = (first?.targetSpans?.length ?? 0) - 1;
		assert.equal(first?.text.slice(...(first.targetSpans?.[last] ?? [0, 0])), '.');
		const best = bestOf(first?.attention ?? new Float32Array(), last + 1)[last] ?? -1;
		assert.equal(items[0]?.text.slice(...(first?.sourceSpans?.[best] ?? [0, 0])), '.');
	} finally {
		await engine.close();
	}
});
