/**
 * Reads a graph without its weights: large tensors become references to their place in the original
 * file, so a rewritten graph is small however large the model is.
 */

import { basename } from 'node:path';
import { beyondLimit, checkFileLimit, graphLimits } from '../../hub/modelData/fileLimits.ts';
import { openModelPath } from '../../hub/modelData/readModelFile.ts';
import { pushAll } from '../../protocol/lists.ts';
import { ProtobufFile } from '../modelFiles/protobufFile.ts';
import { decodeModel, type OnnxModel, type OnnxTensor } from './onnxModel.ts';
import { externalTensor, readTensorHeader } from './tensorProto.ts';
import { WireWriter } from './wire.ts';

/** Tensors above this stay in the original file; below it they may be constants of shapes. */
const inlineBytes = 2048;

/**
 * The model at `path` with its large weights as references into that file (or the files it already
 * refers to). Everything else is complete.
 * @throws Error when the file is not an ONNX model
 */
export async function loadGraphWithoutWeights(path: string): Promise<OnnxModel> {
	const { handle, size } = await openModelPath(path);
	try {
		const file = new ProtobufFile(handle, size);
		const model = new WireWriter();
		const weights: OnnxTensor[] = [];
		// Together, not each: many parts below a limit are one above it.
		const budget = new GraphBudget(basename(path));
		for await (const field of file.fields(0, size)) {
			if (field.number !== 7) {
				await copy(file, field, model, budget);
				continue;
			}
			const graph = new WireWriter();
			for await (const part of file.fields(field.start, field.end)) {
				if (part.number !== 5) await copy(file, part, graph, budget);
				else {
					weights.push(await readWeight(file, part.start, part.end, budget));
					checkFileLimit(basename(path), 'tensors', weights.length, graphLimits.maxTensors);
				}
			}
			model.bytes(7, graph.finish());
		}
		const decoded = decodeModel(model.finish());
		pushAll(decoded.graph.initializers, weights);
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

class GraphBudget {
	readonly file: string;
	#left: number = graphLimits.maxSkeletonBytes;

	constructor(file: string) {
		this.file = file;
	}

	/** @throws AppError `unsupported_model` when a graph without its large weights is still too large */
	take(bytes: number): void {
		this.#left -= bytes;
		if (this.#left >= 0) return;
		const limit = graphLimits.maxSkeletonBytes;
		throw beyondLimit(
			this.file,
			`has more than ${limit} bytes beside its weights; at most ${limit} are read`,
		);
	}
}

async function copy(
	file: ProtobufFile,
	part: Part,
	to: WireWriter,
	budget: GraphBudget,
): Promise<void> {
	budget.take(part.end - part.start);
	if (part.wire === 0) to.int(part.number, part.value);
	else if (part.wire === 2)
		to.bytes(part.number, Uint8Array.from(await file.bytes(part, graphLimits.maxSkeletonBytes)));
	else throw new Error(`Field ${part.number} of the model has an unexpected form.`);
}

async function readWeight(
	file: ProtobufFile,
	start: number,
	end: number,
	budget: GraphBudget,
): Promise<OnnxTensor> {
	const header = new WireWriter();
	let large: { start: number; end: number } | undefined;
	for await (const field of file.fields(start, end)) {
		const isRaw = field.number === 9 && field.end - field.start > inlineBytes;
		if (isRaw) large = { start: field.start, end: field.end };
		else await copy(file, field, header, budget);
	}
	const bytes = header.finish();
	const parsed = readTensorHeader(bytes);
	if (large === undefined) return { name: parsed.name, bytes };
	return externalTensor(parsed, {
		location: budget.file,
		offset: large.start,
		length: large.end - large.start,
	});
}
