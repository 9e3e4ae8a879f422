/** From the vectors of tokens to one number for a text. */

import type { ScoreHead } from '../architectures/scoreHead.ts';
import { type BlockParts, layerNorm, pathOf } from './blockParts.ts';
import { writeActivation } from './feedForward.ts';
import { matrixOf, wholeTensor } from './matrix.ts';

/**
 * Adds the output `logits`, `[batch, 1]`.
 * @param x vectors, `[batch, tokens, hiddenSize]`
 * @param attended mask of ones and zeros, `[batch, tokens]`
 */
export function writeScores(parts: BlockParts, x: string, attended: string, head: ScoreHead): void {
	const { writer, shape } = parts;
	const { hiddenSize } = shape;
	const pooled = head.pooling === 'first' ? firstOf(parts, x) : meanOf(parts, x, attended);
	const wide = finely(parts, pooled, head.dense, hiddenSize);
	const path = pathOf(head.dense);
	let active =
		head.activation === 'tanh'
			? writer.node('Tanh', [wide], `${path}/Tanh/output_0`)
			: writeActivation(writer, wide, head.activation, path);
	if (head.norm !== undefined) active = layerNorm(parts, active, head.norm);
	const output = writer.output('logits', 'float32', ['batch_size', 1]);
	writer.node('Identity', [finely(parts, active, head.classifier, 1)], output);
}

/** A product with float32 weights: they are few, and all of the score goes through them. */
function finely(parts: BlockParts, x: string, module: string, rows: number): string {
	const { writer, linear, tensors, shape } = parts;
	const weight = tensors.need(`${module}.weight`, [rows, shape.hiddenSize]);
	const bias = tensors.optional(`${module}.bias`, [rows]);
	const path = pathOf(module);
	const out = linear.product(path, x, linear.float(module, matrixOf([wholeTensor(weight)])));
	if (bias === undefined) return out;
	const added = linear.vector(`${module}.bias`, [{ tensor: bias }]);
	return writer.node('Add', [out, added], `${path}/Add/output_0`);
}

function firstOf({ writer }: BlockParts, x: string): string {
	return writer.node('Gather', [x, writer.integers([0], [])], '/first/Gather/output_0', {
		axis: 1,
	});
}

function meanOf({ writer }: BlockParts, x: string, attended: string): string {
	const ones = writer.node('Cast', [attended], '/mean/Cast/output_0', { to: 1 });
	const column = writer.node('Unsqueeze', [ones, writer.integers([2])], '/mean/Unsqueeze/output_0');
	const seen = writer.node('Mul', [x, column], '/mean/Mul/output_0');
	const axis = writer.integers([1]);
	const [sum, count] = [seen, column].map((value, index) =>
		writer.node('ReduceSum', [value, axis], `/mean/ReduceSum_${index}/output_0`, { keepdims: 0 }),
	);
	return writer.node('Div', [sum as string, count as string], '/mean/Div/output_0');
}
