/**
 * Makes Whisper folders in the ONNX Runtime GenAI layout out of folders in the transformers.js one:
 * the same weights, in graphs with the names, types and operators of its model builder. The encoder
 * gives the cross-attention caches, the decoder takes int32 tokens and all caches.
 */

import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importContrib } from '../../../server/engine/onnx/contribDomain.ts';
import { intAttribute, makeNode, removeDead } from '../../../server/engine/onnx/graphEdit.ts';
import {
	decodeModel,
	encodeModel,
	type OnnxGraph,
	type OnnxModel,
	type OnnxNode,
	type OnnxValue,
} from '../../../server/engine/onnx/onnxModel.ts';
import { int64Tensor } from '../../../server/engine/onnx/tensorProto.ts';
import { readFields, WireWriter } from '../../../server/engine/onnx/wire.ts';

const float32 = 1;
const int32 = 6;
const int64 = 7;

export interface GenaiOptions {
	/** Operators of the builder instead of those of the source; needs the source's weights in float32. */
	readonly fused?: boolean;
	/** The decoder gives its cross-attention scores as outputs. */
	readonly scores?: boolean;
	/** Logits of the last token only. */
	readonly lastLogits?: boolean;
	/** … and declares one for each token. */
	readonly declaresAllLogits?: boolean;
	/** Replaces parts of `model` in genai_config.json. */
	readonly config?: Readonly<Record<string, unknown>>;
}

interface Sizes {
	readonly layers: number;
	readonly heads: number;
	readonly headSize: number;
	readonly positions: number;
}

/** Writes the folder `to`: both graphs, the tokenizer and genai_config.json, and nothing else. */
export async function repackWhisper(
	from: string,
	to: string,
	options: GenaiOptions = {},
): Promise<void> {
	const suffix = options.fused ? '' : '_quantized';
	const read = async (name: string) =>
		decodeModel(await readFile(join(from, 'onnx', `${name}${suffix}.onnx`)));
	const config = JSON.parse(await readFile(join(from, 'config.json'), 'utf8'));
	const sizes: Sizes = {
		layers: config.decoder_layers,
		heads: config.decoder_attention_heads,
		headSize: config.d_model / config.decoder_attention_heads,
		positions: config.max_source_positions,
	};
	const encoder = await read('encoder_model');
	const decoder = await read('decoder_model_merged');
	const opened = options.fused ? fusedDecoder(decoder, sizes, options) : plainDecoder(decoder);
	cachesFrom(encoder, opened.makesCaches, decoder.graph, sizes);
	await mkdir(to, { recursive: true });
	await writeFile(join(to, 'encoder.onnx'), encodeModel(encoder));
	await writeFile(join(to, 'decoder.onnx'), encodeModel(opened.model));
	for (const name of ['tokenizer.json', 'tokenizer_config.json'])
		await copyFile(join(from, name), join(to, name));
	const genai = genaiConfig(config, sizes, options);
	await writeFile(join(to, 'genai_config.json'), JSON.stringify(genai, null, '\t'));
}

/** Appends what makes the caches to the encoder, under the names of this layout. */
function cachesFrom(
	encoder: OnnxModel,
	nodes: readonly OnnxNode[],
	weights: OnnxGraph,
	{ layers, heads, headSize, positions }: Sizes,
): void {
	const { graph } = encoder;
	rename(graph.nodes, 'input_features', 'audio_features');
	rename(graph.nodes, 'last_hidden_state', 'hidden_states');
	graph.inputs = graph.inputs.map((input) => ({ ...input, name: 'audio_features' }));
	graph.outputs = graph.outputs.map((output) => ({ ...output, name: 'hidden_states' }));
	for (const weight of weights.initializers) {
		if (!nodes.some(({ inputs }) => inputs.includes(weight.name))) continue;
		// Both graphs count their constants from 0.
		const name = `cross/${weight.name}`;
		rename(nodes, weight.name, name);
		graph.initializers.push({ name, bytes: named(weight.bytes, name) });
	}
	graph.nodes.push(...nodes);
	for (let layer = 0; layer < layers; layer++) {
		for (const part of ['key', 'value']) {
			graph.outputs.push(
				tensor(`present_${part}_cross_${layer}`, ['batch_size', heads, positions, headSize]),
			);
		}
	}
}

