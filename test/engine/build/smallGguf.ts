/** A small random Llama as one GGUF file, with a tokenizer of bytes, a chat template and a licence. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { byteTokenizer } from '../../fixtures/tokenizerFiles.ts';
import { type GgufValue, ggufBytes } from '../../fixtures/weightFiles.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { f32Tensor } from './ggufFile.ts';
import { smallConfig, smallWeights } from './smallDecoder.ts';
import { byteLevelGguf } from './tokenizer/ggufOf.ts';

const parts: Readonly<Record<string, string>> = {
	input_layernorm: 'attn_norm',
	post_attention_layernorm: 'ffn_norm',
	'self_attn.q_proj': 'attn_q',
	'self_attn.k_proj': 'attn_k',
	'self_attn.v_proj': 'attn_v',
	'self_attn.o_proj': 'attn_output',
	'mlp.gate_proj': 'ffn_gate',
	'mlp.up_proj': 'ffn_up',
	'mlp.down_proj': 'ffn_down',
};

const ggufName = (name: string): string =>
	name
		.replace(
			/^model\.layers\.(\d+)\.(.+)\.weight$/,
			(_, layer, part) => `blk.${layer}.${parts[part]}.weight`,
		)
		.replace('model.embed_tokens', 'token_embd')
		.replace('model.norm', 'output_norm')
		.replace('lm_head', 'output');

function valueFor(value: unknown): GgufValue {
	if (typeof value === 'string') return { type: 'text', value };
	if (typeof value === 'boolean') return { type: 'bool', value };
	if (typeof value === 'number') return { type: 'u32', value };
	const list = value as readonly unknown[];
	const whole = list.every((item) => typeof item === 'number' && item % 1 === 0);
	return {
		type: 'list',
		of: typeof list[0] === 'string' ? 'text' : whole ? 'i32' : 'f32',
		value: list,
	};
}

/** @param more metadata that counts more than its own */
export function smallGguf(more: Readonly<Record<string, unknown>> = {}): Uint8Array {
	const folder = temporaryFolder('gguf');
	byteTokenizer(folder);
	const json = JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8'));
	const { chat_template: template } = JSON.parse(
		readFileSync(join(folder, 'tokenizer_config.json'), 'utf8'),
	);
	const tokenizer = byteLevelGguf(json, {
		pre: 'gpt-2',
		more: {
			bos_token_id: 256,
			eos_token_id: 257,
			padding_token_id: 258,
			'tokenizer.chat_template': template,
		},
	});
	const metadata: [string, GgufValue][] = Object.entries({
		'general.architecture': 'llama',
		'general.license': 'apache-2.0',
		'llama.context_length': 512,
		'llama.embedding_length': smallConfig.hidden_size,
		'llama.block_count': smallConfig.num_hidden_layers,
		'llama.feed_forward_length': smallConfig.intermediate_size,
		'llama.attention.head_count': smallConfig.num_attention_heads,
		'llama.attention.head_count_kv': smallConfig.num_key_value_heads,
		'llama.attention.key_length': smallConfig.head_dim,
		...Object.fromEntries(tokenizer),
		...more,
	}).map(([key, value]) => [key, valueFor(value)]);
	metadata.push(['llama.attention.layer_norm_rms_epsilon', { type: 'f32', value: 1e-5 }]);
	const tensors = [...smallWeights()].map(([name, given]) => f32Tensor(ggufName(name), given));
	return ggufBytes({ metadata, tensors });
}
