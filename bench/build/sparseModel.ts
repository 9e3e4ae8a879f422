/** A model as large as one likes whose weights are a hole in a file: it takes no room on the disk. */

import { closeSync, ftruncateSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { byteTokenizer } from '../../test/fixtures/tokenizerFiles.ts';

const hidden = 4096;
const inner = 14_336;
const keys = 1024;
const vocabulary = 128_256;

/** Writes a Llama of about so many gigabytes of float16. */
export function writeSparseModel(folder: string, gigabytes: number): void {
	const shapes: [string, readonly number[]][] = [
		['model.embed_tokens', [vocabulary, hidden]],
		['model.norm', [hidden]],
	];
	const perLayer: readonly (readonly [string, readonly number[]])[] = [
		['input_layernorm', [hidden]],
		['post_attention_layernorm', [hidden]],
		['self_attn.q_proj', [hidden, hidden]],
		['self_attn.k_proj', [keys, hidden]],
		['self_attn.v_proj', [keys, hidden]],
		['self_attn.o_proj', [hidden, hidden]],
		['mlp.gate_proj', [inner, hidden]],
		['mlp.up_proj', [inner, hidden]],
		['mlp.down_proj', [hidden, inner]],
	];
	const bytesOf = (shape: readonly number[]) => 2 * shape.reduce((a, b) => a * b, 1);
	const layerBytes = perLayer.reduce((sum, [, shape]) => sum + bytesOf(shape), 0);
	const layers = Math.max(1, Math.round((gigabytes * 1e9 - 2 * vocabulary * hidden) / layerBytes));
	for (let layer = 0; layer < layers; layer++)
		for (const [name, shape] of perLayer) shapes.push([`model.layers.${layer}.${name}`, shape]);
	let at = 0;
	const header: Record<string, unknown> = {};
	for (const [name, shape] of shapes) {
		const end = at + bytesOf(shape);
		header[`${name}.weight`] = { dtype: 'F16', shape, data_offsets: [at, end] };
		at = end;
	}
	const text = Buffer.from(JSON.stringify(header));
	const length = Buffer.alloc(8);
	length.writeBigUInt64LE(BigInt(text.length));
	mkdirSync(folder, { recursive: true });
	const file = openSync(join(folder, 'model.safetensors'), 'w');
	writeSync(file, length);
	writeSync(file, text);
	ftruncateSync(file, 8 + text.length + at);
	closeSync(file);
	const config = {
		model_type: 'llama',
		hidden_size: hidden,
		intermediate_size: inner,
		num_hidden_layers: layers,
		num_attention_heads: 32,
		num_key_value_heads: 8,
		max_position_embeddings: 2048,
		vocab_size: vocabulary,
		rms_norm_eps: 1e-5,
		tie_word_embeddings: true,
	};
	writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
	byteTokenizer(folder);
}
