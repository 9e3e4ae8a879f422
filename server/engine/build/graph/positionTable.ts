/** Encodings of positions of encoder-decoders: stored with the weights, or sines and cosines. */

import type { Seq2SeqShape } from '../architectures/seq2seqConfig.ts';
import type { BlockParts } from './blockParts.ts';
import { arrayBytes } from './graphWriter.ts';
import { matrixOf, wholeTensor } from './matrix.ts';

export interface Seq2SeqParts extends BlockParts {
	readonly shape: Seq2SeqShape;
}

/** Encodings of positions as a weight `[positions, hiddenSize]`. */
export function positionTable(
	{ writer, linear, tensors, shape }: Seq2SeqParts,
	module: string,
	positions: number,
): string {
	const { hiddenSize } = shape;
	const name = `${module}.weight`;
	const stored = tensors.optional(name, [positions, hiddenSize]);
	if (shape.positions.kind === 'stored' || stored !== undefined) {
		const tensor = stored ?? tensors.need(name, [positions, hiddenSize]);
		return linear.float(module, matrixOf([wholeTensor(tensor)])).weight;
	}
	const { offset, last } = shape.positions;
	const isPlanned = writer.layout.has(name);
	const place = writer.reserve(name, 'float32', [positions, hiddenSize]);
	const half = hiddenSize / 2;
	if (!isPlanned)
		writer.layout.bands.push({
			bytes: positions * hiddenSize * 4,
			make: async () => {
				const table = new Float32Array(positions * hiddenSize);
				for (let position = 0; position < positions; position++)
					for (let k = 0; k < half; k++) {
						const exponent = half === 1 ? 0 : (k * last(half)) / (half - 1);
						const angle = (position + offset) * 10_000 ** -exponent;
						table[position * hiddenSize + k] = Math.sin(angle);
						table[position * hiddenSize + half + k] = Math.cos(angle);
					}
				return [{ offset: place, bytes: arrayBytes(table) }];
			},
		});
	return name;
}
