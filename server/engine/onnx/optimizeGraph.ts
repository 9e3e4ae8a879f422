/**
 * Writes a smaller, faster copy of a graph: matrix products with float weights become MatMulNBits, and
 * what remains of half precision becomes float32.
 * The copy is complete in itself; graph and data file appear together or not at all.
 */

import { randomUUID } from 'node:crypto';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { movePath, removePath } from '../../store/movePath.ts';
import { castInlineToFloat32, castToFloat32, isHalf } from './castToFloat32.ts';
import { importContrib } from './contribDomain.ts';
import { intAttribute, makeNode, removeDead } from './graphEdit.ts';
import { loadGraphWithoutWeights } from './graphWithoutWeights.ts';
import { encodeModel, type OnnxGraph, type OnnxModel, type OnnxNode } from './onnxModel.ts';
import { quantizeMatrix } from './quantize.ts';
import { externalTensor, readTensorHeader, type TensorHeader } from './tensorProto.ts';
import { WeightReader } from './weightReader.ts';

export interface OptimizeOptions {
	readonly bits: 4 | 8;
	/** Weights that share a scale: 16, 32, 64, 128 or 256. */
	readonly block: number;
}

export interface OptimizeResult {
	readonly matrices: number;
	readonly sizeBytes: number;
	/** Root-mean-square error of the weights, relative to their size. */
	readonly relativeError: number;
}

/** Smaller matrices are left as they are: they cost little and carry much. */
const minElements = 4096;
const float32 = 1;
const uint8 = 2;
const alignment = 4096;

/**
 * Reads the graph at `from` and writes its quantised copy to `to` and `${to}_data`.
 * @throws Error naming what stands in the way
 */
export async function optimizeGraph(
	from: string,
	to: string,
	options: OptimizeOptions,
): Promise<OptimizeResult> {
	const model = await loadGraphWithoutWeights(from);
	const reader = new WeightReader(from);
	const token = randomUUID();
	const temporary = { graph: `${to}.${token}.tmp`, data: `${to}_data.${token}.tmp` };
	const data = await open(temporary.data, 'wx');
	try {
		const writer = new DataWriter(data, `${basename(to)}_data`);
		const result = await rewrite(model, reader, writer, options);
		await data.close();
		await writeFile(temporary.graph, encodeModel(model));
		await movePath(temporary.data, `${to}_data`);
		await movePath(temporary.graph, to);
		return { ...result, sizeBytes: writer.offset };
	} catch (error) {
		await data.close().catch(() => undefined);
		throw error;
	} finally {
		await reader.close();
		await removePath(temporary.graph, { force: true });
		await removePath(temporary.data, { force: true });
	}
}

class DataWriter {
	offset = 0;
	readonly #file: FileHandle;
	readonly #name: string;

	constructor(file: FileHandle, name: string) {
		this.#file = file;
		this.#name = name;
	}

