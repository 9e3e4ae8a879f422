/** Settings of decoders in the forms that versions of the format have for them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDecoderConfig } from '../../../../server/engine/build/architectures/decoderConfig.ts';
import { smallConfig } from '../smallDecoder.ts';

test('the part of a head that is rotated may stand beside the base', () => {
	const sizeOf = (more: object) =>
		readDecoderConfig({ ...smallConfig, model_type: 'phi', head_dim: 40, ...more }).ropes[0]
			?.rotarySize;
	assert.equal(sizeOf({}), 20);
	assert.equal(sizeOf({ partial_rotary_factor: 0.4 }), 16);
	const parameters = { rope_type: 'default', rope_theta: 10_000, partial_rotary_factor: 0.4 };
	assert.equal(sizeOf({ rope_parameters: parameters }), 16);
	assert.equal(sizeOf({ rope_parameters: { full_attention: parameters } }), 16);
});

test('SmolLM3 has every fourth layer without positions where its settings do not list them', () => {
	const without = (more: object) =>
		readDecoderConfig({
			...smallConfig,
			model_type: 'smollm3',
			num_hidden_layers: 9,
			...more,
		}).layers.flatMap(({ rope }, layer) => (rope === undefined ? [layer] : []));
	assert.deepEqual(without({}), [3, 7]);
	assert.deepEqual(without({ no_rope_layer_interval: 3 }), [2, 5, 8]);
	assert.deepEqual(without({ no_rope_layers: [1, 0, 1, 1, 1, 1, 1, 1, 1] }), [1]);
});

test('a context beyond what is built is cut, and what stretches positions goes by the whole', () => {
	const scaling = {
		rope_type: 'longrope',
		short_factor: new Array(4).fill(1),
		long_factor: new Array(4).fill(2),
	};
	const read = (tokens: number) => {
		const { contextLength, ropes } = readDecoderConfig({
			...smallConfig,
			model_type: 'phi3',
			head_dim: 8,
			max_position_embeddings: tokens,
			original_max_position_embeddings: 4096,
			rope_scaling: scaling,
		});
		const [rope] = ropes;
		assert.ok(rope?.scaling.kind === 'longrope');
		return { contextLength, factor: rope.scaling.attentionFactor };
	};
	assert.deepEqual(read(131_072), { contextLength: 131_072, factor: Math.sqrt(1 + 5 / 12) });
	assert.deepEqual(read(1_048_576), { contextLength: 262_144, factor: Math.sqrt(1 + 8 / 12) });
});

test('a setting of positions that is not known is refused, one that says nothing of texts is not', () => {
	const read = (more: object) =>
		readDecoderConfig({
			...smallConfig,
			rope_scaling: { rope_type: 'linear', factor: 2, ...more },
		});
	assert.throws(() => read({ long_mscale: 1.2 }), /sets "long_mscale" in rope_scaling/);
	assert.doesNotThrow(() => read({ mrope_section: [2, 1, 1], long_mscale: null }));
});

test('heads that are neither tied nor not are as usual in the family', () => {
	const tied = (model: string, value: unknown) =>
		readDecoderConfig({ ...smallConfig, model_type: model, tie_word_embeddings: value }).tied;
	for (const value of [null, undefined]) {
		assert.equal(tied('gemma', value), true);
		assert.equal(tied('llama', value), false);
	}
	assert.equal(tied('gemma', false), false);
	assert.equal(tied('llama', true), true);
});
