/**
 * Reads what a model graph asks for (inputs, outputs, op types, opsets, external files) from an ONNX
 * file without holding its weights: tensor data is skipped by position, so a 2 GB file costs a few reads.
 */

import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { checkFileLimit, graphLimits } from '../../hub/modelData/fileLimits.ts';
import { openModelPath } from '../../hub/modelData/readModelFile.ts';
import { AppError } from '../../protocol/index.ts';
import type { GraphSource } from './graphSource.ts';
import { byteSource, ProtobufFile } from './protobufFile.ts';

/** Name, ONNX element type (1 = float32, 7 = int64, 10 = float16, …) and dims; a symbol stays a string. */
export interface GraphValue {
	readonly name: string;
	readonly elementType: number;
	readonly dims: readonly (number | string)[];
}

/** What a graph needs of a runtime. */
export interface GraphSummary {
	readonly producer: string;
	readonly irVersion: number;
	/** Domain → version; the default domain is `''`. */
	readonly opsets: ReadonlyMap<string, number>;
	readonly inputs: readonly GraphValue[];
	readonly outputs: readonly GraphValue[];
	/** `domain:OpType` (or `OpType` in the default domain) → count, subgraphs included. */
	readonly ops: ReadonlyMap<string, number>;
	/** Number of nodes of each op type that have an attribute: `GroupQueryAttention.smooth_softmax`. */
	readonly attributes: ReadonlyMap<string, number>;
	/** Integer attributes seen, by `OpType.name`. */
	readonly integers: ReadonlyMap<string, ReadonlySet<number>>;
	/** Position of the last input that is given, counted from 1, largest seen, by `OpType`. */
	readonly maxInputs: ReadonlyMap<string, number>;
	/** Operators the file defines itself, spelled as in {@link ops}. */
	readonly functions: ReadonlySet<string>;
	/** Locations of weights, relative to the graph's folder → bytes the file must have at least. */
	readonly externalFiles: ReadonlyMap<string, number>;
	/** Element types of initialisers → bytes. */
	readonly weightTypes: ReadonlyMap<number, number>;
}

interface Building {
	producer: string;
	irVersion: number;
	opsets: Map<string, number>;
	inputs: GraphValue[];
	outputs: GraphValue[];
	ops: Map<string, number>;
	attributes: Map<string, number>;
	integers: Map<string, Set<number>>;
	maxInputs: Map<string, number>;
	functions: Set<string>;
	externalFiles: Map<string, number>;
	weightTypes: Map<number, number>;
	initialisers: Set<string>;
	/** Name of the file, for messages, and what of it has been counted. */
	readonly file: string;
	nodes: number;
	tensors: number;
}

/**
 * Reads the summary of a graph.
 * @throws AppError `unsupported_model` when the file is not an ONNX model or is cut short
 */
export async function readGraphSummary(graph: GraphSource): Promise<GraphSummary> {
	if (typeof graph !== 'string') {
		const { bytes, name } = graph;
		return summarise(new ProtobufFile(byteSource(bytes), bytes.length), bytes.length, name);
	}
	const path = graph;
	let handle: FileHandle;
	let size: number;
	try {
		({ handle, size } = await openModelPath(path));
	} catch (error) {
		if (error instanceof AppError) throw error;
		throw new AppError('unsupported_model', `The graph ${path} cannot be opened.`, {
			cause: error,
		});
	}
	try {
		return await summarise(new ProtobufFile(handle, size), size, path);
	} finally {
		await handle.close();
	}
}