/** The source's own operators; the branch that makes the caches goes to the encoder. */
function plainDecoder(model: OnnxModel) {
	const { graph } = model;
	const branching = graph.nodes.find(({ op }) => op === 'If') as OnnxNode;
	const first = branching.attributes.find(({ name }) => name === 'else_branch')?.graph as OnnxGraph;
	const made = first.nodes.map((node) => ({ ...node }));
	rename(made, 'encoder_hidden_states', 'hidden_states');
	for (const [index, output] of branching.outputs.entries()) {
		const [, layer = '', part = ''] = /present\.(\d+)\.encoder\.(\w+)/.exec(output) ?? [];
		rename(made, first.outputs[index]?.name ?? '', `present_${part}_cross_${layer}`);
	}
	const nodes = graph.nodes.filter((node) => node !== branching);
	for (const name of new Set(nodes.flatMap(({ inputs, outputs }) => [...inputs, ...outputs])))
		rename(nodes, name, genaiName(name));
	// The builder's tokens are int32.
	rename(nodes, 'input_ids', 'wide_ids');
	nodes.unshift(makeNode('Cast', ['input_ids'], ['wide_ids'], [intAttribute('to', int64)]));
	const keep = ({ name }: OnnxValue) => /^(input_ids|logits|(past|present)_)/.test(name);
	const renamed = (value: OnnxValue) => ({ ...value, name: genaiName(value.name) });
	const edited: OnnxGraph = {
		...graph,
		nodes,
		inputs: graph.inputs
			.map(renamed)
			.filter(keep)
			.map((value) => (value.name === 'input_ids' ? { ...value, elementType: int32 } : value)),
		outputs: graph.outputs
			.map(renamed)
			.filter((value) => keep(value) && !value.name.includes('cross')),
	};
	removeDead(edited);
	return { model: { ...model, graph: edited }, makesCaches: made };
}

/** Names of the source → names of the builder. */
function genaiName(name: string): string {
	const cache = /^(past_key_values|present)\.(\d+)\.(decoder|encoder)\.(key|value)$/.exec(name);
	if (cache !== null) {
		const [, when, layer, side, part] = cache;
		// The decoder reads the encoder's caches where the source read what its branch gave.
		const isInput = when === 'past_key_values' || side === 'encoder';
		return `${isInput ? 'past' : 'present'}_${part}_${side === 'encoder' ? 'cross' : 'self'}_${layer}`;
	}
	// As exporters name the softmax of a layer; an output of the source is none here.
	const weights = /^cross_attentions\.(\d+)$/.exec(name);
	return weights === null ? name : `/model/layers.${weights[1]}/cross_attn/Softmax_output_0`;
}

