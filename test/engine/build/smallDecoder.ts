/** A small random Llama under the names of the hub. */

import { Random } from '../../fixtures/graphBuilder.ts';
import type { NamedNumbers } from './memorySource.ts';

export const smallConfig = {
	architectures: ['LlamaForCausalLM'],
	model_type: 'llama',
	hidden_size: 32,
	intermediate_size: 48,
	num_hidden_layers: 2,
	num_attention_heads: 4,
	num_key_value_heads: 2,
	head_dim: 16,
	max_position_embeddings: 64,
	vocab_size: 300,
	rms_norm_eps: 1e-5,
	tie_word_embeddings: false,
};

/** What it reads while it is built. */
export const smallCalibration = {
	importance: [3, 50, 97, 144, 191, 238, 285, 34],
	loss: [7, 60, 113, 166, 219, 272, 27, 80],
};

export function smallWeights(seed = 5, config = smallConfig): Map<string, NamedNumbers> {
	const random = new Random(seed);
	const found = new Map<string, NamedNumbers>();
	const add = (name: string, ...shape: number[]): void => {
		const numbers = new Float32Array(shape.reduce((a, b) => a * b, 1));
		for (let k = 0; k < numbers.length; k++) {
			numbers[k] =
				random.normal() * (shape.length === 1 ? 0.3 : 1.7 / Math.sqrt(shape.at(-1) as number));
		}
		found.set(`${name}.weight`, { shape, numbers });
	};
	const { hidden_size: hidden, intermediate_size: inner, vocab_size: vocabulary } = config;
	const [queries, keys] = [config.num_attention_heads, config.num_key_value_heads].map(
		(heads) => heads * config.head_dim,
	) as [number, number];
	add('model.embed_tokens', vocabulary, hidden);
	for (let layer = 0; layer < config.num_hidden_layers; layer++) {
		const p = `model.layers.${layer}`;
		add(`${p}.input_layernorm`, hidden);
		add(`${p}.post_attention_layernorm`, hidden);
		add(`${p}.self_attn.q_proj`, queries, hidden);
		add(`${p}.self_attn.k_proj`, keys, hidden);
		add(`${p}.self_attn.v_proj`, keys, hidden);
		add(`${p}.self_attn.o_proj`, hidden, queries);
		add(`${p}.mlp.gate_proj`, inner, hidden);
		add(`${p}.mlp.up_proj`, inner, hidden);
		add(`${p}.mlp.down_proj`, hidden, inner);
	}
	add('model.norm', hidden);
	add('lm_head', vocabulary, hidden);
	return found;
}
