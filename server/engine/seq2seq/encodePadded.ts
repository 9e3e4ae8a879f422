/** Token ids of several texts → one run of the encoder; what is short is padded and masked. */

import { paddedWidth } from '../runtime/paddedWidth.ts';
import type { EncodedBatch, EncoderDecoder } from './encoderDecoder.ts';

/**
 * @param padding Id that fills short sequences.
 * @param maxWidth Positions the encoder has; no source is longer.
 */
export function encodePadded(
	model: EncoderDecoder,
	sources: readonly (readonly number[])[],
	padding: number,
	maxWidth: number,
	signal?: AbortSignal,
): Promise<EncodedBatch> {
	const width = paddedWidth(Math.max(...sources.map(({ length }) => length)), maxWidth);
	const ids = new BigInt64Array(sources.length * width).fill(BigInt(padding));
	const mask = new BigInt64Array(sources.length * width);
	for (const [index, source] of sources.entries()) {
		for (const [column, id] of source.entries()) {
			ids[index * width + column] = BigInt(id);
			mask[index * width + column] = 1n;
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