/** The operators of the builder, on the source's weights. */
function fusedDecoder(source: OnnxModel, sizes: Sizes, options: GenaiOptions) {
	const { layers, heads, headSize, positions } = sizes;
	const branch = source.graph.nodes[0]?.attributes.find(({ name }) => name === 'else_branch');
	const exported = branch?.graph as OnnxGraph;
	/** The weight of a layer's operator, by the end of the operator's name. */
	const weight = (of: string, place = 1): string => {
		const node = exported.nodes.find(({ name }) => name.endsWith(of));
		if (node === undefined) throw new Error(`The source has no ${of}.`);
		return node.inputs.filter((name) => source.graph.initializers.some((one) => one.name === name))[
			place - 1
		] as string;
	};
	const nodes: OnnxNode[] = [];
	let count = 0;
	const op = (
		kind: string,
		inputs: string[],
		attributes: OnnxNode['attributes'] = [],
		domain = '',
	): string => {
		const output = `/model/${kind}_${count++}/output_0`;
		nodes.push(makeNode(kind, inputs, [output], attributes, domain));
		return output;
	};
	const linear = (x: string, name: string, bias = true): string => {
		const product = op('MatMul', [x, weight(`${name}/MatMul`)]);
		return bias ? op('Add', [product, weight(`${name}/Add`)]) : product;
	};
	const norm = (x: string, name: string): string =>
		op('LayerNormalization', [
			x,
			weight(`${name}/LayerNormalization`, 1),
			weight(`${name}/LayerNormalization`, 2),
		]);
	const attend = (inputs: string[], outputs: string[], causal: boolean): string => {
		const output = `/model/MultiHeadAttention_${count++}/output_0`;
		nodes.push(
			makeNode(
				'MultiHeadAttention',
				inputs,
				[output, ...outputs],
				[intAttribute('num_heads', heads), intAttribute('unidirectional', causal ? 1 : 0)],
				'com.microsoft',
			),
		);
		return output;
	};
	const constants = [
		int64Tensor('/one', [1], [1]),
		int64Tensor('/two', [2], [1]),
		int64Tensor('/zero', [0], [1]),
		int64Tensor('/last', [-1], [1]),
		int64Tensor('/heads', [0, 0, heads, headSize], [4]),
	];
	const past = op('Gather', [op('Shape', ['past_key_self_0']), '/two']);
	const tokens = op('Gather', [op('Shape', ['input_ids']), '/one']);
	const places = op('Slice', [
		weight('embed_positions/Gather'),
		past,
		op('Add', [past, tokens]),
		'/zero',
	]);
	let x = op('Add', [op('Gather', [weight('embed_tokens/Gather'), 'input_ids']), places]);
	const outputs: OnnxValue[] = [];
	for (let layer = 0; layer < layers; layer++) {
		const at = `layers.${layer}`;
		const y = norm(x, `${at}/self_attn_layer_norm`);
		const self = attend(
			[
				linear(y, `${at}/self_attn/q_proj`),
				linear(y, `${at}/self_attn/k_proj`, false),
				linear(y, `${at}/self_attn/v_proj`),
				'',
				'',
				'',
				`past_key_self_${layer}`,
				`past_value_self_${layer}`,
			],
			[`present_key_self_${layer}`, `present_value_self_${layer}`],
			true,
		);
		x = op('Add', [x, linear(self, `${at}/self_attn/out_proj`)]);
		const query = linear(norm(x, `${at}/encoder_attn_layer_norm`), `${at}/encoder_attn/q_proj`);
		const cross = attend(
			[query, `past_key_cross_${layer}`, `past_value_cross_${layer}`],
			options.scores ? ['', '', `output_cross_qk_${layer}`] : [],
			false,
		);
		x = op('Add', [x, linear(cross, `${at}/encoder_attn/out_proj`)]);
		const inner = linear(norm(x, `${at}/final_layer_norm`), `${at}/fc1`);
		x = op('Add', [x, linear(op('Gelu', [inner], [], 'com.microsoft'), `${at}/fc2`)]);
		outputs.push(
			...['key', 'value'].map((part) =>
				tensor(`present_${part}_self_${layer}`, ['batch_size', heads, 'total', headSize]),
			),
			...(options.scores
				? [tensor(`output_cross_qk_${layer}`, ['batch_size', heads, 'tokens', positions])]
				: []),
		);
	}
	x = norm(x, 'decoder/layer_norm');
	// The last token alone, as a sequence of one.
	if (options.lastLogits) x = op('Gather', [x, '/last'], [intAttribute('axis', 1)]);
	nodes.push(makeNode('MatMul', [x, weight('proj_out/MatMul')], ['logits']));
	const graph: OnnxGraph = {
		...source.graph,
		nodes,
		inputs: [
			{ name: 'input_ids', elementType: int32, dims: ['batch_size', 'sequence_length'] },
			...Array.from({ length: layers }, (_, layer) =>
				['key', 'value'].flatMap((part) => [
					tensor(`past_${part}_self_${layer}`, ['batch_size', heads, 'past', headSize]),
					tensor(`past_${part}_cross_${layer}`, ['batch_size', heads, positions, headSize]),
				]),
			).flat(),
		],
		outputs: [
			tensor('logits', [
				'batch_size',
				options.lastLogits && !options.declaresAllLogits ? 1 : 'sequence_length',
				undefined,
			]),
			...outputs,
		],
		initializers: [...source.graph.initializers, ...constants],
	};
	const model = { ...source, graph };
	importContrib(model);
	const made = encoderCaches(layers, weight);
	removeDead(graph);
	source.graph.initializers.push(...constants);
	return { model, makesCaches: made };
}

