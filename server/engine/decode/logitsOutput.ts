/** Binds the logits output in the form the graph has, and reads the logits back as float32. */

import { float16ToFloat32 } from '../runtime/float16.ts';
import type { Binding, TensorInfo } from '../runtime/runtime.ts';
import { createData, type TensorData } from '../runtime/tensorType.ts';
import type { DecoderGraph } from './decoderGraph.ts';

/** Tokens whose logits must be computed if `wanted` are read: at least one, an even number for reproducible results. */
export function logitsToCompute(wanted: number, reproducible = false): number {
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
	 * Returns of how many tokens the run writes logits.
	 */
	bind(binding: Binding, tokens: number, wanted: number): number {
		const { logitsForm, keep, logits, vocabularySize } = this.#graph;
		const count = logitsForm === 'all' ? tokens : logitsForm === 'last' ? 1 : wanted;
		if (keep !== undefined) this.#bindKeep(binding, keep, count);
		const dims = logits.dims.length === 2 ? [count, vocabularySize] : [1, count, vocabularySize];
		binding.output(logits.name, this.allocate(count), dims);
		return count;
	}

	/** Lets the run make the output in whatever shape it has; asks for the last `wanted` tokens. */
	bindAny(binding: Binding, wanted: number): void {
		const { keep, logits } = this.#graph;
		if (keep !== undefined) this.#bindKeep(binding, keep, wanted);
		binding.outputAny(logits.name);
	}

	#bindKeep(binding: Binding, { name, dims }: TensorInfo, count: number): void {
		this.#keep[0] = BigInt(count);
		binding.input(name, this.#keep, dims.length === 0 ? [] : [1]);
	}

	/** Memory for the logits of so many tokens. */
	allocate(count: number): TensorData {
		const length = count * this.#graph.vocabularySize;
		if (this.#data.length < length) this.#data = createData(this.#graph.logits.type, length);
		return this.#data;
	}

	/** Logits `index` of the `count` of the last run, as writable float32. */
	at(index: number, count: number): Float32Array {
		const width = this.#graph.vocabularySize;
		const data = this.#data.subarray(index * width, (index + 1) * width);
		if (data instanceof Float32Array) return data;
		if (this.#floats.length < count * width) this.#floats = new Float32Array(count * width);
		return float16ToFloat32(
			data as Uint16Array,
			this.#floats.subarray(index * width, (index + 1) * width),
		);
	}

	/** Gives back the memory of a long prompt. */
	shrink(count: number): void {
		const length = count * this.#graph.vocabularySize;
		if (this.#data.length > length) this.#data = createData(this.#graph.logits.type, length);
		if (this.#floats.length > length) this.#floats = new Float32Array(0);
	}
}
