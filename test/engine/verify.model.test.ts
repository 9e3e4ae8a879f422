/** A rewritten graph that does not say what the published one says is not used, and that is said. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { EngineModel, LoadOptions, Verdict } from '../../server/engine/api.ts';
import { loadDecoder } from '../../server/engine/decode/loadDecoder.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import { describeModel } from '../../server/engine/modelFiles/describe.ts';
import { decodeModel, encodeModel } from '../../server/engine/onnx/onnxModel.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';
import { firstDifference } from '../../server/engine/verify/readings.ts';
import { Verdicts } from '../../server/engine/verify/verdict.ts';
import { type DecoderOptions, writeDecoderModel } from '../fixtures/decoderModel.ts';
import { tinyTranslation, writeTranslationModel } from '../fixtures/translationModel.ts';
import { sharedFolder } from '../support/sharedData.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { negated, refused, whileRewrites } from './rewrites.ts';
import { tokensRequest } from './support.ts';

const folder = temporaryFolder();

async function withEngine<T>(
	model: string,
	use: (engine: EngineModel, notices: () => Promise<readonly string[]>) => Promise<T>,
	options: Pick<LoadOptions, 'plainRuntime' | 'precision' | 'verdicts'> = {},
	onVerdict?: (found: Verdict) => void,
): Promise<T> {
	const engine = await loadEngine({ folder: model, threads: 1, ...options }, onVerdict);
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

const cases: readonly (readonly [string, DecoderOptions, RegExp])[] = [
	['gqa', { attention: 'gqa' }, /for logits where asked: a prompt gives/],
	['int4', { attention: 'gqa', block: 32 }, /for logits where asked: a prompt gives/],
	['plain', { attention: 'plain' }, /for logits where asked: a prompt gives/],
	[
		'fused',
		{ attention: 'plain', queryScale: 1 },
		/for fused attention, logits where asked: a prompt gives/,
	],
	['int8', { attention: 'gqa', int8: true }, /for a scale for each row: a prompt gives/],
];
for (const plainRuntime of [false, true]) {
	for (const [name, options, expected] of cases) {
		const runtime = plainRuntime ? 'session.run' : 'the C API';
		test(`a wrong rewrite of a decoder is refused, and the model answers as published: ${name}, ${runtime}`, async () => {
			const model = writeDecoderModel(join(folder, runtime, name), options);
			const published = await whileRewrites(plainRuntime, refused, () =>
				withEngine(model, answers, { plainRuntime }),
			);
			const verdicts: Verdict[] = [];
			const load = () =>
				withEngine(
					model,
					async (engine, notices) => {
						assert.deepEqual(await answers(engine), published);
						assert.match((await notices()).join(), expected);
					},
					{ plainRuntime, verdicts },
					(verdict) => verdicts.push(verdict),
				);
			await whileRewrites(plainRuntime, negated('logits'), load);
			// The second time the comparison is known, even of a graph that would be right.
			assert.ok(verdicts.length > 0);
			await load();
		});
	}
}

test('graphs are compared once, and again when their weights, settings or the runtime are others', async () => {
	const model = writeDecoderModel(join(folder, 'once'), { attention: 'gqa' });
	const description = await describeModel(model);
	const [variant] = description.variants;
	assert.ok(variant);
	const real = await openRuntime();
	const verdicts: Verdict[] = [];
	const load = async (version = real.version, config = {}): Promise<string[]> => {
		const opened: string[] = [];
		const runtime: typeof real = {
			...real,
			version,
			open: (graph, options) => {
				opened.push(typeof graph === 'string' ? 'published' : 'rewritten');
				return real.open(graph, options);
			},
		};
		const { contextLength } = description;
		const known = new Verdicts(verdicts, (verdict) => verdicts.push(verdict));
		const session = { threads: 1, config };
		const parts = { description, variant, runtime, session, verdicts: known };
		(await loadDecoder({ ...parts, contextLength })).close();
		return opened;
	};
	assert.deepEqual(await load(), ['published', 'rewritten']);
	assert.deepEqual(await load(), ['rewritten']);
	const later = new Date(Date.now() + 5000);
	const path = join(model, 'onnx', 'model.onnx');
	utimesSync(path, later, later);
	assert.deepEqual(await load(), ['published', 'rewritten']);
	assert.deepEqual(await load('0.0.1'), ['published', 'rewritten']);
	assert.deepEqual(await load('0.0.1'), ['rewritten']);
	const config = { 'session.set_denormal_as_zero': '1' };
	assert.deepEqual(await load('0.0.1', config), ['published', 'rewritten']);
	assert.deepEqual(await load('0.0.1', config), ['rewritten']);
	// The published graph is another one, of the same size and time.
	const graph = decodeModel(readFileSync(path));
	graph.graph.name = [...graph.graph.name].reverse().join('');
	writeFileSync(path, encodeModel(graph));
	utimesSync(path, later, later);
	assert.deepEqual(await load('0.0.1', config), ['published', 'rewritten']);
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
		const wrong = negated(output, (_, name) => name === `${file}_quantized.onnx`);
		await whileRewrites(false, wrong, () =>
			withEngine(model, async (engine, notices) => {
				assert.ok((await translate(engine)).every((tokens) => tokens.length > 0));
				const said = (await notices()).join('\n');
				const change = `^${file}_quantized.onnx is not rewritten for a scale for each row: ${reading} gives`;
				assert.match(said, new RegExp(change, 'm'));
				assert.match(said, new RegExp(`^Inputs run one at a time: ${file}_quantized.onnx`, 'm'));
			}),
		);
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
		const right = await withEngine(path, translate, { precision });
		const withAttention = negated('logits', ({ outputs }) =>
			outputs.some((each) => each.name.startsWith('cross_attentions')),
		);
		await whileRewrites(false, withAttention, () =>
			withEngine(
				path,
				async (engine, notices) => {
					assert.deepEqual(await translate(engine), right);
					const said = await notices();
					assert.match(said.join(), /for .*attention as an output: a prompt gives/);
					// Texts still share their runs.
					assert.equal(said.length, 1);
				},
				{ precision },
			),
		);
	});
}

const bert = sharedFolder('models-tiny/bert-tjs');
test('a wrong rewrite of an embedding model is refused', { skip: bert.skip }, async () => {
	const inputs = ['where is it', 'open the file and close it again'];
	const options = { precision: 'q8' } as const;
	const published = await whileRewrites(false, refused, () =>
		withEngine(bert.path, (engine) => engine.embed({ inputs }), options),
	);
	await whileRewrites(false, negated('last_hidden_state'), () =>
		withEngine(
			bert.path,
			async (engine, notices) => {
				assert.deepEqual((await engine.embed({ inputs })).vectors, published.vectors);
				const said = (await notices()).join();
				assert.match(said, /for a scale for each row: .*Texts run one at a time/);
			},
			options,
		),
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
/** What is said of models whose products run on it. */
const ownKernel = "run on Nearglot's own kernel";

test('the tiny models and the built-in ones are used in their rewritten form', {
	skip: tiny.skip,
}, async () => {
	for (const from of [starters, tiny.path]) {
		for (const name of readdirSync(from)) {
			if (name.endsWith('.md')) continue;
			const model = join(from, name);
			// What is changed most: dynamic int8, where the model has it.
			const { variants } = await describeModel(model);
			const { precision } = variants.find((one) => one.precision === 'q8') ?? variants[0] ?? {};
			assert.ok(precision, name);
			await withEngine(
				model,
				async (_, notices) => {
					const others = (await notices()).filter((one) => !one.includes(ownKernel));
					const isWindowed = /^gemma[23]-tjs$/.test(name);
					const left = isWindowed ? others.filter((one) => !one.includes('to a window')) : others;
					assert.deepEqual(left, [], `${name} ${precision}`);
				},
				{ precision },
			);
		}
	}
});
