/**
 * What the model would say with the numbers of the source, computed while these pass by on their way into blocks:
 * nothing is read twice, and no more of the weights is in memory than one band. What each matrix is multiplied with
 * is known before its numbers come, so it also says which of its columns matter.
 */

import { AppError } from '../../../protocol/index.ts';
import { intAttribute } from '../../onnx/graphEdit.ts';
import { decodeModel, type OnnxGraph } from '../../onnx/onnxModel.ts';
import { readTensorHeader, type TensorHeader } from '../../onnx/tensorProto.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import {
	createData,
	elementCount,
	type Tensor,
	type TensorData,
	type TensorType,
	typeBytes,
	typeName,
} from '../../runtime/tensorType.ts';
import type { GraphMatrices, GraphPlan, MatrixPart, NumbersWatcher } from '../graph/graphWriter.ts';
import { readVector } from '../graph/matrix.ts';
import type { BlockRows, TensorSource } from '../sources/tensorSource.ts';
import type { CalibrationTokens } from './calibration.ts';
import { NodeRunner } from './nodeRunner.ts';
import { countReads, programOf, readsOf, type Step } from './program.ts';
import type { ReferenceState } from './referenceState.ts';
import { WeightErrors } from './weightErrors.ts';

/** What the unquantised model says. */
export interface ReferenceLogits {
	readonly vocabulary: number;
	/** The last positions of the text, `[positions, vocabulary]`. */
	readonly logits: Float32Array;
}

export interface ReferenceOptions {
	readonly plan: GraphPlan;
	readonly source: TensorSource;
	readonly calibration: CalibrationTokens;
	readonly runtime: Runtime;
	/** Bytes of the file of the weights that was written so far. */
	readonly readWritten: (offset: number, length: number) => Promise<Uint8Array>;
	/** Of an earlier run that ended before it was through. */
	readonly state?: ReferenceState | undefined;
	/** Where columns that matter are to get the smaller errors. */
	readonly weighs: boolean;
}

/** Most numbers of the logits that are kept. */
const maxLogits = 16 * 2 ** 20;
/** Rows of the embedding that are read at the same time. */
const readsAtOnce = 8;
const output = 'logits';
const transposed = [intAttribute('transB', 1)];

interface Partial {
	readonly output: string;
	readonly weight: string;
	readonly x: Tensor;
	readonly y: Tensor;
	doneRows: number;
}

export class ReferencePass implements NumbersWatcher, AsyncDisposable {
	readonly #options: ReferenceOptions;
	readonly #linear: GraphMatrices;
	readonly #graph: OnnxGraph;
	readonly #initializers: ReadonlyMap<string, TensorHeader>;
	readonly #steps: readonly Step[];
	readonly #reads: Map<string, number>;
	readonly #lastProduct: number;
	readonly #runner: NodeRunner;
	readonly #values = new Map<string, Tensor>();
	readonly #errors: WeightErrors;
	#next = 0;
	#partial: Partial | undefined;
	#importance: Float32Array | undefined;

	constructor(options: ReferenceOptions) {
		const { plan, state, runtime } = options;
		const [bytes] = plan.graphs.values();
		if (plan.linear === undefined || bytes === undefined)
			throw new AppError('internal', 'This graph cannot be followed while it is built.');
		this.#options = options;
		this.#linear = plan.linear;
		this.#graph = decodeModel(bytes).graph;
		this.#initializers = new Map(
			this.#graph.initializers.map(({ name, bytes: tensor }) => [name, readTensorHeader(tensor)]),
		);
		this.#steps = programOf(this.#graph, plan.linear, output);
		this.#lastProduct = this.#steps.findLastIndex(({ kind }) => kind === 'product');
		this.#reads = countReads(this.#steps);
		this.#runner = new NodeRunner(runtime);
		this.#errors = new WeightErrors(state?.errors);
		if (state === undefined) return;
		this.#next = state.next;
		for (const step of this.#steps.slice(0, state.next)) this.#forget(step, false);
		for (const [name, tensor] of state.values) this.#values.set(name, tensor);
		const { partial } = state;
		if (partial === undefined) return;
		this.#partial = { ...partial, x: this.#need(partial.value), y: this.#need(partial.output) };
		this.#values.delete(partial.output);
	}

	get errors(): WeightErrors {
		return this.#errors;
	}