/** Field numbers of onnx.proto3. */
async function summarise(file: ProtobufFile, size: number, path: string): Promise<GraphSummary> {
	try {
		const building = emptyBuilding(basename(path));
		let sawGraph = false;
		for await (const field of file.fields(0, size)) {
			if (field.number === 1) building.irVersion = field.value;
			else if (field.number === 2) building.producer = await file.text(field);
			else if (field.number === 7) {
				sawGraph = true;
				await readGraph(file, field.start, field.end, building, 0);
			} else if (field.number === 20) {
				for await (const part of file.fields(field.start, field.end))
					if (part.number === 1 || part.number === 2)
						await readGraph(file, part.start, part.end, building, 1);
			} else if (field.number === 8) await readOpset(file, field.start, field.end, building);
			else if (field.number === 25) await readFunction(file, field.start, field.end, building);
		}
		if (!sawGraph) throw new Error('no graph in the file');
		building.inputs = building.inputs.filter((input) => !building.initialisers.has(input.name));
		return building;
	} catch (error) {
		if (error instanceof AppError) throw error;
		const why = error instanceof Error ? error.message : String(error);
		throw new AppError(
			'unsupported_model',
			`The file ${path} is not a complete ONNX model (${why}); download it again.`,
			{ cause: error },
		);
	}
}

function emptyBuilding(file: string): Building {
	return {
		file,
		nodes: 0,
		tensors: 0,
		producer: '',
		irVersion: 0,
		opsets: new Map(),
		inputs: [],
		outputs: [],
		ops: new Map(),
		attributes: new Map(),
		integers: new Map(),
		maxInputs: new Map(),
		functions: new Set(),
		externalFiles: new Map(),
		weightTypes: new Map(),
		initialisers: new Set(),
	};
}

async function readFunction(file: ProtobufFile, start: number, end: number, to: Building) {
	let name = '';
	let domain = '';
	for await (const field of file.fields(start, end)) {
		if (field.number === 1) name = await file.text(field);
		else if (field.number === 7) await readNode(file, field.start, field.end, to, 1);
		else if (field.number === 10) domain = await file.text(field);
	}
	to.functions.add(domain === '' ? name : `${domain}:${name}`);
}

async function readOpset(file: ProtobufFile, start: number, end: number, to: Building) {
	let domain = '';
	let version = 0;
	for await (const field of file.fields(start, end)) {
		if (field.number === 1) domain = await file.text(field);
		else if (field.number === 2) version = field.value;
	}
	to.opsets.set(domain === 'ai.onnx' ? '' : domain, version);
}

async function readGraph(
	file: ProtobufFile,
	start: number,
	end: number,
	to: Building,
	depth: number,
): Promise<void> {
	checkFileLimit(to.file, 'graphs inside each other', depth, graphLimits.maxDepth);
	const outermost = depth === 0;
	for await (const field of file.fields(start, end)) {
		if (field.number === 1) await readNode(file, field.start, field.end, to, depth);
		else if (field.number === 5) await readTensor(file, field.start, field.end, to, outermost);
		else if (field.number === 15) await readSparse(file, field.start, field.end, to);
		else if (field.number === 11 && outermost) {
			to.inputs.push(await readValue(file, field.start, field.end, to));
		} else if (field.number === 12 && outermost) {
			to.outputs.push(await readValue(file, field.start, field.end, to));
		}
	}
}

async function readNode(
	file: ProtobufFile,
	start: number,
	end: number,
	to: Building,
	depth: number,
) {
	checkFileLimit(to.file, 'nodes', ++to.nodes, graphLimits.maxNodes);
	let op = '';
	let domain = '';
	let position = 0;
	let inputs = 0;
	const attributes: { start: number; end: number }[] = [];
	for await (const field of file.fields(start, end)) {
		if (field.number === 1) {
			position++;
			if (field.end > field.start) inputs = position;
		} else if (field.number === 4) op = await file.text(field);
		else if (field.number === 5) attributes.push({ start: field.start, end: field.end });
		else if (field.number === 7) domain = await file.text(field);
	}
	const key = domain === '' || domain === 'ai.onnx' ? op : `${domain}:${op}`;
	to.ops.set(key, (to.ops.get(key) ?? 0) + 1);
	to.maxInputs.set(op, Math.max(to.maxInputs.get(op) ?? 0, inputs));
	for (const attribute of attributes) {
		await readAttribute(file, attribute.start, attribute.end, op, to, depth);
	}
}

