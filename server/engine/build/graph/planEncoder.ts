/** The graph of an encoder of texts: a vector for each token, or one score for a text. */

import type { BertShape, EncoderShape } from '../architectures/encoderConfig.ts';
import type { ScoreHead } from '../architectures/scoreHead.ts';
import { UsedTensors } from '../architectures/usedTensors.ts';
import { rowsOf, type TensorSource } from '../sources/tensorSource.ts';
import {
	attend,
	axisLength,
	type BlockParts,
	feedForward,
	keysAndValues,
	layerNorm,
	maskOf,
	pathOf,
	rangeOf,
	residual,
} from './blockParts.ts';
import { DataLayout, type GraphPlan, GraphWriter } from './graphWriter.ts';
import { LinearWriter, type Recipe } from './linear.ts';
import { matrixOf, wholeTensor } from './matrix.ts';
import { writeModernBert } from './modernBertLayers.ts';
import { writeScores } from './scoreNodes.ts';

export interface EncoderPlanOptions {
	readonly source: TensorSource;
	readonly shape: EncoderShape;
	/** What judges texts, instead of giving vectors. */
	readonly head?: ScoreHead;
	readonly recipe: Recipe;
	/** What the file's name ends with, before its ending. */
	readonly suffix: string;
	readonly producer: string;
}

interface BertParts extends BlockParts {
	readonly shape: BertShape;
}

/**
 * Plans the graph; nothing of the weights is read.
 * @throws AppError `unsupported_model` when tensors are missing, of other shapes, or left over
 */
export function planEncoder({
	source,
	shape,
	head,
	recipe,
	suffix,
	producer,
}: EncoderPlanOptions): GraphPlan {
	const name = `model${suffix}.onnx`;
	const layout = new DataLayout(`${name}_data`);
	const writer = new GraphWriter(layout);
	const tensors = new UsedTensors(source);
	const linear = new LinearWriter(writer, source, recipe);
	const parts: BlockParts = { writer, linear, tensors, shape };
	const dims = ['batch_size', 'sequence_length'];
	const ids = writer.input('input_ids', 'int64', dims);
	const attended = writer.input('attention_mask', 'int64', dims);
	const x =
		shape.kind === 'modern'
			? writeModernBert({ ...parts, shape }, { ids, attended })
			: writeBert({ ...parts, shape }, source, { ids, attended });
	if (head !== undefined) writeScores(parts, x, attended, head);
	else {
		const output = writer.output('last_hidden_state', 'float32', [...dims, shape.hiddenSize]);
		writer.node('Identity', [x], output);
	}
	const heads = shape.kind === 'modern' ? modernHeads : shape.heads;
	tensors.checkAllUsed(
		(one) => one.endsWith('.position_ids') || heads.some((start) => one.startsWith(start)),
	);
	const graphs = new Map([[name, writer.finish('main_graph', producer)]]);
	return { graphs, dataName: layout.name, dataBytes: layout.bytes, bands: layout.bands };
}

/** Heads of ModernBERT that give something else than vectors. */
const modernHeads = ['head.', 'decoder.'];

/** @returns vectors of the tokens, `[batch, tokens, hiddenSize]` */
function writeBert(
	parts: BertParts,
	source: TensorSource,
	{ ids, attended }: { readonly ids: string; readonly attended: string },
): string {
	const { shape } = parts;
	const { names, attentionHeads: heads } = shape;
	const prefix = source.tensors.has(`${shape.prefix}${names.words}.weight`) ? shape.prefix : '';
	const mask = maskOf(parts, attended, '/mask');
	let x = embeddings(parts, prefix, ids);
	for (let layer = 0; layer < shape.layers; layer++) {
		const below = `${prefix}${names.layer.replace('#', String(layer))}`;
		const of = (module: string): string => `${below}${module}`;
		x = residual(parts, x, of(names.attentionNorm), (given) => {
			const [key, value] = keysAndValues(parts, given, [of(names.key), of(names.value)], heads);
			const modules = { query: of(names.query), out: of(names.attentionOut) };
			return attend(parts, given, {
				path: pathOf(of('attention')),
				...modules,
				heads,
				key,
				value,
				mask,
			});
		});
		const [wide, narrow] = names.feedForward;
		x = residual(parts, x, of(names.outputNorm), (given) =>
			feedForward(parts, given, [of(wide), of(narrow)]),
		);
	}
	return x;
}

/** Vectors of tokens, positions and halves of pairs, added up and normalised. */
function embeddings(parts: BertParts, prefix: string, ids: string): string {
	const { writer, linear, tensors, shape } = parts;
	const { names, hiddenSize, firstPosition } = shape;
	const table = (module: string, role: 'head' | 'float32') => {
		const name = `${prefix}${module}`;
		const rows = rowsOf(tensors.find(`${name}.weight`)?.shape ?? []);
		const matrix = matrixOf([wholeTensor(tensors.need(`${name}.weight`, [rows, hiddenSize]))]);
		return role === 'head' ? linear.store(name, matrix, 'head') : linear.float(name, matrix);
	};
	const path = `/${prefix.replace('.', '/')}embeddings`;
	let sum = linear.gather(`${path}/word_embeddings`, ids, table(names.words, 'head'));
	const add = (found: string, own: string): void => {
		sum = writer.node('Add', [sum, found], `${path}/${own}/Add/output_0`);
	};
	if (names.types !== undefined) {
		const types = table(names.types, 'float32');
		const own = `${path}/token_type_embeddings`;
		const given = shape.takesTypes
			? writer.input('token_type_ids', 'int64', ['batch_size', 'sequence_length'])
			: // One text: all of its tokens are of the first half.
				writer.integers([0], [1, 1]);
		add(linear.gather(own, given, types), 'token_type_embeddings');
	}
	const own = `${path}/position_embeddings`;
	const first = writer.integers([firstPosition], []);
	const end = writer.node(
		'Add',
		[axisLength(writer, ids, 1, `${own}/length`), first],
		`${own}/end/output_0`,
	);
	const positions = linear.gather(
		own,
		rangeOf(writer, first, end, own),
		table(names.positions, 'float32'),
	);
	add(positions, 'position_embeddings');
	return layerNorm(parts, sum, `${prefix}${names.embeddingNorm}`);
}
