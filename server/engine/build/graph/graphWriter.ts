/**
 * A graph while it is put together. Weights lie in one file beside it: where is known from their shapes alone,
 * so the graph is complete before any weight has been read.
 */

import { AppError } from '../../../protocol/index.ts';
import {
	floatAttribute,
	intAttribute,
	intsAttribute,
	textAttribute,
} from '../../onnx/graphEdit.ts';
import {
	encodeModel,
	type OnnxAttribute,
	type OnnxNode,
	type OnnxTensor,
	type OnnxValue,
} from '../../onnx/onnxModel.ts';
import { externalTensor, int64Tensor, scalarTensor } from '../../onnx/tensorProto.ts';
import { WireWriter } from '../../onnx/wire.ts';
import { type TensorType, typeBytes, typeCode } from '../../runtime/tensorType.ts';
import type { BlockRows } from '../sources/tensorSource.ts';
import type { Matrix } from './matrix.ts';

export type AttributeValue = number | string | readonly number[] | { readonly float: number };
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** Bytes for a place in the file of the weights. */
export interface DataPiece {
	readonly offset: number;
	readonly bytes: Uint8Array;
}

/** Rows of a matrix, as they lie in the source. */
export interface MatrixPart {
	/** The weight's name in the graph. */
	readonly weight: string;
	/** First row in the matrix. */
	readonly at: number;
	readonly count: number;
}

/** Looks at numbers while they become weights. */
export interface NumbersWatcher {
	/** How much an error in each column of the weight counts; `undefined` where all count the same. */
	importanceOf(weight: string): Float32Array | undefined;
	/** The numbers of the source; waited for before the next rows are read. */
	onNumbers(rows: MatrixPart, numbers: Float32Array): Promise<void>;
	/** What has become of them. */
	onMade(rows: MatrixPart, numbers: Float32Array, made: BlockRows): void;
}

/** Work that gives some of the weights; what a band gives depends on no other one. */
export interface Band {
	/** Bytes it writes. */
	readonly bytes: number;
	/** Absent where the weight is no matrix. */
	readonly rows?: MatrixPart;
	make(signal?: AbortSignal, watcher?: NumbersWatcher): Promise<readonly DataPiece[]>;
}

/** What a graph multiplies by its matrices, whatever the nodes that do it. */
export interface GraphMatrices {
	/** By the weight's name. */
	readonly matrices: ReadonlyMap<string, Matrix>;
	/** Weights whose numbers are not those of the source. */
	readonly changed: ReadonlySet<string>;
	/** By the value that is made: what is multiplied, and by which weight. */
	readonly products: ReadonlyMap<string, { readonly x: string; readonly weight: string }>;
	/** By the value that is made: the input of ids, and the weight whose rows are taken. */
	readonly gathers: ReadonlyMap<string, { readonly ids: string; readonly weight: string }>;
}

/** The finished plan of the graphs of a model. */
export interface GraphPlan {
	/** The .onnx files by name. */
	readonly graphs: ReadonlyMap<string, Uint8Array>;
	/** File of the weights of all of them, beside them. */
	readonly dataName: string;
	readonly dataBytes: number;
	/** Bytes of those that are read for each token of an answer; of models whose answers grow token by token from one graph. */
	readonly tokenBytes?: number;
	readonly bands: readonly Band[];
	/** Of models with one graph whose bands come in the order of its nodes. */
	readonly linear?: GraphMatrices;
}

/** A file of weights while it is planned; graphs that use the same weight find it in the same place. */
export class DataLayout {
	readonly name: string;
	readonly bands: Band[] = [];
	readonly #places = new Map<string, number>();
	#bytes = 0;

	/** @param name of the file */
	constructor(name: string) {
		this.name = name;
	}

	get bytes(): number {
		return this.#bytes;
	}

	/** Whether a weight of this name has a place already. */
	has(name: string): boolean {
		return this.#places.has(name);
	}

	/** The place of the weight, taken now unless another graph has it. */
	place(name: string, length: number): number {
		const known = this.#places.get(name);
		if (known !== undefined) return known;
		const offset = this.#bytes;
		this.#bytes = Math.ceil((offset + length) / alignment) * alignment;
		this.#places.set(name, offset);
		return offset;
	}
}

/** What kernels load at once, and what a mapped page begins with. */
const alignment = 64;
/** Of ONNX's operators, and of the format. */
const opset = 21;
const irVersion = 10;

