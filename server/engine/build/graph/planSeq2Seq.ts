/** The graphs of an encoder-decoder: encoder, decoder for the first tokens, and decoder with caches for later ones. */

import type { Seq2SeqShape } from '../architectures/seq2seqConfig.ts';
import { UsedTensors } from '../architectures/usedTensors.ts';
import type { TensorSource } from '../sources/tensorSource.ts';
import {
	attend,
	axisLength,
	feedForward,
	keysAndValues,
	layerNorm,
	lowest,
	maskOf,
	pathOf,
	rangeOf,
	residual,
} from './blockParts.ts';
import { embed, embeddingOf, writeHead } from './embedding.ts';
import { DataLayout, type GraphPlan, GraphWriter } from './graphWriter.ts';
import { LinearWriter, type Recipe } from './linear.ts';
import { matrixOf, wholeTensor } from './matrix.ts';
import { positionTable, type Seq2SeqParts } from './positionTable.ts';
import { writePositions, writeSsru } from './ssru.ts';

export interface Seq2SeqPlanOptions {
	readonly source: TensorSource;
	readonly shape: Seq2SeqShape;
	readonly recipe: Recipe;
	/** What the names of the files end with, before their ending. */
	readonly suffix: string;
	readonly producer: string;
}

/**
 * Plans the graphs; nothing of the weights is read.
 * @throws AppError `unsupported_model` when tensors are missing, of other shapes, or left over
 */
export function planSeq2Seq({
	source,
	shape,
	recipe,
	suffix,
	producer,
}: Seq2SeqPlanOptions): GraphPlan {
	const layout = new DataLayout(`encoder_model${suffix}.onnx_data`);
	const tensors = new UsedTensors(source);
	const graphs = new Map<string, Uint8Array>();
	const plan = (name: string, write: (parts: Seq2SeqParts) => void): void => {
		const writer = new GraphWriter(layout);
		write({ writer, linear: new LinearWriter(writer, source, recipe), tensors, shape });
		graphs.set(`${name}${suffix}.onnx`, writer.finish('main_graph', producer));
	};
	plan('encoder_model', writeEncoder);
	plan('decoder_model', (parts) => writeDecoder(parts, false));
	plan('decoder_with_past_model', (parts) => writeDecoder(parts, true));
	// Copies of the embedding, and tables that are computed.
	tensors.checkAllUsed(
		(name) => shape.embeddings.includes(name) || /\.embed_positions\.weights?$/.test(name),
	);
	return { graphs, dataName: layout.name, dataBytes: layout.bytes, bands: layout.bands };
}

function writeEncoder(parts: Seq2SeqParts): void {
	const { writer, shape } = parts;
	const { layers, heads } = shape.encoder;
	const isText = shape.input === 'tokens';
	const { x: first, mask } = isText ? textInput(parts) : spectrumInput(parts);
	let x = first;
	for (let layer = 0; layer < layers; layer++) {
		const module = `model.encoder.layers.${layer}`;
		x = residual(parts, x, `${module}.self_attn_layer_norm`, (normed) => {
			const [key, value] = keysAndValues(parts, normed, keyValue(`${module}.self_attn`), heads);
			return attend(parts, normed, { ...around(`${module}.self_attn`), heads, key, value, mask });
		});
		x = residual(parts, x, `${module}.final_layer_norm`, (normed) =>
			feedForward(parts, normed, [`${module}.fc1`, `${module}.fc2`]),
		);
	}
	const output = writer.output('last_hidden_state', 'float32', [
		'batch_size',
		isText ? 'encoder_sequence_length' : shape.encoder.positions,
		shape.hiddenSize,
	]);
	if (shape.normFirst) layerNorm(parts, x, 'model.encoder.layer_norm', output);
	else writer.node('Identity', [x], output);
}

/** Modules of an attention. */
const keyValue = (module: string): [string, string] => [`${module}.k_proj`, `${module}.v_proj`];
const around = (module: string) => ({
	path: pathOf(module),
	query: `${module}.q_proj`,
	out: `${module}.out_proj`,
});

interface EncoderInput {
	readonly x: string;
	readonly mask: string | undefined;
}

