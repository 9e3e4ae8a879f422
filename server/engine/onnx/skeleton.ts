/**
 * Reads a graph without its weights: large tensors become references to their place in the original
 * file, so a prepared graph is small however large the model is.
 */

import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { ProtobufFile } from '../folder/protobufFile.ts';
import { decodeModel, type OnnxModel, type OnnxTensor } from './onnxModel.ts';
import { externalTensor, readTensorHeader } from './tensorProto.ts';
import { WireWriter } from './wire.ts';

/** Tensors above this stay in the original file; below it they may be constants of shapes. */
const inlineBytes = 2048;
const mostGraphBytes = 512 << 20;

/**
 * The model at `path` with its large weights as references into that file (or the files it already
 * refers to). Everything else is complete.
 * @throws Error when the file is not an ONNX model
 */
export async function readSkeleton(path: string): Promise<OnnxModel> {
	const handle = await open(path, 'r');
	try {
		const { size } = await handle.stat();
		const file = new ProtobufFile(handle, size);
		const model = new WireWriter();
		const weights: OnnxTensor[] = [];
		for await (const field of file.fields(0, size)) {
			if (field.number !== 7) {
				await copy(file, field, model);
				continue;
			}
			const graph = new WireWriter();
			for await (const part of file.fields(field.start, field.end)) {
				if (part.number !== 5) await copy(file, part, graph);
				else weights.push(await readWeight(file, part.start, part.end, basename(path)));
			}
			model.bytes(7, graph.finish());
		}
		const decoded = decodeModel(model.finish());
		decoded.graph.initializers.push(...weights);
		return decoded;
	} finally {
		await handle.close();
	}
}

interface Part {
	readonly number: number;
	readonly wire: number;
	readonly value: number;
	readonly start: number;
	readonly end: number;
}

async function copy(file: ProtobufFile, part: Part, to: WireWriter): Promise<void> {
	if (part.wire === 0) to.int(part.number, part.value);
	else if (part.wire === 2)
		to.bytes(part.number, Uint8Array.from(await file.bytes(part, mostGraphBytes)));
	else throw new Error(`Field ${part.number} of the model has an unexpected form.`);
}

async function readWeight(
	file: ProtobufFile,
	start: number,
	end: number,
	location: string,
): Promise<OnnxTensor> {
	const header = new WireWriter();
	let large: { start: number; end: number } | undefined;
	for await (const field of file.fields(start, end)) {
		const isRaw = field.number === 9 && field.end - field.start > inlineBytes;
		if (isRaw) large = { start: field.start, end: field.end };
		else await copy(file, field, header);
	}
	const bytes = header.finish();
	const parsed = readTensorHeader(bytes);
	if (large === undefined) return { name: parsed.name, bytes };
	return externalTensor(parsed, { location, offset: large.start, length: large.end - large.start });
}
