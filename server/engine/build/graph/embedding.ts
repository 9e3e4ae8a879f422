/** Vectors of tokens, and logits: of one matrix for all sides of a model, or of several. */

import { AppError } from '../../../protocol/index.ts';
import type { Side } from '../architectures/seq2seqConfig.ts';
import { rowsOf, type SourceTensor } from '../sources/tensorSource.ts';
import { matrixOf, wholeTensor } from './matrix.ts';
import type { Seq2SeqParts } from './positionTable.ts';
import { isStatic } from './staticInt8.ts';

/** A matrix with a row for each token. */
export interface Embedding {
	readonly tensor: SourceTensor;
	readonly rows: number;
	/** Before the names of its weights. */
	readonly name: string;
}

/** The matrix of one side: the first of its names that there is. */
export function embeddingOf({ tensors, shape }: Seq2SeqParts, side: Side): Embedding {
	const { embeddings, sides, hiddenSize } = shape;
	const names = sides?.[side] ?? embeddings;
	const name = names.find((one) => tensors.find(one) !== undefined) ?? (names[0] as string);
	const rows = rowsOf(tensors.find(name)?.shape ?? []);
	const tensor = tensors.need(name, [rows, hiddenSize]);
	return { tensor, rows, name: name.replace(/\.weight$/, '') };
}

/** Vectors of the tokens, scaled. */
export function embed(
	parts: Seq2SeqParts,
	ids: string,
	{ tensor, name }: Embedding,
	path: string,
): string {
	const { writer, linear, shape } = parts;
	const { embeddingScale } = shape;
	if (isStatic(tensor))
		return linear.int8.gather(
			path,
			ids,
			linear.int8.matrix(name, tensor),
			tensor.scale * embeddingScale,
		);
	const found = linear.gather(
		path,
		ids,
		linear.storeOnce(name, matrixOf([wholeTensor(tensor)]), 'head'),
	);
	if (embeddingScale === 1) return found;
	return writer.node('Mul', [found, writer.float(embeddingScale)], `${path}/Mul/output_0`);
}

/** @param output name of the logits */
export function writeHead(
	parts: Seq2SeqParts,
	x: string,
	{ tensor, rows, name }: Embedding,
	output: string,
): void {
	const { writer, linear, tensors, shape } = parts;
	const biasName = shape.headBias;
	const bias = biasName === undefined ? undefined : tensors.find(biasName);
	if (biasName !== undefined && bias?.shape.at(-1) !== rows)
		throw new AppError(
			'unsupported_model',
			`The model has no ${biasName} of ${rows} numbers; it cannot be built.`,
		);
	const vector =
		biasName === undefined || bias === undefined ? '' : linear.vector(biasName, [{ tensor: bias }]);
	if (isStatic(tensor)) {
		const weight = linear.int8.matrix(name, tensor);
		linear.int8.product('/lm_head', x, tensor, { weight, bias: vector, output });
		return;
	}
	const stored = linear.storeOnce(name, matrixOf([wholeTensor(tensor)]), 'head');
	if (vector === '') linear.product('/lm_head', x, stored, output);
	else writer.node('Add', [linear.product('/lm_head', x, stored), vector], output);
}
