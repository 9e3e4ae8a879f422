/** Encoder-decoders of the shared data, built once more from their own weights: they say and score the same. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Seq2SeqResult } from '../../../../server/engine/api.ts';
import { loadEngine } from '../../../../server/engine/engine.ts';
import { describeModel } from '../../../../server/engine/modelFiles/describe.ts';
import { openSpeech } from '../../../../server/engine/speech/openSpeech.ts';
import type { Precision } from '../../../../server/protocol/index.ts';
import { wavSamples } from '../../../support/madeAudio.ts';
import { sharedFolder } from '../../../support/sharedData.ts';
import { openGraphs, speechRequest } from '../../../support/speechModels.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { exportedSeq2Seq } from '../exportedWeights.ts';
import { memorySource, type NamedNumbers } from '../memorySource.ts';
import { build, filesOf, readConfig } from '../rebuilt.ts';

const models = sharedFolder('models-tiny');

interface Case {
	readonly name: string;
	readonly source: string;
	readonly source_lang: string;
	readonly target_lang: string;
	readonly forced_bos_token_id?: number;
	readonly pytorch_fp32: { readonly greedy_ids: readonly number[] };
}

async function translate(
	folder: string,
	cases: readonly Case[],
	notices: string[] = [],
	precision?: Precision,
): Promise<Seq2SeqResult> {
	const engine = await loadEngine({
		folder,
		threads: 1,
		...(precision === undefined ? {} : { precision }),
	});
	for (const { message } of (await engine.stats()).notices ?? []) notices.push(message);
	try {
		return await engine.seq2seq({
			items: cases.map((item) => ({
				text: item.source,
				...(item.forced_bos_token_id === undefined
					? {}
					: { sourceLanguage: item.source_lang, targetLanguage: item.target_lang }),
			})),
			beams: 4,
			alternatives: 3,
			alignment: true,
			maxTokens: 40,
			priority: 'interactive',
		});
	} finally {
		await engine.close();
	}
}

const near = (a: number, b: number, within: number) => Math.abs(a - b) <= within;

describe('encoder-decoders from the weights of published exports', { skip: models.skip }, () => {
	const folder = temporaryFolder();
	async function rebuilt(name: string, keep = true, change = (_: Map<string, NamedNumbers>) => {}) {
		const from = join(models.path, `${name}-tjs`);
		const weights = await exportedSeq2Seq(join(from, 'onnx'));
		change(weights);
		const to = await build(
			memorySource(weights),
			readConfig(from),
			join(folder, `${name}-${keep}`),
			{
				files: filesOf(from),
				keep,
			},
		);
		assert.deepEqual((await describeModel(to)).problems, []);
		return { from, to };
	}

	for (const name of ['marian', 'm2m100'])
		it(`${name}: beams, scores and attention of the export, in batches`, async () => {
			const { from, to } = await rebuilt(name, true, (weights) => {
				// Sines and cosines are in files of some versions only.
				weights.delete('model.encoder.embed_positions.weight');
				weights.delete('model.decoder.embed_positions.weight');
			});
			const { cases }: { cases: Case[] } = JSON.parse(
				readFileSync(join(from, 'reference.json'), 'utf8'),
			);
			const published = await translate(from, cases, [], 'fp32');
			const notices: string[] = [];
			const found = await translate(to, cases, notices);
			assert.deepEqual(notices, []);
			for (const [index, output] of found.outputs.entries()) {
				const wanted = published.outputs[index];
				const where = cases[index]?.name;
				assert.ok(wanted !== undefined && wanted.tokenIds.length > 2, where);
				assert.deepEqual([output.text, output.tokenIds], [wanted.text, wanted.tokenIds], where);
				assert.ok(
					near(output.score, wanted.score, 1e-5),
					`${where}: ${output.score}, ${wanted.score}`,
				);
				for (const [k, other] of (output.alternatives ?? []).entries()) {
					assert.equal(other.text, wanted.alternatives?.[k]?.text);
					assert.ok(near(other.score, wanted.alternatives?.[k]?.score ?? 0, 1e-5));
				}
				assert.equal(output.attention?.length, wanted.attention?.length);
				for (const [k, weight] of (output.attention ?? []).entries())
					assert.ok(near(weight, wanted.attention?.[k] ?? 9, 1e-5), `${where}: weight ${k}`);
			}
		});

	it('marian: 8 bits say what PyTorch says', async () => {
		const { from, to } = await rebuilt('marian', false);
		const { cases }: { cases: Case[] } = JSON.parse(
			readFileSync(join(from, 'reference.json'), 'utf8'),
		);
		const { variants } = await describeModel(to);
		assert.deepEqual(
			variants.map(({ precision, files }) => [precision, files]),
			[
				[
					'int8',
					{
						encoder: 'onnx/encoder_model_int8.onnx',
						decoder: 'onnx/decoder_model_int8.onnx',
						'decoder-with-past': 'onnx/decoder_with_past_model_int8.onnx',
					},
				],
			],
		);
		const engine = await loadEngine({ folder: to, threads: 1 });
		try {
			for (const item of cases) {
				const { outputs } = await engine.seq2seq({
					items: [{ text: item.source }],
					beams: 1,
					maxTokens: 40,
					priority: 'interactive',
				});
				const end = item.pytorch_fp32.greedy_ids.indexOf(0);
				const expected = item.pytorch_fp32.greedy_ids.slice(0, end < 0 ? undefined : end);
				assert.deepEqual(outputs[0]?.tokenIds.slice(0, expected.length), expected, item.name);
			}
		} finally {
			await engine.close();
		}
	});

	it('whisper: tokens and times of the export', async () => {
		const { from, to } = await rebuilt('whisper');
		const sound = (name: string) => wavSamples(join(from, 'audio', `${name}.wav`));
		const requests = [
			speechRequest(sound('a'), { timestamps: 'word' }),
			speechRequest(sound('b'), { timestamps: 'none' }),
			speechRequest(sound('b'), { language: 'de', task: 'translate', timestamps: 'word' }),
		];
		const transcribe = async (at: string) => {
			const { model, description, text } = await openGraphs(at);
			try {
				const speech = await openSpeech(at, description.family, model, text);
				return await Promise.all(requests.map((request) => speech.transcribe(request, () => {})));
			} finally {
				model.close();
			}
		};
		const [expected, found] = [await transcribe(from), await transcribe(to)];
		assert.ok(expected.every(({ text }) => text.trim() !== ''));
		for (const [index, { tokens, text, words }] of found.entries()) {
			const wanted = expected[index];
			assert.deepEqual(
				[tokens.map(({ id }) => id), text],
				[wanted?.tokens.map(({ id }) => id), wanted?.text],
			);
			const timed = (list: typeof words) => list?.map(({ word, start, end }) => [word, start, end]);
			assert.deepEqual(timed(words), timed(wanted?.words));
			for (const [k, { logprob }] of tokens.entries())
				assert.ok(near(logprob, wanted?.tokens[k]?.logprob ?? 9, 1e-4), `${logprob}`);
		}
	});
});
