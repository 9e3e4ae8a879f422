/** Puts what the encoder made of several batches into one. */

import { AppError } from '../../protocol/index.ts';
import type { TensorData } from '../runtime/runtime.ts';
import { createData } from '../runtime/tensorType.ts';
import type { EncodedBatch } from './encoderDecoder.ts';

/** Encoded batches of equally many positions behind each other. */
export function concatenateBatches(parts: readonly EncodedBatch[]): EncodedBatch {
	const [first] = parts;
	if (first === undefined) throw new AppError('internal', 'A batch has no members.');
	if (parts.length === 1) return first;
	const items = parts.reduce((sum, part) => sum + part.items, 0);
	const join = (pick: (part: EncodedBatch) => EncodedBatch['hidden']): EncodedBatch['hidden'] => {
		const { type, dims } = pick(first);
		const width = dims.slice(1).reduce((a, b) => a * b, 1);
		const data = createData(type, items * width);
		let at = 0;
		for (const part of parts) {
			const own = pick(part).data.subarray(0, part.items * width);
			(data as Float32Array).set(own as Float32Array, at);
			at += own.length;
		}
		return { type, dims: [items, ...dims.slice(1)], data: data as TensorData };
	};
	return {
		items,
		positions: first.positions,
		hidden: join((part) => part.hidden),
		mask: join((part) => part.mask),
		...(first.cross === undefined
			? {}
			: {
					cross: first.cross.map((_, index) =>
						join((part) => (part.cross as readonly EncodedBatch['hidden'][])[index] ?? part.hidden),
					),
				}),
	};
}
