/** The loss of a build: what is computed while the numbers pass by, against a model that keeps them. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { BuildOptions } from '../../../../server/engine/build/buildModel.ts';
import { checkBuilt } from '../../../../server/engine/build/checkBuilt.ts';
import {
	type CalibrationTokens,
	readCalibration,
} from '../../../../server/engine/build/measure/calibration.ts';
import type { Followed } from '../../../../server/engine/build/measure/follow.ts';
import { readLogits } from '../../../../server/engine/build/measure/loss.ts';
import { describeModel } from '../../../../server/engine/modelFiles/describe.ts';
import { byteTokenizer } from '../../../fixtures/tokenizerFiles.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { openDecoder } from '../../openDecoder.ts';
import { memorySource } from '../memorySource.ts';
import { randomWeights } from '../randomWeights.ts';
import { build, relativeError, someTokens } from '../rebuilt.ts';
import { smallConfig, smallWeights } from '../smallDecoder.ts';

interface Case {
	readonly name: string;
	readonly seed: number;
	readonly config: Readonly<Record<string, unknown>>;
	readonly tensors: readonly (readonly [name: string, shape: readonly number[]])[];
	readonly tokens: readonly number[];
	/** Of the last 8 tokens. */
	readonly logits: readonly number[];
}

/** Those whose graphs have nodes that others have not. */
const telling =
	/biases|falcon|norms without|Llama 3|granite|olmo2|smollm3|gemma3|phi|starcoder2|mixtral|experts,/;
const all: readonly Case[] = JSON.parse(
	readFileSync(new URL('../../../fixtures/torchDecoders.json', import.meta.url), 'utf8'),
);
const cases = all.filter(({ name }) => telling.test(name));

const config = { ...smallConfig, hidden_size: 64, intermediate_size: 128, head_dim: 16 };
const weights = smallWeights(3, config);
const calibration: CalibrationTokens = {
	importance: someTokens(40, 300),
	loss: someTokens(41, 300).slice(1),
};
const enough = { neededBytes: 0, availableBytes: 1 };