	/** What a later run needs to go on from here. */
	get state(): ReferenceState {
		const values = new Map(this.#values);
		const partial = this.#partial;
		if (partial === undefined) return { next: this.#next, values, errors: this.#errors.entries() };
		const value = `${partial.output}/x`;
		values.set(value, partial.x);
		values.set(partial.output, partial.y);
		return {
			next: this.#next,
			values,
			errors: this.#errors.entries(),
			partial: {
				output: partial.output,
				weight: partial.weight,
				value,
				doneRows: partial.doneRows,
			},
		};
	}

	/** Before the rows of a band are read: computes all that comes before them. */
	async prepare(rows: MatrixPart | undefined, signal?: AbortSignal): Promise<void> {
		if (rows === undefined || !this.#isMultiplied(rows.weight)) return;
		if (this.#partial?.weight === rows.weight) return;
		await this.#advance(signal);
		const step = this.#steps[this.#next];
		const matrix = this.#linear.matrices.get(rows.weight);
		if (step?.kind !== 'product' || step.weight !== rows.weight || matrix === undefined)
			throw new AppError('internal', `The rows of ${rows.weight} come out of turn.`);
		const given = this.#need(step.x);
		const isLast = this.#next === this.#lastProduct;
		const x = isLast ? lastPositions(given, matrix.rows) : given;
		const dims = [...x.dims.slice(0, -1), matrix.rows];
		const y: Tensor = { type: 'float32', dims, data: new Float32Array(elementCount(dims)) };
		this.#partial = { output: step.output, weight: step.weight, x, y, doneRows: 0 };
	}

	importanceOf(weight: string): Float32Array | undefined {
		const partial = this.#partial;
		// Of the first text nothing is left before the head.
		const isLast = this.#next === this.#lastProduct;
		if (partial?.weight !== weight || isLast || !this.#options.weighs) return undefined;
		// Tokens of an expert: which text they are of is not known.
		if (partial.x.dims[0] !== 2) return undefined;
		this.#importance ??= meanSquares(partial.x);
		return this.#importance;
	}

	async onNumbers({ weight, at, count }: MatrixPart, numbers: Float32Array): Promise<void> {
		const partial = this.#partial;
		if (partial?.weight !== weight) return;
		const { x, y } = partial;
		const columns = x.dims.at(-1) ?? 0;
		const [made] = await this.#runner.run(
			{ op: 'FusedMatMul', domain: 'com.microsoft', attributes: transposed, outputs: ['y'] },
			[x, { type: 'float32', dims: [count, columns], data: numbers }],
		);
		const products = made?.data as Float32Array;
		const width = y.dims.at(-1) ?? 0;
		const into = y.data as Float32Array;
		for (let row = 0; row * width < into.length; row++)
			into.set(products.subarray(row * count, (row + 1) * count), row * width + at);
		partial.doneRows += count;
		if (partial.doneRows < width) return;
		this.#partial = undefined;
		this.#importance = undefined;
		this.#values.set(partial.output, y);
		this.#forget(this.#steps[this.#next] as Step, true);
		this.#next++;
	}

	onMade({ weight, count }: MatrixPart, numbers: Float32Array, made: BlockRows): void {
		this.#errors.add(weight, numbers, made, count);
	}

	/** After the last band. */
	async finish(signal?: AbortSignal): Promise<ReferenceLogits> {
		await this.#advance(signal);
		if (this.#next !== this.#steps.length)
			throw new AppError(
				'internal',
				`Only ${this.#next} of ${this.#steps.length} steps were made.`,
			);
		const { dims, data } = this.#need(output);
		return { vocabulary: dims.at(-1) ?? 0, logits: data as Float32Array };
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.#runner.close();
	}

	#isMultiplied(weight: string): boolean {
		return this.#steps.some((step) => step.kind === 'product' && step.weight === weight);
	}

	/** Makes steps up to the next product, or the end. */
	async #advance(signal?: AbortSignal): Promise<void> {
		if (this.#next === 0) this.#feed();
		for (;;) {
			const step = this.#steps[this.#next];
			if (step === undefined || step.kind === 'product') return;
			if (signal?.aborted === true) throw new AppError('cancelled');
			if (step.kind === 'gather') this.#values.set(step.output, await this.#gather(step, signal));
			else await this.#run(step, signal);
			this.#forget(step, true);
			this.#next++;
		}
	}

	/** The inputs of the graph: both texts, before which there is nothing. */
	#feed(): void {
		const { importance, loss } = this.#options.calibration;
		const length = loss.length;
		const integers = (values: readonly number[]): Tensor => ({
			type: 'int64',
			dims: [2, length],
			data: BigInt64Array.from(values, BigInt),
		});
		for (const { name, elementType, dims } of this.#graph.inputs) {
			if (name === 'input_ids') this.#values.set(name, integers([...importance, ...loss]));
			else if (name === 'attention_mask')
				this.#values.set(name, integers(Array.from({ length: 2 * length }, () => 1)));
			else if (name === 'position_ids')
				this.#values.set(
					name,
					integers(Array.from({ length: 2 * length }, (_, at) => at % length)),
				);
			else {
				const [, heads, , size] = dims ?? [];
				const type = typeName(elementType, name);
				this.#values.set(name, {
					type,
					dims: [2, Number(heads), 0, Number(size)],
					data: createData(type, 0),
				});
			}
		}
	}

