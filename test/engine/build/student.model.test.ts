/** Students of Firefox Translations built from their files say what their equations say. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeModel } from '../../../server/engine/modelFiles/describe.ts';
import { generationSettings } from '../../../server/engine/modelFiles/generationSettings.ts';
import { readLexicon } from '../../../server/engine/seq2seq/lexicon.ts';
import { openEncoderDecoder } from '../../../server/engine/seq2seq/openEncoderDecoder.ts';
import { Translator } from '../../../server/engine/seq2seq/translator.ts';
import { loadTextModel } from '../../../server/engine/text/textModel.ts';
import { openRuntime } from '../../../server/engine/verify/openRuntime.ts';
import { type StudentShape, someLines, tinyStudent, wordOf } from '../../fixtures/student.ts';
import { openBergamot } from '../../support/bergamot.ts';
import {
	builtStudent,
	sameBeginnings,
	studentAnswers,
	textOf,
} from '../../support/studentModels.ts';
import { type ReferenceOptions, studentSays } from '../../support/studentReference.ts';

const maxLength = 8;
const exact = { saturates: false, lowest: -128, maxLength } as const;
const asWasm = { saturates: true, lowest: -127, maxLength } as const;

type Content = Awaited<ReturnType<typeof builtStudent>>['content'];

const says = (content: Content, lines: readonly number[][], options: ReferenceOptions) =>
	lines.map((line) => studentSays(content.made, line, options).tokens);

/** What bergamot's WebAssembly says. */
async function wasmSays(content: Content, lines: readonly number[][]): Promise<number[][]> {
	const { vocabulary } = content.made.shape;
	const ids = new Map(Array.from({ length: vocabulary }, (_, id) => [wordOf(id), id]));
	const translate = await openBergamot({
		model: content.model,
		vocabularies: [content.sourceVocabulary],
	});
	return translate(lines.map(textOf)).map((text) =>
		text.split(' ').map((word) => ids.get(word) ?? -1),
	);
}

/**
 * Where sums are rounded otherwise an activation now and then becomes the next byte, which can decide about a token: in
 * line 46 of seed 1 one is 4e-6 from the middle between two, where the reference's double precision goes the other way.
 */
const nearTies = 3;

for (const seed of [1, 2, 3])
	test(`a student says what its equations and bergamot say, seed ${seed}`, async (t) => {
		const { target, content } = await builtStudent({ ...tinyStudent, seed });
		const lines = someLines(60, tinyStudent.vocabulary, seed);
		const ours = sameBeginnings(
			await studentAnswers(target, lines, maxLength),
			says(content, lines, exact),
		);
		const wasm = await wasmSays(content, lines);
		const saturating = sameBeginnings(says(content, lines, asWasm), wasm);
		t.diagnostic(`measured: ${ours} of 60 lines as computed, ${saturating} by bergamot's 16 bits`);
		assert.ok(ours >= 60 - nearTies, `${ours} of 60 lines`);
		assert.equal(saturating, 60);
	});

test('where no sum leaves 16 bits, a student says what bergamot says', async (t) => {
	const { target, content } = await builtStudent({ ...tinyStudent, seed: 4, largest: 64 });
	const lines = someLines(60, tinyStudent.vocabulary, 4);
	const same = sameBeginnings(
		await studentAnswers(target, lines, maxLength),
		await wasmSays(content, lines),
	);
	t.diagnostic(`measured: ${same} of 60 lines`);
	assert.ok(same >= 60 - nearTies, `${same} of 60 lines`);
});

test('a shortlist leaves the words of a text, alone and in company', async () => {
	const shape: StudentShape = { ...tinyStudent, seed: 5, vocabulary: 1024, decoderInner: false };
	const { target, content } = await builtStudent(shape);
	const { problems, notes, languages } = {
		...(await describeModel(target)),
		languages: await readLexicon(target, shape.vocabulary),
	};
	assert.deepEqual([problems, notes], [[], []]);
	assert.equal(languages?.sharesVocabulary, true);
	const lines = someLines(12, shape.vocabulary, 5);
	const tokensOf = (line: readonly number[]) => {
		const own = new Set([...line, 0, ...line.flatMap((id) => content.lists[id] as number[])]);
		for (const id of content.lists[0] as number[]) own.add(id);
		for (let id = 0; id < 20; id++) own.add(id);
		return [...own].sort((a, b) => a - b);
	};
	const expected = lines.map(
		(line) =>
			studentSays(content.made, line, {
				...exact,
				tokens: tokensOf(line),
			}).tokens,
	);
	const together = await studentAnswers(target, lines, maxLength, { shortlist: true });
	assert.ok(
		sameBeginnings(together, expected) >= lines.length - 1,
		String(sameBeginnings(together, expected)),
	);
	const alone = await studentAnswers(target, lines, maxLength, { shortlist: true, together: 1 });
	assert.deepEqual(alone, together);
	const all = await studentAnswers(target, lines, maxLength);
	assert.ok(sameBeginnings(all, together) < lines.length, 'the shortlist leaves nothing out');
});