export class GraphWriter {
	readonly layout: DataLayout;
	readonly #nodes: OnnxNode[] = [];
	readonly #made = new Set<string>();
	readonly #inputs: OnnxValue[] = [];
	readonly #outputs: OnnxValue[] = [];
	readonly #initializers = new Map<string, OnnxTensor>();

	constructor(layout: DataLayout) {
		this.layout = layout;
	}

	input(name: string, type: TensorType, dims: readonly (number | string)[]): string {
		this.#inputs.push({ name, elementType: typeCode(type), dims });
		return name;
	}

	output(name: string, type: TensorType, dims: readonly (number | string)[]): string {
		this.#outputs.push({ name, elementType: typeCode(type), dims });
		return name;
	}

	/**
	 * Adds a node and returns its first output.
	 * @param op operators of ONNX Runtime's own domain begin with `ms:`
	 * @param output the first output or all of them
	 */
	node(
		op: string,
		inputs: readonly string[],
		output: string | readonly string[],
		attributes: Attributes = {},
	): string {
		const outputs = typeof output === 'string' ? [output] : [...output];
		const isContrib = op.startsWith('ms:');
		const [first = ''] = outputs;
		if (this.#made.has(first)) throw new AppError('internal', `Two nodes give ${first}.`);
		this.#made.add(first);
		this.#nodes.push({
			name: first.replace(/\/output_0$/, ''),
			op: isContrib ? op.slice(3) : op,
			domain: isContrib ? 'com.microsoft' : '',
			inputs: [...inputs],
			outputs,
			attributes: Object.entries(attributes).map(([name, value]) => attribute(name, value)),
			rest: [],
		});
		return first;
	}

	/** Adds a node whose attributes are graphs (`If`). */
	branch(node: OnnxNode): void {
		this.#nodes.push(node);
	}

	/** A constant of whole numbers. */
	integers(values: readonly number[], dims: readonly number[] = [values.length]): string {
		const name = `/model/constants/INT64/${dims.length === 0 ? values[0] : `[${values.join(', ')}]`}`;
		this.#initializers.set(name, int64Tensor(name, values, dims));
		return name;
	}

	/** A constant of one number. */
	float(value: number): string {
		const name = `/model/constants/FLOAT/${value}`;
		this.#initializers.set(name, scalarTensor(name, 'float32', value));
		return name;
	}

	/** A constant of one byte. */
	byte(value: number): string {
		const name = `/model/constants/UINT8/${value}`;
		this.#initializers.set(name, scalarTensor(name, 'uint8', value));
		return name;
	}

	/**
	 * Takes room for a weight; whoever is the first to do so adds the bands that fill it. Returns its place.
	 */
	reserve(name: string, type: TensorType, dims: readonly number[]): number {
		const length = dims.reduce((product, size) => product * size, 1) * typeBytes(type);
		const offset = this.layout.place(name, length);
		this.alias(name, type, dims, offset);
		return offset;
	}

	/** Another weight in the same place. */
	alias(name: string, type: TensorType, dims: readonly number[], offset: number): void {
		if (this.#initializers.has(name))
			throw new AppError('internal', `Two weights are called ${name}.`);
		const length = dims.reduce((product, size) => product * size, 1) * typeBytes(type);
		const header = { name, dims, dataType: typeCode(type) };
		const external = { location: this.layout.name, offset, length };
		this.#initializers.set(name, externalTensor(header, external));
	}

	/** The .onnx file. @param producer program, as the file names it */
	finish(name: string, producer: string): Uint8Array {
		return encodeModel({
			rest: modelVersions(producer),
			graph: {
				name,
				nodes: this.#nodes,
				inputs: this.#inputs,
				outputs: this.#outputs,
				initializers: [...this.#initializers.values()],
				rest: [],
			},
		});
	}
}

/** What a model says before its graph. @param producer program, as the file names it */
export function modelVersions(producer: string): Uint8Array[] {
	const set = (domain: string, version: number): Uint8Array =>
		new WireWriter().bytes(8, new WireWriter().text(1, domain).int(2, version).finish()).finish();
	return [
		new WireWriter().int(1, irVersion).finish(),
		new WireWriter().text(2, producer).finish(),
		set('', opset),
		set('com.microsoft', 1),
	];
}

function attribute(name: string, value: AttributeValue): OnnxAttribute {
	if (typeof value === 'number') return intAttribute(name, value);
	if (typeof value === 'string') return textAttribute(name, value);
	return 'float' in value ? floatAttribute(name, value.float) : intsAttribute(name, value);
}

/** The bytes of an array, as they lie in memory. */
export function arrayBytes(values: ArrayBufferView): Uint8Array {
	return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
