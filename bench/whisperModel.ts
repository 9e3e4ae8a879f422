/** Whisper base with random weights: the encoder's two convolutions, then the layers of the fixtures. */

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelDescription } from '../server/engine/api.ts';
import type { EncoderDecoder } from '../server/engine/seq2seq/encoderDecoder.ts';
import { openEncoderDecoder } from '../server/engine/seq2seq/openEncoderDecoder.ts';
import { openRuntime } from '../server/engine/verify/openRuntime.ts';
import { Layers, type TranslationShape, writeDecoder } from '../test/fixtures/translationModel.ts';
import { mergeDecoders } from './mergedDecoder.ts';
import { once } from './models.ts';

const shape: TranslationShape = {
	layers: 6,
	hidden: 512,
	heads: 8,
	inner: 2048,
	vocabulary: 51_865,
	context: 448,
	block: 32,
};
const melBins = 80;
const frames = 3000;

function whisperModel(root: string): string {
	return once(join(root, 'whisper-base'), (folder) => {
		mkdirSync(folder, { recursive: true });
		writeEncoder(join(folder, 'encoder.onnx'));
		writeDecoder(join(folder, 'first.onnx'), shape, false);
		writeDecoder(join(folder, 'later.onnx'), shape, true);
	});
}

/** The same model with its two decoders merged, for transformers.js. */
export function mergedWhisperModel(root: string): string {
	const from = whisperModel(root);
	return once(join(root, 'whisper-base-merged'), (folder) => {
		const onnx = join(folder, 'onnx');
		mkdirSync(onnx, { recursive: true });
		copyFileSync(join(from, 'encoder.onnx'), join(onnx, 'encoder_model_q4.onnx'));
		for (const name of ['encoder.onnx_data', 'first.onnx_data'])
			copyFileSync(join(from, name), join(onnx, name));
		mergeDecoders(
			join(from, 'first.onnx'),
			join(from, 'later.onnx'),
			join(onnx, 'decoder_model_merged_q4.onnx'),
		);
		const { layers, hidden, heads, vocabulary, context } = shape;
		const tokens = { decoder_start_token_id: 1, eos_token_id: 0, pad_token_id: 0, bos_token_id: 1 };
		const config = {
			architectures: ['WhisperForConditionalGeneration'],
			model_type: 'whisper',
			is_encoder_decoder: true,
			d_model: hidden,
			encoder_layers: layers,
			decoder_layers: layers,
			encoder_attention_heads: heads,
			decoder_attention_heads: heads,
			num_mel_bins: melBins,
			max_source_positions: frames / 2,
			max_target_positions: context,
			vocab_size: vocabulary,
			...tokens,
		};
		writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
		const generation = { ...tokens, max_length: context, is_multilingual: false };
		writeFileSync(join(folder, 'generation_config.json'), JSON.stringify(generation));
	});
}

/** Opens the model, made once under `root`. */
export async function openWhisper(
	root: string,
	threads: number,
	plain: boolean,
): Promise<EncoderDecoder> {
	const folder = whisperModel(root);
	const description = { folder, vocabularySize: shape.vocabulary } as ModelDescription;
	return openEncoderDecoder({
		description,
		variant: {
			precision: 'q4',
			sizeBytes: 1,
			files: { encoder: 'encoder.onnx', decoder: 'first.onnx', 'decoder-with-past': 'later.onnx' },
		},
		runtime: await openRuntime(plain ? true : undefined),
		session: { config: {}, threads, executionProvider: 'cpu' },
	});
}

function writeEncoder(path: string): void {
	const { hidden, layers } = shape;
	const m = new Layers(path, shape, 31);
	const { g } = m;
	const gelu = (x: string): string => g.node('Gelu', [x]);
	const convolve = (x: string, name: string, from: number, stride: number): string =>
		g.node('Conv', [x, g.normal(`${name}.w`, [hidden, from, 3], 1 / Math.sqrt(3 * from))], {
			kernel_shape: [3],
			pads: [1, 1],
			strides: [stride],
		});
	const features = g.input('input_features', 'float32', ['batch', melBins, frames]);
	const narrow = gelu(convolve(gelu(convolve(features, 'c1', melBins, 1)), 'c2', hidden, 2));
	const places = g.normal('places', [frames / 2, hidden], 0.1);
	let x = g.node('Add', [g.node('Transpose', [narrow], { perm: [0, 2, 1] }), places]);
	for (let layer = 0; layer < layers; layer++) {
		const name = `e${layer}`;
		const h = m.norm(x, `${name}.a`);
		const part = (which: string): string =>
			m.heads(m.matrix(h, hidden, hidden, `${name}.${which}`));
		const mixed = m.attend(part('q'), part('k'), part('v'), undefined);
		x = m.feedForward(g.node('Add', [x, m.matrix(mixed, hidden, hidden, `${name}.o`)]), name);
	}
	g.node('Identity', [m.norm(x, 'final')], {}, 'last_hidden_state');
	g.output('last_hidden_state', 'float32', ['batch', frames / 2, hidden]);
	g.save();
}

/** Milliseconds of one encoder run. */
export async function measureEncoder(model: EncoderDecoder): Promise<number> {
	const start = performance.now();
	await model.encode({ input_features: features(1) });
	return performance.now() - start;
}

/** Milliseconds per row of a decoder step over `rows` windows, after a prompt of four tokens. */
export async function measureSteps(model: EncoderDecoder, rows: number): Promise<number> {
	const encoded = await model.encode({ input_features: features(1) });
	const { hidden, positions, mask } = encoded;
	const repeat = <T extends { set(values: T, at: number): void; length: number }>(
		data: T,
		bigger: T,
	): T => {
		for (let row = 0; row < rows; row++) bigger.set(data, row * data.length);
		return bigger;
	};
	const run = model.start({
		items: rows,
		positions,
		hidden: {
			...hidden,
			dims: [rows, ...hidden.dims.slice(1)],
			data: repeat(hidden.data as Float32Array, new Float32Array(rows * hidden.data.length)),
		},
		mask: {
			...mask,
			dims: [rows, positions],
			data: repeat(mask.data as BigInt64Array, new BigInt64Array(rows * positions)),
		},
	});
	const same = (tokens: number[]): number[][] => Array.from({ length: rows }, () => tokens);
	await run.feed(same([1, 2, 3, 4]));
	await run.feed(same([5]));
	const steps = 30;
	const start = performance.now();
	for (let k = 0; k < steps; k++) await run.feed(same([k]));
	const ms = (performance.now() - start) / steps / rows;
	run.release();
	return ms;
}

/** Any sound: `[1, 80, 3000]`. */
export function features(seed: number) {
	let state = seed;
	const data = Float32Array.from({ length: melBins * frames }, () => {
		state = (state * 16_807) % 2_147_483_647;
		return state / 1_073_741_824 - 1;
	});
	return { type: 'float32' as const, dims: [1, melBins, frames], data };
}
