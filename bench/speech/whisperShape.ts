/** Encoder-decoders with the shapes of the published Whisper models and random weights: speed only. */

import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { byteTokenizer } from '../../test/fixtures/tokenizerFiles.ts';
import {
	Layers,
	type TranslationShape,
	writeDecoder,
} from '../../test/fixtures/translationModel.ts';

const melBins = 80;
const frames = 3000;

/** Layers and widths of the published sizes. */
export const whisperShapes = {
	tiny: { layers: 4, hidden: 384, heads: 6, inner: 1536, vocabulary: 51_865, context: 448 },
	base: { layers: 6, hidden: 512, heads: 8, inner: 2048, vocabulary: 51_865, context: 448 },
	small: { layers: 12, hidden: 768, heads: 12, inner: 3072, vocabulary: 51_865, context: 448 },
} as const satisfies Readonly<Record<string, TranslationShape>>;

/** Folder of a model of this size, made once under `root`. */
export function whisperModel(root: string, size: keyof typeof whisperShapes): string {
	const folder = join(root, `whisper-${size}-random`);
	if (existsSync(folder)) return folder;
	const temporary = `${folder}.${process.pid}.tmp`;
	rmSync(temporary, { recursive: true, force: true });
	mkdirSync(join(temporary, 'onnx'), { recursive: true });
	const shape = whisperShapes[size];
	const file = (stem: string): string => join(temporary, 'onnx', `${stem}.onnx`);
	writeEncoder(file('encoder_model'), shape);
	writeDecoder(file('decoder_model'), shape, false);
	writeDecoder(file('decoder_with_past_model'), shape, true);
	const config = {
		architectures: ['WhisperForConditionalGeneration'],
		model_type: 'whisper',
		is_encoder_decoder: true,
		d_model: shape.hidden,
		num_mel_bins: melBins,
		max_source_positions: frames / 2,
		max_target_positions: shape.context,
		encoder_layers: shape.layers,
		decoder_layers: shape.layers,
		encoder_attention_heads: shape.heads,
		decoder_attention_heads: shape.heads,
		vocab_size: shape.vocabulary,
		decoder_start_token_id: 258,
		eos_token_id: 257,
	};
	writeFileSync(join(temporary, 'config.json'), JSON.stringify(config));
	byteTokenizer(temporary);
	renameSync(temporary, folder);
	return folder;
}

/** Two convolutions, then layers with self-attention (Radford et al. 2022, section 2.2). */
function writeEncoder(path: string, shape: TranslationShape): void {
	const { hidden, layers } = shape;
	const m = new Layers(path, shape, 21);
	const { g } = m;
	const features = g.input('input_features', 'float32', ['batch', melBins, frames]);
	const convolve = (x: string, name: string, from: number, stride: number): string => {
		const weight = g.normal(`${name}.w`, [hidden, from, 3], 1 / Math.sqrt(3 * from));
		const out = g.node('Conv', [x, weight], { kernel_shape: [3], strides: [stride], pads: [1, 1] });
		return gelu(m, out);
	};
	const heard = convolve(convolve(features, 'conv1', melBins, 1), 'conv2', hidden, 2);
	const turned = g.node('Transpose', [heard], { perm: [0, 2, 1] });
	let x = g.node('Add', [turned, g.normal('positions.w', [frames / 2, hidden], 0.1)]);
	for (let layer = 0; layer < layers; layer++) {
		const name = `e${layer}`;
		const h = m.norm(x, `${name}.a`);
		const part = (which: string): string =>
			m.heads(m.matrix(h, hidden, hidden, `${name}.${which}`));
		const mixed = m.attend(part('q'), part('k'), part('v'), undefined);
		x = g.node('Add', [x, m.matrix(mixed, hidden, hidden, `${name}.o`)]);
		const wide = m.matrix(m.norm(x, `${name}.m`), hidden, shape.inner, `${name}.up`);
		x = g.node('Add', [x, m.matrix(gelu(m, wide), shape.inner, hidden, `${name}.down`)]);
	}
	g.node('Identity', [m.norm(x, 'final')], {}, 'last_hidden_state');
	g.output('last_hidden_state', 'float32', ['batch', frames / 2, hidden]);
	g.save();
}

/** By the error function, as the exporters write it. */
function gelu({ g }: Layers, x: string): string {
	const error = g.node('Erf', [g.node('Mul', [x, g.float(Math.SQRT1_2)])]);
	const half = g.node('Mul', [x, g.float(0.5)]);
	return g.node('Mul', [half, g.node('Add', [error, g.float(1)])]);
}
