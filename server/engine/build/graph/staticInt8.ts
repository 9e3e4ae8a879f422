/**
 * Products and tables whose weights and activations are bytes with one factor each, both known beforehand: what
 * a row gives does not depend on its neighbours.
 */

import {
	columnsOf,
	rowsOf,
	type SourceTensor,
	type TensorSource,
} from '../sources/tensorSource.ts';
import type { GraphWriter } from './graphWriter.ts';

/** The byte that stands for nought; ONNX Runtime is fastest with unsigned activations. */
const zero = 128;

/** A matrix of bytes with the factors that make numbers of a product. */
interface StaticMatrix extends SourceTensor {
	readonly scale: number;
	readonly inputFactor: number;
}

/** Whether a product with the matrix can be one of bytes. */
export function isStatic(tensor: SourceTensor): tensor is StaticMatrix {
	return tensor.scale !== undefined && tensor.inputFactor !== undefined;
}

export class StaticInt8Writer {
	readonly #writer: GraphWriter;
	readonly #source: TensorSource;
	/** Activations as bytes, by name and factor. */
	readonly #bytes = new Map<string, string>();
	/** Weights of this graph. */
	readonly #planned = new Set<string>();

	constructor(writer: GraphWriter, source: TensorSource) {
		this.#writer = writer;
		this.#source = source;
	}

	/** `x · weightᵀ + bias`, named after the path. @param bias name of a vector; `''` without */
	product(
		path: string,
		x: string,
		tensor: StaticMatrix,
		{
			weight,
			bias,
			output,
		}: { readonly weight: string; readonly bias: string; readonly output?: string },
	): string {
		const writer = this.#writer;
		const { scale, inputFactor } = tensor;
		const inputs = [
			this.#quantised(x, inputFactor),
			weight,
			writer.float(1 / inputFactor),
			writer.float(scale),
			writer.byte(zero),
		];
		if (bias !== '') inputs.push('', bias);
		return writer.node(
			'ms:MatMulIntegerToFloat',
			inputs,
			output ?? `${path}/MatMulIntegerToFloat/output_0`,
		);
	}

	/** Plans the bytes of a matrix, `[columns, rows]`; returns their name. */
	matrix(name: string, tensor: SourceTensor): string {
		const { shape } = tensor;
		const isStored = tensor.bytesPerRow === 0;
		const dims = [columnsOf(shape), rowsOf(shape)] as const;
		return this.#plan(`${name}.weight_int8`, dims, async (signal) => {
			if (isStored) return (await this.#source.turned?.(tensor.name, signal)) ?? new Uint8Array();
			return turnOver(await this.#source.raw(tensor.name, 0, dims[1], signal), dims[1], dims[0]);
		});
	}

	/** Vectors of ids, of a matrix as {@link matrix} plans it: times `factor`, `[batch, tokens, columns]`. */
	gather(path: string, ids: string, weight: string, factor: number): string {
		const writer = this.#writer;
		const found = writer.node('Gather', [weight, ids], `${path}/Gather/output_0`, { axis: 1 });
		const turned = writer.node('Transpose', [found], `${path}/Transpose/output_0`, {
			perm: [1, 2, 0],
		});
		const numbers = writer.node('Cast', [turned], `${path}/Cast/output_0`, { to: 1 });
		return writer.node('Mul', [numbers, writer.float(factor)], `${path}/Mul/output_0`);
	}

	#plan(
		name: string,
		dims: readonly [number, number],
		make: (signal?: AbortSignal) => Promise<Uint8Array>,
	): string {
		const { layout } = this.#writer;
		if (this.#planned.has(name)) return name;
		this.#planned.add(name);
		const isPlanned = layout.has(name);
		const offset = this.#writer.reserve(name, 'int8', dims);
		if (!isPlanned)
			layout.bands.push({
				bytes: dims[0] * dims[1],
				make: async (signal) => [{ offset, bytes: await make(signal) }],
			});
		return name;
	}

	#quantised(x: string, factor: number): string {
		const key = `${x} ${factor}`;
		const known = this.#bytes.get(key);
		if (known !== undefined) return known;
		const writer = this.#writer;
		const path = `${x.replace(/\/output_\d$/, '')}/bytes_${this.#bytes.size}`;
		const made = writer.node(
			'QuantizeLinear',
			[x, writer.float(1 / factor), writer.byte(zero)],
			`${path}/QuantizeLinear/output_0`,
		);
		this.#bytes.set(key, made);
		return made;
	}
}

/** `[rows, columns]` as `[columns, rows]`. */
function turnOver(bytes: Uint8Array, rows: number, columns: number): Uint8Array {
	const turned = new Uint8Array(bytes.length);
	for (let row = 0; row < rows; row++)
		for (let column = 0; column < columns; column++)
			turned[column * rows + row] = bytes[row * columns + column] as number;
	return turned;
}