	/** Appends bytes and returns the weight that refers to them. */
	async add(header: Omit<TensorHeader, 'raw' | 'external'>, bytes: Uint8Array) {
		this.offset = Math.ceil(this.offset / alignment) * alignment;
		await this.#file.write(bytes, 0, bytes.length, this.offset);
		const external = { location: this.#name, offset: this.offset, length: bytes.length };
		this.offset += bytes.length;
		return externalTensor(header, external);
	}
}

async function rewrite(
	model: OnnxModel,
	reader: WeightReader,
	writer: DataWriter,
	{ bits, block }: OptimizeOptions,
): Promise<Omit<OptimizeResult, 'sizeBytes'>> {
	const { graph } = model;
	const headers = new Map(
		graph.initializers.map(({ name, bytes }) => [name, readTensorHeader(bytes)] as const),
	);
	castToFloat32(graph);
	const uses = matrixProducts(graph, headers, block);
	if (uses.length === 0) {
		throw new Error(
			'the graph has no matrix products with float weights (is it quantised already?)',
		);
	}
	let squares = 0;
	let errors = 0;
	for (const { weight, transposed, nodes } of uses) {
		const header = headers.get(weight) as TensorHeader;
		const name = transposed ? `${weight}/turned` : weight;
		const [rows = 0, columns = 0] = transposed ? header.dims.toReversed() : header.dims;
		const stored = (await reader.floats(header)) as Float32Array;
		const values = transposed ? transpose(stored, columns, rows) : stored;
		const { packed, scales } = quantizeMatrix(values, rows, columns, bits, block);
		for (let k = 0; k < values.length; k += 97) {
			const original = values[k] as number;
			const restored = dequantised(packed, scales, k, rows, columns, bits, block);
			squares += original ** 2;
			errors += (original - restored) ** 2;
		}
		const dims = [columns, rows / block, (block * bits) / 8];
		const q = await writer.add({ name: `${name}/q`, dims, dataType: uint8 }, packed);
		const scaleBytes = new Uint8Array(scales.buffer);
		const s = await writer.add(
			{ name: `${name}/s`, dims: [scales.length], dataType: float32 },
			scaleBytes,
		);
		graph.initializers.push(q, s);
		for (const node of nodes) replace(node, q.name, s.name, { rows, columns, bits, block });
	}
	removeDead(graph);
	// The rest of the weights moves along, so that the copy needs no other file.
	for (const [index, { name, bytes }] of graph.initializers.entries()) {
		const header = readTensorHeader(bytes);
		if (name.endsWith('/q') || name.endsWith('/s')) continue;
		if (header.external === undefined) {
			graph.initializers[index] = castInlineToFloat32({ name, bytes });
			continue;
		}
		const numbers = isHalf(header.dataType) ? await reader.floats(header) : undefined;
		graph.initializers[index] =
			numbers === undefined
				? await writer.add(header, await reader.bytes(header))
				: await writer.add({ ...header, dataType: float32 }, new Uint8Array(numbers.buffer));
	}
	importContrib(model);
	return { matrices: uses.length, relativeError: Math.sqrt(errors / Math.max(squares, 1e-30)) };
}

/** A weight that is the right side of matrix products. */
interface MatrixUse {
	readonly weight: string;
	/** The products read it transposed, as heads do that share the embedding's weights. */
	readonly transposed: boolean;
	readonly nodes: OnnxNode[];
}

/** The matrices worth quantising, with the MatMul nodes that read them, subgraphs included. */
function matrixProducts(
	graph: OnnxGraph,
	headers: ReadonlyMap<string, TensorHeader>,
	block: number,
): MatrixUse[] {
	const found = new Map<string, MatrixUse>();
	const transposedBy = new Map<string, string>();
	const visit = (nodes: readonly OnnxNode[]): void => {
		for (const node of nodes) {
			for (const { graph: inner } of node.attributes) if (inner !== undefined) visit(inner.nodes);
			const [from = '', right = ''] = node.inputs;
			if (node.op === 'Transpose' && headers.get(from)?.dims.length === 2) {
				transposedBy.set(node.outputs[0] ?? '', from);
			}
			if (node.op !== 'MatMul') continue;
			const weight = transposedBy.get(right) ?? right;
			const transposed = weight !== right;
			const header = headers.get(weight);
			if (header === undefined || header.dims.length !== 2) continue;
			if (header.dataType !== float32 && !isHalf(header.dataType)) continue;
			const [rows = 0, columns = 0] = transposed ? header.dims.toReversed() : header.dims;
			if (rows % block !== 0 || rows * columns < minElements) continue;
			const key = `${transposed} ${weight}`;
			const use = found.get(key) ?? { weight, transposed, nodes: [] };
			use.nodes.push(node);
			found.set(key, use);
		}
	};
	visit(graph.nodes);
	return [...found.values()];
}

/** `[rows, columns]` as `[columns, rows]`. */
function transpose(values: Float32Array, rows: number, columns: number): Float32Array {
	const result = new Float32Array(values.length);
	for (let row = 0; row < rows; row++) {
		for (let column = 0; column < columns; column++) {
			result[column * rows + row] = values[row * columns + column] as number;
		}
	}
	return result;
}

function replace(
	node: OnnxNode,
	q: string,
	s: string,
	{ rows, columns, bits, block }: { rows: number; columns: number; bits: number; block: number },
): void {
	const made = makeNode(
		'MatMulNBits',
		[node.inputs[0] as string, q, s],
		node.outputs,
		[
			intAttribute('K', rows),
			intAttribute('N', columns),
			intAttribute('bits', bits),
			intAttribute('block_size', block),
			intAttribute('accuracy_level', 4),
		],
		'com.microsoft',
	);
	Object.assign(node, { ...made, name: node.name });
}

function dequantised(
	packed: Uint8Array,
	scales: Float32Array,
	index: number,
	rows: number,
	columns: number,
	bits: 4 | 8,
	block: number,
): number {
	const row = Math.floor(index / columns);
	const place = (index % columns) * rows + row;
	const byte = packed[Math.floor((place * bits) / 8)] as number;
	const number = bits === 8 ? byte : (byte >> ((place & 1) * 4)) & 15;
	return (number - (bits === 8 ? 128 : 8)) * (scales[Math.floor(place / block)] as number);
}
