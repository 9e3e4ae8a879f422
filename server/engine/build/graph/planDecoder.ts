/** The graph of a decoder-only model, in the form that this engine runs fastest. */

import { pushAll } from '../../../protocol/lists.ts';
import type { DecoderFamily } from '../architectures/decoderFamilies.ts';
import type { DecoderShape } from '../architectures/decoderShape.ts';
import { TensorTable } from '../architectures/tensorTable.ts';
import { rowsOf, type TensorSource } from '../sources/tensorSource.ts';
import { addBias, writeAttention } from './attention.ts';
import {
	type DecoderParts,
	normalise,
	normOf,
	type Stream,
	scaled,
	settle,
} from './decoderParts.ts';
import { writeExperts } from './experts.ts';
import { writeFeedForward } from './feedForward.ts';
import { DataLayout, type GraphPlan, GraphWriter } from './graphWriter.ts';
import { LinearWriter, type Recipe, type Stored } from './linear.ts';
import { matrixOf, wholeTensor } from './matrix.ts';
import { writeRopes } from './ropeNodes.ts';

export interface DecoderPlanOptions {
	readonly source: TensorSource;
	readonly family: DecoderFamily;
	readonly shape: DecoderShape;
	readonly recipe: Recipe;
	/** What the file's name ends with, before its ending. */
	readonly suffix: string;
	/** As the file names its maker. */
	readonly producer: string;
}

/**
 * Plans the graph; nothing of the weights is read.
 * @throws AppError `unsupported_model` when tensors are missing, of other shapes, or left over
 */
export function planDecoder({
	source,
	family,
	shape,
	recipe,
	suffix,
	producer,
}: DecoderPlanOptions): GraphPlan {
	const name = `model${suffix}.onnx`;
	const layout = new DataLayout(`${name}_data`);
	const writer = new GraphWriter(layout);
	const linear = new LinearWriter(writer, source, recipe);
	const tensors = new TensorTable(source, family);
	const ids = writer.input('input_ids', 'int64', ['batch_size', 'sequence_length']);
	const mask = writer.input('attention_mask', 'int64', ['batch_size', 'total_sequence_length']);
	const positions = attentionRotates(shape)
		? undefined
		: writer.input('position_ids', 'int64', ['batch_size', 'sequence_length']);
	const table = tensors.find('embedding');
	const vocabulary = table === undefined ? 0 : rowsOf(table.shape);
	const weight = tensors.need('embedding', 0, [vocabulary, shape.hiddenSize]);
	writer.output('logits', 'float32', ['batch_size', 'sequence_length', vocabulary]);
	const { past, total, totalLong } = writeLengths(writer, mask);
	const ropes = writeRopes(writer, shape, totalLong);
	const parts: DecoderParts = {
		writer,
		linear,
		tensors,
		shape,
		ropes,
		lengths: { past, total },
		positions,
	};
	const before = layout.bands.length;
	const embedding = linear.store('model.embed_tokens', matrixOf([wholeTensor(weight)]), 'head');
	// What it is multiplied with as a head is known at the end.
	const tableBands = layout.bands.splice(before);
	const found = linear.gather('/model/embed_tokens', ids, embedding);
	let stream: Stream = {
		value: scaled(parts, found, shape.scales.embedding, '/model/embed_tokens'),
	};
	for (const layer of shape.layers.keys()) stream = writeLayer(parts, stream, layer);
	const last = shape.layers.length;
	const { normed } = normalise(
		parts,
		stream,
		'finalNorm',
		0,
		`/model/layers.${last}/final_norm_layernorm`,
	);
	const { isTied } = writeHead(parts, normed, embedding, vocabulary);
	// Of a table that is no head, one row is read.
	const rowsOnly = isTied ? [] : tableBands;
	pushAll(layout.bands, tableBands);
	tensors.checkAllUsed();
	const graphs = new Map([[name, writer.finish('main_graph', producer)]]);
	return {
		graphs,
		dataName: layout.name,
		dataBytes: layout.bytes,
		tokenBytes: rowsOnly.reduce((rest, { bytes }) => rest - bytes, layout.bytes),
		bands: layout.bands,
		linear: linear.planned,
	};
}

/** What GroupQueryAttention demands of heads that it rotates itself. */
function attentionRotates({ ropes, headSize, layers }: DecoderShape): boolean {
	return (
		layers.every(({ rope }) => rope === undefined) ||
		(headSize % 16 === 0 && ropes.every(({ rotarySize }) => rotarySize % 16 === 0))
	);
}

/** Lengths from the mask, as published exports have them: int32. */
function writeLengths(writer: GraphWriter, mask: string) {
	const path = '/model/attn_mask_reformat/attn_mask_subgraph';
	const one = writer.integers([1]);
	const sum = writer.node('ReduceSum', [mask, one], `${path}/ReduceSum/output_0`, { keepdims: 0 });
	const less = writer.node('Sub', [sum, one], `${path}/Sub/output_0`);
	const past = writer.node('Cast', [less], `${path}/Sub/Cast/output_0`, { to: 6 });
	const dims = writer.node('Shape', [mask], `${path}/Shape/output_0`);
	const totalLong = writer.node(
		'Gather',
		[dims, writer.integers([1], [])],
		`${path}/Gather/output_0`,
		{
			axis: 0,
		},
	);
	const total = writer.node('Cast', [totalLong], `${path}/Gather/Cast/output_0`, { to: 6 });
	return { past, total, totalLong };
}