/** Keys and values of what was heard, of every layer. */
function encoderCaches(layers: number, weight: (of: string, place?: number) => string): OnnxNode[] {
	const nodes: OnnxNode[] = [];
	for (let layer = 0; layer < layers; layer++) {
		for (const [letter, part] of [
			['k', 'key'],
			['v', 'value'],
		] as const) {
			const at = `layers.${layer}/encoder_attn/${letter}_proj`;
			const name = `/model/layers.${layer}/attn/cross/${letter}_proj`;
			const steps: [op: string, more: string[]][] = [
				['MatMul', [weight(`${at}/MatMul`)]],
				...(letter === 'v' ? [['Add', [weight(`${at}/Add`)]] as [string, string[]]] : []),
				['Reshape', ['/heads']],
			];
			let value = 'hidden_states';
			for (const [op, more] of steps) {
				nodes.push(makeNode(op, [value, ...more], [`${name}/${op}/output_0`]));
				value = `${name}/${op}/output_0`;
			}
			nodes.push(
				makeNode('Transpose', [value], [`present_${part}_cross_${layer}`], [permutation()]),
			);
		}
	}
	return nodes;
}

/** `perm = [0, 2, 1, 3]`. */
function permutation() {
	// AttributeProto: name 1, ints 8, type 20 (INTS = 7).
	const bytes = [0x0a, 4, 0x70, 0x65, 0x72, 0x6d, 0x40, 0, 0x40, 2, 0x40, 1, 0x40, 3, 0xa0, 1, 7];
	return { name: 'perm', bytes: Uint8Array.from(bytes) };
}

function tensor(name: string, dims: OnnxValue['dims']): OnnxValue {
	return { name, elementType: float32, dims };
}

function rename(nodes: readonly OnnxNode[], from: string, to: string): void {
	if (from === to) return;
	for (const node of nodes) {
		node.inputs = node.inputs.map((name) => (name === from ? to : name));
		node.outputs = node.outputs.map((name) => (name === from ? to : name));
	}
}

/** A TensorProto under another name. */
function named(bytes: Uint8Array, name: string): Uint8Array {
	const writer = new WireWriter();
	for (const field of readFields(bytes)) if (field.number !== 8) writer.raw(field.raw);
	return writer.text(8, name).finish();
}

/** As the builder writes it. */
function genaiConfig(
	config: Readonly<Record<string, number>>,
	{ layers, heads, headSize }: Sizes,
	options: GenaiOptions,
) {
	const common = {
		session_options: { log_id: 'onnxruntime-genai', provider_options: [] },
		head_size: headSize,
		hidden_size: heads * headSize,
		num_attention_heads: heads,
		num_hidden_layers: layers,
		num_key_value_heads: heads,
	};
	return {
		model: {
			bos_token_id: config.bos_token_id,
			context_length: config.max_target_positions,
			decoder: {
				...common,
				filename: 'decoder.onnx',
				inputs: {
					input_ids: 'input_ids',
					past_key_names: 'past_key_self_%d',
					past_value_names: 'past_value_self_%d',
					cross_past_key_names: 'past_key_cross_%d',
					cross_past_value_names: 'past_value_cross_%d',
				},
				outputs: {
					logits: 'logits',
					present_key_names: 'present_key_self_%d',
					present_value_names: 'present_value_self_%d',
					...(options.scores ? { output_cross_qk_names: 'output_cross_qk_%d' } : {}),
				},
			},
			encoder: {
				...common,
				filename: 'encoder.onnx',
				inputs: { audio_features: 'audio_features' },
				outputs: {
					encoder_hidden_states: 'hidden_states',
					cross_present_key_names: 'present_key_cross_%d',
					cross_present_value_names: 'present_value_cross_%d',
				},
			},
			eos_token_id: config.eos_token_id,
			pad_token_id: config.pad_token_id,
			type: 'whisper',
			vocab_size: config.vocab_size,
			...options.config,
		},
		search: { max_length: config.max_target_positions, num_beams: 1, do_sample: false },
	};
}
