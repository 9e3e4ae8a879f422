/**
 * Marian's weights under the names that the hub's models have for the same parts, matrices with a row for each
 * output. Factors of activations (`…_QuantMultA`) become part of the matrix they are for.
 */

import { sourceFault } from './limits.ts';
import { columnsOf, rowsOf, type SourceTensor, type TensorSource } from './tensorSource.ts';

export const marianNames = {
	headBias: 'final_logits_bias',
	shared: 'model.shared.weight',
} as const;

const whole: Readonly<Record<string, string>> = {
	Wemb: marianNames.shared,
	encoder_Wemb: 'model.encoder.embed_tokens.weight',
	decoder_Wemb: 'model.decoder.embed_tokens.weight',
	decoder_ff_logit_out_W: 'lm_head.weight',
	decoder_ff_logit_out_b: marianNames.headBias,
};

const parts: Readonly<Record<string, string>> = {
	self_Wq: 'self_attn.q_proj.weight',
	self_bq: 'self_attn.q_proj.bias',
	self_Wk: 'self_attn.k_proj.weight',
	self_bk: 'self_attn.k_proj.bias',
	self_Wv: 'self_attn.v_proj.weight',
	self_bv: 'self_attn.v_proj.bias',
	self_Wo: 'self_attn.out_proj.weight',
	self_bo: 'self_attn.out_proj.bias',
	self_Wo_ln_scale: 'self_attn_layer_norm.weight',
	self_Wo_ln_bias: 'self_attn_layer_norm.bias',
	context_Wq: 'encoder_attn.q_proj.weight',
	context_bq: 'encoder_attn.q_proj.bias',
	context_Wk: 'encoder_attn.k_proj.weight',
	context_bk: 'encoder_attn.k_proj.bias',
	context_Wv: 'encoder_attn.v_proj.weight',
	context_bv: 'encoder_attn.v_proj.bias',
	context_Wo: 'encoder_attn.out_proj.weight',
	context_bo: 'encoder_attn.out_proj.bias',
	context_Wo_ln_scale: 'encoder_attn_layer_norm.weight',
	context_Wo_ln_bias: 'encoder_attn_layer_norm.bias',
	rnn_W: 'ssru.update.weight',
	rnn_Wf: 'ssru.forget.weight',
	rnn_bf: 'ssru.forget.bias',
	rnn_ffn_ln_scale: 'self_attn_layer_norm.weight',
	rnn_ffn_ln_bias: 'self_attn_layer_norm.bias',
	ffn_W1: 'fc1.weight',
	ffn_b1: 'fc1.bias',
	ffn_W2: 'fc2.weight',
	ffn_b2: 'fc2.bias',
	ffn_ffn_ln_scale: 'final_layer_norm.weight',
	ffn_ffn_ln_bias: 'final_layer_norm.bias',
};

const factor = /_QuantMultA$/;
/** Names that factors of the head go by. */
const headFactors = ['none', 'Wemb', 'decoder_Wemb', 'decoder_ff_logit_out_W'];

/** The hub's name of a tensor; its own where it has none. */
function hubName(name: string): string {
	if (Object.hasOwn(whole, name)) return whole[name] as string;
	const found = /^(encoder|decoder)_l(\d{1,3})_(\w+)$/.exec(name);
	const [, side = '', layer = '', part = ''] = found ?? [];
	const own = Object.hasOwn(parts, part) ? parts[part] : undefined;
	return own === undefined ? name : `model.${side}.layers.${Number(layer) - 1}.${own}`;
}

interface Renamed {
	readonly from: SourceTensor;
	/** Marian multiplies from the left. */
	readonly isTurned: boolean;
}