function writeLayer(parts: DecoderParts, given: Stream, layer: number): Stream {
	const { places } = parts.shape.norms;
	const path = `/model/layers.${layer}`;
	const residual = (x: string, own: string): string =>
		scaled(parts, x, parts.shape.scales.residual, `${path}/${own}/residual`);
	if (places === 'parallel') {
		const { normed, value } = normalise(
			parts,
			given,
			'attentionNorm',
			layer,
			`${path}/input_layernorm`,
		);
		const attended = residual(writeAttention(parts, normed, layer), 'attn');
		const fed = residual(feed(parts, ownNorm(parts, value, layer) ?? normed, layer), 'mlp');
		return { value: settle(parts, { value, plus: attended }, `${path}/attn/residual`), plus: fed };
	}
	const isPre = places === 'pre' || places === 'sandwich';
	const isPost = places === 'post' || places === 'sandwich';
	const before = (stream: Stream, part: 'attentionNorm' | 'feedForwardNorm', own: string) => {
		if (isPre) return normalise(parts, stream, part, layer, `${path}/${own}`);
		const value = settle(parts, stream, `${path}/${own}`);
		return { normed: value, value };
	};
	const after = (
		x: string,
		part: 'attentionOutNorm' | 'feedForwardOutNorm',
		own: string,
	): string => (isPost ? normOf(parts, x, part, layer, `${path}/${own}`) : x);
	const first = before(given, 'attentionNorm', 'input_layernorm');
	const attended = after(
		writeAttention(parts, first.normed, layer),
		'attentionOutNorm',
		'attention_out_layernorm',
	);
	const second = before(
		{ value: first.value, plus: residual(attended, 'attn') },
		'feedForwardNorm',
		'post_attention_layernorm',
	);
	const fed = after(
		feed(parts, second.normed, layer),
		'feedForwardOutNorm',
		'post_feedforward_layernorm',
	);
	return { value: second.value, plus: residual(fed, 'mlp') };
}

/** The feed-forward part: one for all tokens, or experts. */
function feed(parts: DecoderParts, x: string, layer: number): string {
	const { experts } = parts.shape;
	const isRouted = experts !== undefined && parts.tensors.find('router', layer) !== undefined;
	return isRouted ? writeExperts(parts, x, layer, experts) : writeFeedForward(parts, x, layer);
}

/** The feed-forward part's own norm of the layer's input, in models that have one. */
function ownNorm(parts: DecoderParts, value: string, layer: number): string | undefined {
	const { tensors, shape } = parts;
	const own = tensors.find('feedForwardNorm', layer);
	if (shape.norms.plain || own === undefined) return undefined;
	if (own === tensors.find('attentionNorm', layer)) return undefined;
	return normOf(parts, value, 'feedForwardNorm', layer, `/model/layers.${layer}/mlp_layernorm`);
}

/** The head, which is the embedding where the model has none of its own. */
function writeHead(
	parts: DecoderParts,
	hidden: string,
	embedding: Stored,
	vocabulary: number,
): { readonly isTied: boolean } {
	const { writer, linear, tensors, shape } = parts;
	const own = tensors.find('head');
	if (own === undefined && !shape.tied) throw tensors.missing('head');
	const isTied = own === undefined || (shape.tied && tensors.style === 'safetensors');
	const stored = isTied
		? embedding
		: linear.store(
				'lm_head.MatMul',
				matrixOf([wholeTensor(tensors.need('head', 0, [vocabulary, shape.hiddenSize]))]),
				'head',
			);
	const bias = tensors.optional('head', 0, [vocabulary], 'bias');
	const cap = shape.softcaps.logits;
	const isPlain = bias === undefined && shape.scales.logits === 1 && cap === 0;
	let logits = linear.product('/lm_head', hidden, stored, isPlain ? 'logits' : undefined);
	if (bias !== undefined) logits = addBias(parts, logits, '/lm_head', [{ tensor: bias }]);
	if (isPlain) return { isTied };
	if (shape.scales.logits !== 1)
		logits = scaled(parts, logits, shape.scales.logits, '/lm_head/scale');
	if (cap !== 0) {
		const small = writer.node('Div', [logits, writer.float(cap)], '/lm_head/softcap/Div/output_0');
		const bent = writer.node('Tanh', [small], '/lm_head/softcap/Tanh/output_0');
		logits = writer.node('Mul', [bent, writer.float(cap)], '/lm_head/softcap/Mul/output_0');
	}
	writer.node('Identity', [logits], 'logits');
	return { isTied };
}
