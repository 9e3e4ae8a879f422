/** The operator domain of ONNX Runtime's own operators. */

import type { OnnxModel } from './onnxModel.ts';
import { fieldText, readFields, WireWriter } from './wire.ts';

/** Declares the domain when the graph has not used it. */
export function importContrib(model: OnnxModel): void {
	const has = model.rest.some((raw) =>
		[...readFields(raw)].some(
			(field) =>
				field.number === 8 &&
				[...readFields(field.bytes)].some(
					(part) => part.number === 1 && fieldText(part) === 'com.microsoft',
				),
		),
	);
	if (has) return;
	const id = new WireWriter().text(1, 'com.microsoft').int(2, 1).finish();
	(model.rest as Uint8Array[]).push(new WireWriter().bytes(8, id).finish());
}