function textInput(parts: Seq2SeqParts): EncoderInput {
	const { writer, shape } = parts;
	const dims = ['batch_size', 'encoder_sequence_length'];
	const ids = writer.input('input_ids', 'int64', dims);
	const mask = writer.input('attention_mask', 'int64', dims);
	const table = embeddingOf(parts, 'encoder');
	const vectors = embed(parts, ids, table, '/model/encoder/embed_tokens');
	const path = '/model/encoder/embed_positions';
	const count = axisLength(writer, ids, 1, `${path}/length`);
	const positions = rangeOf(writer, writer.integers([0], []), count, path);
	const encodings = positionTable(parts, 'model.encoder.embed_positions', shape.encoder.positions);
	const encoded = writer.node('Gather', [encodings, positions], `${path}/Gather/output_0`);
	const x = writer.node('Add', [vectors, encoded], `${path}/Add/output_0`);
	return { x, mask: maskOf(parts, mask, '/model/encoder/mask') };
}

/** Two convolutions over the spectrum, `[batch, bands, 2 · positions]`. */
function spectrumInput(parts: Seq2SeqParts): EncoderInput {
	const { writer, linear, tensors, shape } = parts;
	const { hiddenSize, melBins, encoder } = shape;
	let x = writer.input('input_features', 'float32', ['batch_size', melBins, 2 * encoder.positions]);
	for (const [name, channels, stride] of [
		['conv1', melBins, 1],
		['conv2', hiddenSize, 2],
	] as const) {
		const module = `model.encoder.${name}`;
		const weight = tensors.need(`${module}.weight`, [hiddenSize, channels, 3]);
		const bias = tensors.need(`${module}.bias`, [hiddenSize]);
		const kernel = linear.float(module, matrixOf([wholeTensor(weight)]), weight.shape).weight;
		const added = linear.vector(`${module}.bias`, [{ tensor: bias }]);
		const path = pathOf(module);
		const out = writer.node('Conv', [x, kernel, added], `${path}/Conv/output_0`, {
			kernel_shape: [3],
			pads: [1, 1],
			strides: [stride],
			dilations: [1],
			group: 1,
		});
		x = writer.node('Gelu', [out], `${path}/Gelu/output_0`, { approximate: 'none' });
	}
	const turned = writer.node('Transpose', [x], '/model/encoder/Transpose/output_0', {
		perm: [0, 2, 1],
	});
	const table = positionTable(parts, 'model.encoder.embed_positions', encoder.positions);
	return {
		x: writer.node('Add', [turned, table], '/model/encoder/embed_positions/Add/output_0'),
		mask: undefined,
	};
}

