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
