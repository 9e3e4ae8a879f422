/** A rewritten graph that does not say what the published one says is not used, and that is said. */

import assert from 'node:assert/strict';
import {
	chmodSync,
	cpSync,
	existsSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { EngineModel } from '../../server/engine/api.ts';
import { loadDecoder } from '../../server/engine/decode/loadDecoder.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import { describeModel } from '../../server/engine/folder/describe.ts';
import { makeNode } from '../../server/engine/onnx/graphEdit.ts';
import { decodeModel, encodeModel } from '../../server/engine/onnx/onnxModel.ts';
import { type Preparation, prepareGraph } from '../../server/engine/onnx/prepare.ts';
import { openRuntime } from '../../server/engine/runtime/openRuntime.ts';
import { firstDifference } from '../../server/engine/verify/readings.ts';
import type { Precision } from '../../server/protocol/index.ts';
import { type DecoderOptions, writeDecoderModel } from '../fixtures/decoderModel.ts';
import { tinyTranslation, writeTranslationModel } from '../fixtures/translationModel.ts';
import { sharedFolder } from './sharedData.ts';
import { temporaryFolder, tokensRequest } from './support.ts';

const folder = temporaryFolder();

/** Rewrites the graph, wrongly: an output has the other sign. */
async function rewriteWrongly(
	path: string,
	preparation: Preparation,
	output: string,
): Promise<void> {
	const ready = await prepareGraph(path, preparation);
	assert.ok('path' in ready, 'refused' in ready ? ready.refused : '');
	const model = decodeModel(readFileSync(ready.path));
	const node = model.graph.nodes.find(({ outputs }) => outputs.includes(output));
	assert.ok(node);
	node.outputs[node.outputs.indexOf(output)] = `${output}/right`;
	model.graph.nodes.push(makeNode('Neg', [`${output}/right`], [output]));
	writeFileSync(ready.path, encodeModel(model));
}

async function withEngine<T>(
	model: string,
	use: (engine: EngineModel, notices: () => Promise<readonly string[]>) => Promise<T>,
	options: { plainRuntime?: boolean; precision?: Precision } = {},
): Promise<T> {
	const engine = await loadEngine({ folder: model, threads: 1, ...options });
	try {
		return await use(engine, async () => {
			const { notices = [] } = await engine.stats();
			return notices
				.map(({ message }) => message)
				.filter((notice) => !notice.includes('session.run'));
		});
	} finally {
		await engine.close();
	}
}

/** Requests that run at the same time. */
async function answers(engine: EngineModel): Promise<readonly (readonly number[])[]> {
	const prompts = [
		[5, 9, 40, 77, 12],
		[200, 3],
		[8, 8, 90],
	];
	const results = await Promise.all(
		prompts.map((prompt) => engine.generate(tokensRequest(prompt), () => undefined)),
	);
	return results.map(({ choices }) => choices[0]?.tokenIds ?? []);
}

const cases: readonly (readonly [string, DecoderOptions, Preparation, RegExp])[] = [
	['gqa', { attention: 'gqa' }, { gather: true }, /for logits where asked: a prompt gives/],
	[
		'int4',
		{ attention: 'gqa', block: 32 },
		{ gather: true },
		/for logits where asked: a prompt gives/,
	],
	['plain', { attention: 'plain' }, { gather: true }, /for logits where asked: a prompt gives/],
	[
		'fused',
		{ attention: 'plain', queryScale: 1 },
		{ gather: true, fuseHeads: 4 },
		/for fused attention, logits where asked: a prompt gives/,
	],
	[
		'int8',
		{ attention: 'gqa', int8: true },
		{ rows: true },
		/for a scale for each row: a prompt gives/,
	],
];
for (const plainRuntime of [false, true]) {
	for (const [name, options, preparation, expected] of cases) {
		const runtime = plainRuntime ? 'session.run' : 'the C API';
		test(`a wrong rewrite of a decoder is refused, and the model answers as published: ${name}, ${runtime}`, async () => {
			const home = join(folder, runtime);
			const right = writeDecoderModel(join(home, `${name}-right`), options);
			const wrong = writeDecoderModel(join(home, `${name}-wrong`), options);
			const file = readdirSync(join(wrong, 'onnx')).find((each) => each.endsWith('.onnx')) ?? '';
			await rewriteWrongly(join(wrong, 'onnx', file), preparation, 'logits');
			// Dynamic int8 as published is another model: what it answers is asked where nothing can be prepared.
			if (options.int8 === true) chmodSync(join(right, 'onnx'), 0o555);
			const published = await withEngine(right, answers, { plainRuntime });
			chmodSync(join(right, 'onnx'), 0o755);
			// The second time the comparison is known.
			for (const _ of [1, 2]) {
				await withEngine(
					wrong,
					async (engine, notices) => {
						assert.deepEqual(await answers(engine), published);
						assert.match((await notices()).join(), expected);
					},
					{ plainRuntime },
				);
			}
		});
	}
}

test('graphs are compared once, and again when their weights or the runtime are others', async () => {
	const model = writeDecoderModel(join(folder, 'once'), { attention: 'gqa' });
	const description = await describeModel(model);
	const [variant] = description.variants;
	assert.ok(variant);
	const real = await openRuntime();
	const load = async (version = real.version): Promise<string[]> => {
		const opened: string[] = [];
		const runtime: typeof real = {
			...real,
			version,
			open: (path, options) => {
				opened.push(path.includes('.prepared-g-') ? 'rewritten' : 'published');
				return real.open(path, options);
			},
		};
		const { contextLength } = description;
		const session = { threads: 1 };
		(await loadDecoder({ description, variant, runtime, session, contextLength })).close();
		return opened;
	};
	assert.deepEqual(await load(), ['published', 'rewritten']);
	assert.deepEqual(await load(), ['rewritten']);
	const later = new Date(Date.now() + 5000);
	utimesSync(join(model, 'onnx', 'model.onnx'), later, later);
	assert.deepEqual(await load(), ['published', 'rewritten']);
	assert.deepEqual(await load('0.0.1'), ['published', 'rewritten']);
	assert.deepEqual(await load('0.0.1'), ['rewritten']);
	// A graph that another one has taken the place of, of the same size and time.
	const name = readdirSync(join(model, 'onnx')).find((each) => /prepared-g-.*\.onnx$/.test(each));
	const prepared = join(model, 'onnx', name ?? '');
	const { atime, mtime } = statSync(prepared);
	writeFileSync(prepared, readFileSync(prepared));
	utimesSync(prepared, atime, mtime);
	assert.deepEqual(await load('0.0.1'), ['published', 'rewritten']);
});

async function translate(engine: EngineModel): Promise<readonly (readonly number[])[]> {
	const items = ['one text', 'another, a longer one'].map((text) => ({ text }));
	const { outputs } = await engine.seq2seq({ items, beams: 1, priority: 'batch' });
	return outputs.map(({ tokenIds }) => tokenIds);
}

for (const [file, output, reading] of [
	['encoder_model', 'last_hidden_state', 'an input'],
	['decoder_model', 'logits', 'a prompt'],
] as const) {
	test(`a wrong rewrite of a translation model is refused: ${file}`, async () => {
		const shape = { ...tinyTranslation, int8: true };
		const model = writeTranslationModel(join(folder, file), shape);
		await rewriteWrongly(join(model, 'onnx', `${file}_quantized.onnx`), { rows: true }, output);
		await withEngine(model, async (engine, notices) => {
			assert.ok((await translate(engine)).every((tokens) => tokens.length > 0));
			const said = (await notices()).join('\n');
			const change = `^${file}_quantized.onnx is not rewritten for a scale for each row: ${reading} gives`;
			assert.match(said, new RegExp(change, 'm'));
			assert.match(said, new RegExp(`^Inputs run one at a time: ${file}_quantized.onnx`, 'm'));
		});
	});
}

for (const [name, precision] of [
	['marian-tjs', 'fp32'],
	['marian-tjs', 'q8'],
] as const) {
	const { path, skip } = sharedFolder(`models-tiny/${name}`);
	test(`a wrong rewrite of a merged decoder is refused, and the rest stays: ${name} ${precision}`, {
		skip,
	}, async () => {
		const copy = join(folder, `${name}-${precision}`);
		cpSync(path, copy, { recursive: true });
		chmodSync(join(copy, 'onnx'), 0o755);
		const right = await withEngine(copy, translate, { precision });
		const isInt8 = precision === 'q8';
		const file = `decoder_model_merged${isInt8 ? '_quantized' : ''}.onnx`;
		for (const each of readdirSync(join(copy, 'onnx')))
			if (each.endsWith('.verdict')) rmSync(join(copy, 'onnx', each));
		const preparation = isInt8 ? { attentions: true, rows: true } : { attentions: true };
		await rewriteWrongly(join(copy, 'onnx', file), preparation, 'logits');
		await withEngine(
			copy,
			async (engine, notices) => {
				assert.deepEqual(await translate(engine), right);
				const said = await notices();
				assert.match(said.join(), /for .*attention as an output: a prompt gives/);
				// Texts still share their runs.
				assert.equal(said.length, 1);
			},
			{ precision },
		);
	});
}

const bert = sharedFolder('models-tiny/bert-tjs');
test('a wrong rewrite of an embedding model is refused', { skip: bert.skip }, async () => {
	const copies = ['right', 'wrong'].map((name) => join(folder, `bert-${name}`));
	for (const copy of copies) {
		cpSync(bert.path, copy, { recursive: true });
		chmodSync(join(copy, 'onnx'), 0o755);
	}
	const [right = '', wrong = ''] = copies;
	await rewriteWrongly(
		join(wrong, 'onnx', 'model_quantized.onnx'),
		{ rows: true },
		'last_hidden_state',
	);
	chmodSync(join(right, 'onnx'), 0o555);
	const inputs = ['where is it', 'open the file and close it again'];
	const published = await withEngine(right, (engine) => engine.embed({ inputs }), {
		precision: 'q8',
	});
	chmodSync(join(right, 'onnx'), 0o755);
	await withEngine(
		wrong,
		async (engine, notices) => {
			assert.deepEqual((await engine.embed({ inputs })).vectors, published.vectors);
			assert.match((await notices()).join(), /for a scale for each row: .*Texts run one at a time/);
		},
		{ precision: 'q8' },
	);
});

test('the comparison sees what differs, what is missing and what is no number', () => {
	const reading = (...values: number[]) => [{ of: 'a prompt', values: Float32Array.from(values) }];
	assert.equal(firstDifference(reading(1, 2), reading(1, 2.001), 1e-3), undefined);
	assert.match(firstDifference(reading(1, 2), reading(1, 2.1), 1e-2) ?? '', /differ by 5\.0e-2/);
	assert.match(firstDifference(reading(1, 2), reading(1), 1) ?? '', /another form/);
	assert.match(firstDifference(reading(1, 2), reading(1, Number.NaN), 1) ?? '', /NaN/);
	assert.match(firstDifference([], [], 1) ?? '', /nothing was read/);
});

const tiny = sharedFolder('models-tiny');
const starters = join(import.meta.dirname, '..', '..', 'starter', 'models');
test('the tiny models and the built-in ones are used in their rewritten form', {
	skip: tiny.skip,
}, async () => {
	for (const from of [starters, tiny.path]) {
		for (const name of readdirSync(from)) {
			if (name.endsWith('.md')) continue;
			const copy = join(folder, 'all', name);
			cpSync(join(from, name), copy, {
				recursive: true,
				filter: (path) => !path.includes('.prepared-'),
			});
			for (const each of [copy, join(copy, 'onnx')]) if (existsSync(each)) chmodSync(each, 0o755);
			// What is changed most: dynamic int8, where the model has it.
			const { variants } = await describeModel(copy);
			const { precision } = variants.find((one) => one.precision === 'q8') ?? variants[0] ?? {};
			assert.ok(precision, name);
			await withEngine(
				copy,
				async (_, notices) => assert.deepEqual(await notices(), [], `${name} ${precision}`),
				{ precision },
			);
		}
	}
});
