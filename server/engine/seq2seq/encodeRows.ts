/** Token ids of several texts → one run of the encoder; what is short is padded and masked. */

import type { EncodedBatch, EncoderDecoder } from './encoderDecoder.ts';

/**
 * Widths are multiples of this. Attention to the encoder sums over all positions; the kernels of ONNX
 * Runtime take them in blocks and what is left over one by one, so that a sum's last bits tell whether
 * the width ends within a block. A quantised product makes steps of them, and now and then another
 * word. With whole blocks a text gives the same bits in any company, which padding adds only zeros to.
 */
const widthStep = 8;

/**
 * @param padding Id that fills short rows.
 * @param mostWidth Positions the encoder has; no source is longer.
 */
export function encodeRows(
	model: EncoderDecoder,
	sources: readonly (readonly number[])[],
	padding: number,
	mostWidth: number,
	signal?: AbortSignal,
): Promise<EncodedBatch> {
	const width = paddedWidth(Math.max(...sources.map(({ length }) => length)), mostWidth);
	const ids = new BigInt64Array(sources.length * width).fill(BigInt(padding));
	const mask = new BigInt64Array(sources.length * width);
	for (const [row, source] of sources.entries()) {
		for (const [column, id] of source.entries()) {
			ids[row * width + column] = BigInt(id);
			mask[row * width + column] = 1n;
		}
	}
	const dims = [sources.length, width];
	return model.encode(
		{
			input_ids: { type: 'int64', dims, data: ids },
			attention_mask: { type: 'int64', dims, data: mask },
		},
		signal,
	);
}

/** Positions a batch takes whose longest text has `longest` tokens. */
export function paddedWidth(longest: number, mostWidth: number): number {
	return Math.max(longest, Math.min(mostWidth, Math.ceil(longest / widthStep) * widthStep));
}
