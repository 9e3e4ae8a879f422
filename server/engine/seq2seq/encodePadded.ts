/** Token ids of several texts → runs of the encoder; what is short is padded and masked. */

import { paddedWidth } from '../runtime/paddedWidth.ts';
import { concatenateBatches } from './concatenateBatches.ts';
import type { EncodedBatch, EncoderDecoder } from './encoderDecoder.ts';

/**
 * Tokens of one run, padding included: others have their turn between two, and more of them gain nothing. A text
 * of more has a run to itself.
 */
const maxRunTokens = 512;

/**
 * @param padding Id that fills short sequences.
 * @param maxWidth Positions the encoder has; no source is longer.
 */
export async function encodePadded(
	model: EncoderDecoder,
	sources: readonly (readonly number[])[],
	padding: number,
	maxWidth: number,
	signal?: AbortSignal,
): Promise<EncodedBatch> {
	const width = paddedWidth(Math.max(...sources.map(({ length }) => length)), maxWidth);
	const perRun = model.batchInvariant
		? Math.max(1, Math.floor(maxRunTokens / width))
		: sources.length;
	const parts: EncodedBatch[] = [];
	for (let at = 0; at < sources.length; at += perRun)
		parts.push(await encodeRun(model, sources.slice(at, at + perRun), padding, width, signal));
	return concatenateBatches(parts);
}

function encodeRun(
	model: EncoderDecoder,
	sources: readonly (readonly number[])[],
	padding: number,
	width: number,
	signal: AbortSignal | undefined,
): Promise<EncodedBatch> {
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