describe('the loss of a build', () => {
	const folder = temporaryFolder();
	const followed = async (name: string, more: Partial<BuildOptions> = {}, given = weights) => {
		let found: Followed | undefined;
		const to = await build(memorySource(given), more.config ?? config, join(folder, name), {
			keep: false,
			minFourBitNumbers: 0,
			calibration: async () => calibration,
			check: async (_, seen) => {
				found = seen;
				return undefined;
			},
			...more,
		});
		byteTokenizer(to);
		assert.ok(found);
		return { to, found };
	};
	const keptLogits = async (to: string, positions: number) => {
		const decoder = await openDecoder(to, { plain: true, prepare: false });
		try {
			return (await readLogits(decoder, calibration.loss, positions)).logits;
		} finally {
			decoder.close();
		}
	};

	for (const [index, one] of cases.entries())
		it(`is measured against what PyTorch computes of ${one.name}`, async () => {
			const given = randomWeights(one);
			const own: CalibrationTokens = { importance: one.tokens.toReversed(), loss: one.tokens };
			const options = { config: one.config, calibration: async () => own };
			const { found } = await followed(`built ${index}`, options, given);
			const { logits = new Float32Array() } = found.reference?.expected ?? {};
			const error = relativeError([...logits.subarray(-one.logits.length)], one.logits);
			assert.ok(error < 1e-5, `relative error ${error}`);
		});

	it('is what the answers differ by, and is found in the folder', async () => {
		const to = await build(memorySource(weights), config, join(folder, 'said'), {
			keep: false,
			minFourBitNumbers: 0,
			calibration: async () => calibration,
			check: (work, found) => {
				byteTokenizer(work);
				return checkBuilt(work, found, enough);
			},
		});
		const { loss } = await describeModel(to);
		assert.ok(loss?.measured === 'answers');
		assert.equal(loss.positions, calibration.loss.length);
		assert.ok(loss.divergence > 1e-4 && loss.divergence < 1, `${loss.divergence} nats`);
		assert.ok(loss.sameToken > 0.5 && loss.sameToken <= 1, `${loss.sameToken}`);
		assert.ok(loss.weightError > 0.02 && loss.weightError < 0.15, `${loss.weightError}`);
		assert.match(loss.worstWeight?.name ?? '', /weight_Q/);
	});

	it('is of the weights alone where the model does not fit into memory, and says so', async () => {
		const { to, found } = await followed('large');
		const loss = await checkBuilt(to, found, { neededBytes: 2, availableBytes: 1 });
		assert.ok(loss.measured === 'weights');
		assert.match(loss.why, /does not fit/);
		assert.ok(loss.weightError > 0.02);
	});

	it('is nothing where the numbers are kept', async () => {
		const { to, found } = await followed('kept', { keep: true });
		assert.equal(found.reference, undefined, 'nothing was computed');
		assert.deepEqual(await checkBuilt(to, found, enough), { measured: 'nothing' });
	});

	it('is smaller where columns count by what texts multiply them with', async () => {
		// A few columns of every activation are large, as in trained models.
		const loud = new Map(weights);
		for (const [name, { shape, numbers }] of weights) {
			if (!name.includes('layernorm')) continue;
			const louder = numbers.map((number, k) => (k % 16 === 3 ? 12 : number));
			loud.set(name, { shape, numbers: louder });
		}
		const kept = await followed('loud kept', { keep: true }, loud);
		const expected = await keptLogits(kept.to, 40);
		const error = async (importance: boolean) => {
			const { to } = await followed(`loud ${importance}`, { importance }, loud);
			return relativeError([...(await keptLogits(to, 40))], [...expected]);
		};
		const [plain, weighed] = [await error(false), await error(true)];
		console.log(`measured: ${plain.toFixed(3)} of the logits, ${weighed.toFixed(3)} by importance`);
		assert.ok(weighed < plain * 0.9, `${weighed} of ${plain}`);
	});

	it('is the same, and so are the bytes, when a build goes on after it was cancelled', async () => {
		const whole = await followed('at once');
		const bytesOf = (to: string) =>
			readdirSync(join(to, 'onnx')).map((name) => readFileSync(join(to, 'onnx', name)));
		for (const stopAt of [2, 9, 16]) {
			const stop = new AbortController();
			let bands = 0;
			const interrupted = followed(`in parts ${stopAt}`, {
				noteBytes: 1,
				signal: stop.signal,
				onProgress: () => {
					if (++bands === stopAt) stop.abort();
				},
			});
			await assert.rejects(interrupted, { code: 'cancelled' });
			const source = memorySource(weights);
			const { to, found } = await followed(`in parts ${stopAt}`, { source });
			const again = source.reads.filter((read) =>
				read.startsWith('model.layers.0.input_layernorm'),
			);
			assert.deepEqual(again, [], 'the first band is not read again');
			assert.deepEqual(bytesOf(to), bytesOf(whole.to));
			assert.deepEqual(found.errors.entries(), whole.found.errors.entries());
			assert.deepEqual(
				found.reference?.expected.logits,
				whole.found.reference?.expected.logits,
				`stopped after ${stopAt}`,
			);
			assert.deepEqual(readdirSync(join(folder, '.building')), []);
		}
	});

	it('needs texts of the model’s own tokenizer', async () => {
		byteTokenizer(folder);
		const found = await readCalibration(folder, 300, 2048);
		assert.equal(found?.loss.length, 96);
		assert.equal(found.importance.length, 96);
		assert.notDeepEqual(found.loss, found.importance);
		assert.equal((await readCalibration(folder, 300, 40))?.loss.length, 40);
		assert.equal(await readCalibration(folder, 300, 8), undefined, 'too short');
		assert.equal(await readCalibration(join(folder, 'nowhere'), 300, 2048), undefined);
	});
});