function writeDecoder(parts: Seq2SeqParts, withPast: boolean): void {
	const { writer, tensors, shape } = parts;
	const { layers, heads } = shape.decoder;
	const headSize = shape.hiddenSize / heads;
	const hasStates = shape.cell === 'ssru';
	const ids = writer.input('input_ids', 'int64', ['batch_size', 'decoder_sequence_length']);
	const isText = shape.input === 'tokens';
	const encoded = isText ? 'encoder_sequence_length' : shape.encoder.positions;
	const crossMask = isText
		? maskOf(
				parts,
				writer.input('encoder_attention_mask', 'int64', ['batch_size', encoded]),
				'/model/decoder/cross_mask',
			)
		: undefined;
	const hidden = withPast
		? undefined
		: writer.input('encoder_hidden_states', 'float32', ['batch_size', encoded, shape.hiddenSize]);
	const past = (layer: number, side: 'encoder' | 'decoder', kind: 'key' | 'value'): string =>
		writer.input(`past_key_values.${layer}.${side}.${kind}`, 'float32', [
			'batch_size',
			heads,
			side === 'encoder' ? encoded : 'past_decoder_sequence_length',
			headSize,
		]);
	const present = (layer: number, side: 'encoder' | 'decoder', kind: 'key' | 'value'): string =>
		writer.output(`present.${layer}.${side}.${kind}`, 'float32', [
			'batch_size',
			heads,
			side === 'encoder' ? encoded : 'total_decoder_sequence_length',
			headSize,
		]);
	const embedding = embeddingOf(parts, 'decoder');
	const head = embeddingOf(parts, 'head');
	const output = writer.output('logits', 'float32', [
		'batch_size',
		'decoder_sequence_length',
		head.rows,
	]);
	let before = writer.integers([0], []);
	const keep = new Map<string, string>();
	for (let layer = 0; withPast && layer < layers; layer++)
		for (const side of hasStates ? (['encoder'] as const) : (['decoder', 'encoder'] as const))
			for (const kind of ['key', 'value'] as const)
				keep.set(`${layer} ${side} ${kind}`, past(layer, side, kind));
	if (withPast && !hasStates)
		before = axisLength(writer, keep.get('0 decoder key') ?? '', 2, '/model/decoder/past');
	const { positions, mask } = hasStates
		? { positions: statePositions(parts, ids, withPast), mask: undefined }
		: causalMask(writer, ids, before);
	const table = positionTable(parts, 'model.decoder.embed_positions', shape.decoder.positions);
	const path = '/model/decoder/embed_positions';
	const encodings = writer.node('Gather', [table, positions], `${path}/Gather/output_0`);
	let vectors = embed(parts, ids, embedding, '/model/decoder/embed_tokens');
	if (shape.zeroFirst && !withPast) vectors = withoutFirst(writer, vectors, positions);
	let x = writer.node('Add', [vectors, encodings], `${path}/Add/output_0`);
	for (let layer = 0; layer < layers; layer++) {
		const module = `model.decoder.layers.${layer}`;
		x = residual(parts, x, `${module}.self_attn_layer_norm`, (normed) => {
			if (hasStates) return writeSsru(parts, normed, layer, withPast);
			const own = keysAndValues(parts, normed, keyValue(`${module}.self_attn`), heads);
			const [key = '', value = ''] = (['key', 'value'] as const).map((kind, index) => {
				const made = own[index] as string;
				const cached = keep.get(`${layer} decoder ${kind}`);
				const into = present(layer, 'decoder', kind);
				return cached === undefined
					? writer.node('Identity', [made], into)
					: writer.node('Concat', [cached, made], into, { axis: 2 });
			});
			return attend(parts, normed, { ...around(`${module}.self_attn`), heads, key, value, mask });
		});
		x = residual(parts, x, `${module}.encoder_attn_layer_norm`, (normed) => {
			const cross = `${module}.encoder_attn`;
			const [key = '', value = ''] =
				hidden === undefined
					? (['key', 'value'] as const).map((kind) => keep.get(`${layer} encoder ${kind}`) ?? '')
					: keysAndValues(parts, hidden, keyValue(cross), heads).map((made, index) =>
							writer.node(
								'Identity',
								[made],
								present(layer, 'encoder', index === 0 ? 'key' : 'value'),
							),
						);
			return attend(parts, normed, { ...around(cross), heads, key, value, mask: crossMask });
		});
		// Decoders of students may do without.
		if (hasStates && tensors.find(`${module}.fc1.weight`) === undefined) continue;
		x = residual(parts, x, `${module}.final_layer_norm`, (normed) =>
			feedForward(parts, normed, [`${module}.fc1`, `${module}.fc2`]),
		);
	}
	if (shape.normFirst) x = layerNorm(parts, x, 'model.decoder.layer_norm');
	writeHead(parts, x, head, output);
}

/** Positions where no cache tells them; a later run has one token. */
function statePositions(parts: Seq2SeqParts, ids: string, withPast: boolean): string {
	const count = axisLength(parts.writer, ids, 1, '/model/decoder/length');
	return writePositions(parts, count, withPast);
}

/** The same with zeros for the token at position 0. */
function withoutFirst(writer: GraphWriter, vectors: string, positions: string): string {
	const path = '/model/decoder/first';
	const later = writer.node(
		'Greater',
		[positions, writer.integers([0], [])],
		`${path}/Greater/output_0`,
	);
	const factors = writer.node('Cast', [later], `${path}/Cast/output_0`, { to: 1 });
	const column = writer.node(
		'Unsqueeze',
		[factors, writer.integers([-1])],
		`${path}/Unsqueeze/output_0`,
	);
	return writer.node('Mul', [vectors, column], `${path}/Mul/output_0`);
}

/** Positions of the tokens, and what is added to scores so that none sees later ones: `[tokens, past + tokens]`. */
function causalMask(writer: GraphWriter, ids: string, before: string) {
	const path = '/model/decoder/causal';
	const count = axisLength(writer, ids, 1, path);
	const total = writer.node('Add', [before, count], `${path}/Add/output_0`);
	const positions = rangeOf(writer, before, total, `${path}/own`);
	const all = rangeOf(writer, writer.integers([0], []), total, `${path}/all`);
	const own = writer.node(
		'Unsqueeze',
		[positions, writer.integers([1])],
		`${path}/Unsqueeze/output_0`,
	);
	const later = writer.node('Greater', [all, own], `${path}/Greater/output_0`);
	const mask = writer.node(
		'Where',
		[later, writer.float(lowest), writer.float(0)],
		`${path}/Where/output_0`,
	);
	return { positions, mask };
}
