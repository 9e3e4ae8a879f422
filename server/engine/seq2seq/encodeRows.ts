/** Token ids of several texts → one run of the encoder; what is short is padded and masked. */

import { paddedWidth } from '../runtime/paddedWidth.ts';
import type { EncodedBatch, EncoderDecoder } from './encoderDecoder.ts';

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