async function readAttribute(
	file: ProtobufFile,
	start: number,
	end: number,
	op: string,
	to: Building,
	depth: number,
) {
	let name = '';
	for await (const field of file.fields(start, end)) {
		if (field.number === 1) {
			name = `${op}.${await file.text(field)}`;
			to.attributes.set(name, (to.attributes.get(name) ?? 0) + 1);
		} else if (field.number === 3) {
			const values = to.integers.get(name) ?? new Set<number>();
			if (values.size < 64) values.add(field.value);
			to.integers.set(name, values);
		} else if (field.number === 5 || field.number === 10) {
			await readTensor(file, field.start, field.end, to, false);
		} else if (field.number === 22 || field.number === 23) {
			await readSparse(file, field.start, field.end, to);
		} else if (field.number === 6 || field.number === 11) {
			await readGraph(file, field.start, field.end, to, depth + 1);
		}
	}
}

/** A sparse tensor is two dense ones, whose data may lie in files as well. */
async function readSparse(file: ProtobufFile, start: number, end: number, to: Building) {
	for await (const field of file.fields(start, end))
		if (field.number === 1 || field.number === 2)
			await readTensor(file, field.start, field.end, to, false);
}

async function readTensor(
	file: ProtobufFile,
	start: number,
	end: number,
	to: Building,
	named: boolean,
) {
	checkFileLimit(to.file, 'tensors', ++to.tensors, graphLimits.maxTensors);
	let elementType = 0;
	let bytes = 0;
	let location: string | undefined;
	let offset = 0;
	let length = 0;
	for await (const field of file.fields(start, end)) {
		if (field.number === 2) elementType = field.value;
		else if (field.number === 8 && named) to.initialisers.add(await file.text(field));
		else if (field.number >= 4 && field.number <= 11 && field.wire === 2) {
			bytes += field.end - field.start;
		} else if (field.number === 13) {
			const [key, value] = await readEntry(file, field.start, field.end);
			if (key === 'location') location = value;
			else if (key === 'offset') offset = Number(value);
			else if (key === 'length') length = Number(value);
		}
	}
	if (location !== undefined) {
		bytes += length;
		const needed = offset < 0 || length < 0 ? Number.NaN : offset + length;
		const known = to.externalFiles.get(location) ?? 0;
		to.externalFiles.set(location, Number.isNaN(known) ? known : Math.max(known, needed));
	}
	to.weightTypes.set(elementType, (to.weightTypes.get(elementType) ?? 0) + bytes);
}

async function readEntry(file: ProtobufFile, start: number, end: number) {
	let key = '';
	let value = '';
	for await (const field of file.fields(start, end)) {
		if (field.number === 1) key = await file.text(field);
		else if (field.number === 2) value = await file.text(field);
	}
	return [key, value] as const;
}

async function readValue(
	file: ProtobufFile,
	start: number,
	end: number,
	to: Building,
): Promise<GraphValue> {
	let name = '';
	let elementType = 0;
	const dims: (number | string)[] = [];
	for await (const field of file.fields(start, end)) {
		if (field.number === 1) name = await file.text(field);
		else if (field.number === 2) {
			for await (const type of file.fields(field.start, field.end)) {
				if (type.number !== 1) continue;
				for await (const tensor of file.fields(type.start, type.end)) {
					if (tensor.number === 1) elementType = tensor.value;
					else if (tensor.number === 2) {
						for await (const dim of file.fields(tensor.start, tensor.end)) {
							if (dim.number !== 1) continue;
							dims.push(await readDim(file, dim.start, dim.end));
							checkFileLimit(to.file, 'dimensions of one value', dims.length, graphLimits.maxRank);
						}
					}
				}
			}
		}
	}
	return { name, elementType, dims };
}

async function readDim(file: ProtobufFile, start: number, end: number): Promise<number | string> {
	let dim: number | string = '';
	for await (const field of file.fields(start, end)) {
		if (field.number === 1) dim = field.value;
		else if (field.number === 2) dim = await file.text(field);
	}
	return dim;
}