test('the columns of a shortlist give the logits of the whole head, on processors that cut sums off, too', async () => {
	const shape: StudentShape = { ...tinyStudent, seed: 8, vocabulary: 1024 };
	const { target } = await builtStudent(shape);
	const description = await describeModel(target);
	const [variant] = description.variants;
	assert.ok(variant);
	const model = await openEncoderDecoder({
		...{ description, variant, session: { threads: 1 } },
		runtime: await openRuntime(false),
	});
	try {
		assert.ok(model.shortlist);
		const ids = Array.from({ length: 256 }, (_, k) => k * 4);
		const columns = model.shortlist.head.columns(ids);
		for (const line of someLines(8, shape.vocabulary, 8)) {
			const dims = [1, line.length + 1];
			const encoded = await model.encode({
				input_ids: { type: 'int64', dims, data: BigInt64Array.from([...line, 0], BigInt) },
				attention_mask: { type: 'int64', dims, data: new BigInt64Array(line.length + 1).fill(1n) },
			});
			const [all, few] = [model.start(encoded), model.start(encoded, { columns })];
			const full = (await all.feed([[0]])).logits(0);
			const short = (await few.feed([[0]])).logits(0);
			for (const [place, id] of ids.entries())
				assert.ok(Math.abs((short[place] as number) - (full[id] as number)) < 1e-5, String(id));
			all.release();
			few.release();
		}
	} finally {
		model.close();
	}
});

test('a cancelled translation of a student makes no further step', async () => {
	const shape: StudentShape = { ...tinyStudent, seed: 9 };
	const { target } = await builtStudent(shape);
	const description = await describeModel(target);
	const [variant] = description.variants;
	assert.ok(variant);
	const model = await openEncoderDecoder({
		...{ description, variant, session: { threads: 1 } },
		runtime: await openRuntime(false),
	});
	const stop = new AbortController();
	let steps = 0;
	const translator = new Translator({
		model: {
			...model,
			start: (encoded, options) => {
				const run = model.start(encoded, options);
				const feed = run.feed.bind(run);
				run.feed = (tokens, signal) => {
					if (++steps === 3) stop.abort();
					return feed(tokens, signal);
				};
				return run;
			},
		},
		text: await loadTextModel(target),
		settings: await generationSettings(target),
		contextLength: description.contextLength,
		alignment: undefined,
	});
	try {
		const items = someLines(8, shape.vocabulary, 9).map((line) => ({ text: textOf(line) }));
		const request = { items, beams: 1, maxTokens: 200, priority: 'batch' } as const;
		await assert.rejects(translator.run(request, stop.signal), { code: 'cancelled' });
		const atCancel = steps;
		assert.equal(atCancel, 3);
		const short = { ...request, maxTokens: 2 };
		await translator.run(short);
		const after = steps - atCancel;
		steps = 10;
		await translator.run(short);
		assert.equal(after, steps - 10, 'no step was made for the cancelled request');
	} finally {
		await translator.close();
		model.close();
	}
});

test('a student with two vocabularies', async () => {
	const shape: StudentShape = { ...tinyStudent, seed: 6, separate: true };
	const { target, content } = await builtStudent(shape);
	assert.equal((await readLexicon(target, shape.vocabulary))?.sharesVocabulary, false);
	const lines = someLines(20, shape.vocabulary, 6);
	const said = await studentAnswers(target, lines, maxLength);
	const same = sameBeginnings(said, says(content, lines, exact));
	assert.ok(same >= lines.length - 1, `${same} of 20`);
});

test('a student without factors of its activations says much the same', async () => {
	const shape: StudentShape = { ...tinyStudent, seed: 7, withoutFactors: true };
	const { target, content } = await builtStudent(shape);
	const lines = someLines(20, shape.vocabulary, 7);
	const said = await studentAnswers(target, lines, 2);
	const expected = says(content, lines, exact);
	assert.ok(sameBeginnings(said, expected) >= 14, `${sameBeginnings(said, expected)} of 20`);
});