	async #run(step: Step & { kind: 'node' | 'choice' }, signal?: AbortSignal): Promise<void> {
		const { node } = step;
		if (step.kind === 'choice') {
			const condition = await this.#valueOf(node.inputs[0] ?? '');
			const wanted = condition?.data[0] ? 'then_branch' : 'else_branch';
			const branch = node.attributes.find(({ name }) => name === wanted)?.graph;
			for (const [index, name] of node.outputs.entries()) {
				const inner = branch?.outputs[index]?.name;
				const from = branch?.nodes.find(({ outputs }) => outputs[0] === inner)?.inputs[0];
				const tensor = await this.#valueOf(from ?? '');
				if (tensor !== undefined) this.#values.set(name, tensor);
			}
			return;
		}
		const inputs = await Promise.all(node.inputs.map((name) => this.#valueOf(name)));
		const isWanted = node.outputs.map((name) => name === output || this.#reads.has(name));
		const made = await this.#runner.run(node, inputs, signal, isWanted);
		for (const [index, name] of node.outputs.entries()) {
			const tensor = made[index];
			if (tensor !== undefined) this.#values.set(name, tensor);
		}
	}

	/** A value, or a weight that is no matrix; `undefined` for an input that is left out. */
	async #valueOf(name: string): Promise<Tensor | undefined> {
		if (name === '') return undefined;
		const known = this.#values.get(name);
		if (known !== undefined) return known;
		const header = this.#initializers.get(name);
		if (header === undefined) throw new AppError('internal', `The value ${name} is not there.`);
		const { external, raw } = header;
		const type = typeName(header.dataType, name);
		const [rows = 1, ...rest] = header.dims;
		// Of tables of positions only the first are used.
		const isTable = rest.length > 0;
		const dims = isTable
			? [Math.min(rows, this.#options.calibration.loss.length), ...rest]
			: header.dims;
		const bytes =
			external === undefined
				? raw
				: await this.#options.readWritten(external.offset, elementCount(dims) * typeBytes(type));
		if (bytes === undefined) throw new AppError('internal', `The weight ${name} has no numbers.`);
		return { type, dims, data: dataOf(type, bytes) };
	}

	async #gather({ ids, weight }: Step & { kind: 'gather' }, signal?: AbortSignal): Promise<Tensor> {
		const matrix = this.#linear.matrices.get(weight);
		const { dims, data } = this.#need(ids);
		if (matrix === undefined) throw new AppError('internal', `The matrix ${weight} is not there.`);
		const wanted = [...new Set(Array.from(data as BigInt64Array, Number))];
		const rows = new Map<number, Float32Array>();
		for (let at = 0; at < wanted.length; at += readsAtOnce) {
			await Promise.all(
				wanted.slice(at, at + readsAtOnce).map(async (id) => {
					rows.set(id, await readVector(this.#options.source, matrix, id, signal));
				}),
			);
		}
		const { columns } = matrix;
		const numbers = new Float32Array(data.length * columns);
		for (const [index, id] of data.entries())
			numbers.set(rows.get(Number(id)) as Float32Array, index * columns);
		return { type: 'float32', dims: [...dims, columns], data: numbers };
	}

	#need(name: string): Tensor {
		const tensor = this.#values.get(name);
		if (tensor === undefined) throw new AppError('internal', `The value ${name} is not there.`);
		return tensor;
	}

	/** Counts what a step has read; values that nobody reads any more go. */
	#forget(step: Step, drops: boolean): void {
		for (const name of readsOf(step)) {
			const left = (this.#reads.get(name) ?? 0) - 1;
			this.#reads.set(name, left);
			if (drops && left <= 0 && name !== output) this.#values.delete(name);
		}
	}
}

function dataOf(type: TensorType, bytes: Uint8Array): TensorData {
	const data = createData(type, bytes.byteLength / typeBytes(type));
	new Uint8Array(data.buffer, data.byteOffset, data.byteLength).set(bytes);
	return data;
}

/** Mean of the squares in each column over the first text. @param x `[2, tokens, columns]` */
function meanSquares({ data, dims }: Tensor): Float32Array {
	const [, tokens = 0, columns = 0] = dims;
	const sums = new Float32Array(columns);
	for (let token = 0; token < tokens; token++)
		for (let k = 0; k < columns; k++)
			sums[k] = (sums[k] as number) + (data[token * columns + k] as number) ** 2 / tokens;
	return sums;
}

/** The last positions of the second text: as many as logits can be kept of. @param x `[2, tokens, columns]` */
function lastPositions({ data, dims }: Tensor, vocabulary: number): Tensor {
	const [, tokens = 0, columns = 0] = dims;
	const count = Math.max(1, Math.min(tokens, Math.floor(maxLogits / vocabulary)));
	const end = 2 * tokens * columns;
	return {
		type: 'float32',
		dims: [1, count, columns],
		data: (data as Float32Array).slice(end - count * columns, end),
	};
}
