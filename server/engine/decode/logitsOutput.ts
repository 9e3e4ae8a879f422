/** Binds the logits output in the form the graph has, and reads rows back as float32. */

import type { Binding, TensorInfo } from '../runtime/runtime.ts';
import { createData, type TensorData } from '../runtime/tensorType.ts';
import type { DecoderGraph } from './decoderGraph.ts';
import { float16ToFloat32 } from './float16.ts';

/** Rows to compute where `wanted` are read: at least one, for reproducible results an even number. */
export function rowsAtHead(wanted: number, reproducible = false): number {
	return reproducible ? Math.max(2, wanted + (wanted % 2)) : Math.max(1, wanted);
}

/** Memory for logits, reused between runs of one decoder. */
export class LogitsOutput {
	readonly #graph: DecoderGraph;
	#data: TensorData;
	#floats: Float32Array<ArrayBufferLike>;
	readonly #keep = new BigInt64Array(1);

	constructor(graph: DecoderGraph) {
		this.#graph = graph;
		this.#data = createData(graph.logits.type, graph.vocabularySize);
		this.#floats = new Float32Array(0);
	}

	/**
	 * Binds the output for a run of `tokens` tokens of which the last `wanted`, at least one, matter.
	 * Returns how many rows the run writes.
	 */
	bind(binding: Binding, tokens: number, wanted: number): number {
		const { logitsForm, keep, logits, vocabularySize } = this.#graph;
		const rows = logitsForm === 'all' ? tokens : logitsForm === 'last' ? 1 : wanted;
		if (keep !== undefined) this.#bindKeep(binding, keep, rows);
		const dims = logits.dims.length === 2 ? [rows, vocabularySize] : [1, rows, vocabularySize];
		binding.output(logits.name, this.room(rows), dims);
		return rows;
	}

	/** Lets the run make the output in whatever shape it has; asks for the last `wanted` tokens. */
	bindAny(binding: Binding, wanted: number): void {
		const { keep, logits } = this.#graph;
		if (keep !== undefined) this.#bindKeep(binding, keep, wanted);
		binding.outputAny(logits.name);
	}

	#bindKeep(binding: Binding, { name, dims }: TensorInfo, rows: number): void {
		this.#keep[0] = BigInt(rows);
		binding.input(name, this.#keep, dims.length === 0 ? [] : [1]);
	}

	/** Memory for so many rows. */
	room(rows: number): TensorData {
		const length = rows * this.#graph.vocabularySize;
		if (this.#data.length < length) this.#data = createData(this.#graph.logits.type, length);
		return this.#data;
	}

	/** Row `index` of the last run, as writable float32. */
	row(index: number, rows: number): Float32Array {
		const width = this.#graph.vocabularySize;
		const data = this.#data.subarray(index * width, (index + 1) * width);
		if (data instanceof Float32Array) return data;
		if (this.#floats.length < rows * width) this.#floats = new Float32Array(rows * width);
		return float16ToFloat32(
			data as Uint16Array,
			this.#floats.subarray(index * width, (index + 1) * width),
		);
	}

	/** Gives back the memory of a long prompt. */
	shrink(rows: number): void {
		const length = rows * this.#graph.vocabularySize;
		if (this.#data.length > length) this.#data = createData(this.#graph.logits.type, length);
		if (this.#floats.length > length) this.#floats = new Float32Array(0);
	}
}