/** @throws AppError `unsupported_model` where a factor is no number, or two tensors are one */
export async function marianWeights(
	inner: TensorSource,
	signal?: AbortSignal,
): Promise<TensorSource> {
	const factors = new Map<string, number>();
	const tensors = new Map<string, SourceTensor>();
	const renamed = new Map<string, Renamed>();
	for (const { name } of inner.tensors.values()) {
		if (!factor.test(name)) continue;
		const [value = 0] = await inner.rows(name, 0, 1, signal);
		if (!(value > 0 && Number.isFinite(value)))
			throw sourceFault(undefined, `has the factor ${value} in ${name.slice(0, 100)}`);
		factors.set(name.replace(factor, ''), value);
	}
	const head = headFactors.map((name) => factors.get(name)).find((value) => value !== undefined);
	for (const tensor of inner.tensors.values()) {
		const { name, shape } = tensor;
		if (factor.test(name)) continue;
		const own = hubName(name);
		if (tensors.has(own))
			throw sourceFault(
				undefined,
				`has two tensors for ${own}, of which one is ${name.slice(0, 100)}`,
			);
		const isEmbedding = name.endsWith('Wemb');
		const isTurned = !isEmbedding && own.endsWith('.weight') && !own.includes('norm');
		const isVector = !isEmbedding && !isTurned && shape.length === 2 && shape[0] === 1;
		const inputFactor = isEmbedding || name === 'decoder_ff_logit_out_W' ? head : factors.get(name);
		renamed.set(own, { from: tensor, isTurned });
		tensors.set(own, {
			...tensor,
			name: own,
			shape: isTurned ? [...shape].reverse() : isVector ? shape.slice(1) : shape,
			...(isTurned ? { bytesPerRow: 0 } : {}),
			...(inputFactor === undefined ? {} : { inputFactor }),
		});
	}
	return new MarianWeights(inner, tensors, renamed);
}

class MarianWeights implements TensorSource {
	readonly tensors: ReadonlyMap<string, SourceTensor>;
	readonly #inner: TensorSource;
	readonly #renamed: ReadonlyMap<string, Renamed>;
	/** The matrix that was turned last: it is read whole for any of its rows. */
	#last: { readonly name: string; readonly numbers: Float32Array } | undefined;

	constructor(
		inner: TensorSource,
		tensors: ReadonlyMap<string, SourceTensor>,
		renamed: ReadonlyMap<string, Renamed>,
	) {
		this.#inner = inner;
		this.tensors = tensors;
		this.#renamed = renamed;
	}

	get metadata(): TensorSource['metadata'] {
		return this.#inner.metadata;
	}

	#of(name: string): Renamed {
		const found = this.#renamed.get(name);
		if (found === undefined) throw new RangeError(`There is no tensor ${name}`);
		return found;
	}

	async raw(name: string, from: number, to: number, signal?: AbortSignal): Promise<Uint8Array> {
		const { from: tensor, isTurned } = this.#of(name);
		if (isTurned) throw new RangeError(`The rows of ${name} do not lie one after the other`);
		return this.#inner.raw(tensor.name, from, to, signal);
	}

	turned(name: string, signal?: AbortSignal): Promise<Uint8Array> {
		const { from: tensor } = this.#of(name);
		return this.#inner.raw(tensor.name, 0, rowsOf(tensor.shape), signal);
	}

	async rows(name: string, from: number, to: number, signal?: AbortSignal): Promise<Float32Array> {
		const { from: tensor, isTurned } = this.#of(name);
		if (!isTurned) return this.#inner.rows(tensor.name, from, to, signal);
		const [rows, columns] = [columnsOf(tensor.shape), rowsOf(tensor.shape)];
		if (!(from >= 0 && from <= to && to <= rows))
			throw new RangeError(`Rows ${from} to ${to} of the ${rows} of ${name}`);
		if (this.#last?.name !== name) {
			const stored = await this.#inner.rows(tensor.name, 0, columns, signal);
			const numbers = new Float32Array(stored.length);
			for (let row = 0; row < rows; row++)
				for (let column = 0; column < columns; column++)
					numbers[row * columns + column] = stored[column * rows + row] as number;
			this.#last = { name, numbers };
		}
		return this.#last.numbers.slice(from * columns, to * columns);
	}

	[Symbol.asyncDispose](): Promise<void> {
		return Promise.resolve(this.#inner[Symbol.asyncDispose]());
	}
}
