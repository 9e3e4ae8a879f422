/** Matrix products and tables of vectors in the form of their weights: float32, or blocks of 4 or 8 bits. */

import { dequantise } from '../quantise/dequantise.ts';
import type { BlockForm, BlockRows, SourceTensor, TensorSource } from '../sources/tensorSource.ts';
import {
	arrayBytes,
	type DataPiece,
	type GraphMatrices,
	type GraphWriter,
	type MatrixPart,
	type NumbersWatcher,
} from './graphWriter.ts';
import {
	bandsOf,
	type Matrix,
	type PairedHeads,
	readBlockBand,
	readNumbers,
	unpair,
	wholeTensor,
} from './matrix.ts';
import { StaticInt8Writer } from './staticInt8.ts';

/** Gives rows of numbers the form of blocks; errors in some columns may count more than in others. */
export type Quantise = (
	numbers: Float32Array,
	rows: number,
	columns: number,
	form: BlockForm,
	importance?: Float32Array,
) => BlockRows;

/** What becomes of numbers that are not in blocks; `undefined` = float32. */
export interface Recipe {
	readonly matrices: BlockForm | undefined;
	/** Of the embedding and the head. */
	readonly head: BlockForm | undefined;
	readonly quantise: Quantise;
}

/** A tensor of one dimension; {@link PairedHeads} as its matrix has them. */
export interface VectorPart {
	readonly tensor: SourceTensor;
	readonly paired?: PairedHeads | undefined;
}

/** Weights of one matrix in the graph. */
export interface Stored {
	readonly form: BlockForm | undefined;
	readonly rows: number;
	readonly columns: number;
	/** Names of initializers. */
	readonly weight: string;
	readonly scales: string;
	/** `''` without. */
	readonly zeroPoints: string;
	readonly residual: string;
	/** Place of {@link weight}. */
	readonly offset: number;
}

export class LinearWriter {
	/** Products of bytes with factors that are known beforehand. */
	readonly int8: StaticInt8Writer;
	readonly #writer: GraphWriter;
	readonly #source: TensorSource;
	readonly #recipe: Recipe;
	/** Sums over blocks of an activation, by its name and the block. */
	readonly #blockSums = new Map<string, string>();
	readonly #matrices = new Map<string, Matrix>();
	readonly #changed = new Set<string>();
	readonly #ones = new Set<string>();
	readonly #products = new Map<string, { readonly x: string; readonly weight: string }>();
	readonly #gathers = new Map<string, { readonly ids: string; readonly weight: string }>();
	readonly #stored = new Map<string, Stored>();

	constructor(writer: GraphWriter, source: TensorSource, recipe: Recipe) {
		this.#writer = writer;
		this.#source = source;
		this.#recipe = recipe;
		this.int8 = new StaticInt8Writer(writer, source);
	}

	/** What was planned with this writer. */
	get planned(): GraphMatrices {
		return {
			matrices: this.#matrices,
			changed: this.#changed,
			products: this.#products,
			gathers: this.#gathers,
		};
	}

	/** The form that a matrix will have in the graph. */
	formOf(matrix: Matrix, role: 'matrices' | 'head'): BlockForm | undefined {
		return matrix.blocks ?? fitting(this.#recipe[role], matrix.columns);
	}

	/** Plans the weights of a matrix under a name. */
	store(name: string, matrix: Matrix, role: 'matrices' | 'head'): Stored {
		const form = this.formOf(matrix, role);
		const { rows, columns } = matrix;
		if (form === undefined) return this.float(name, matrix);
		const writer = this.#writer;
		const blocks = Math.ceil(columns / form.block);
		const blockBytes = (form.block * form.bits) / 8;
		const zeroBytes = form.bits === 4 ? Math.ceil(blocks / 2) : blocks;
		const weight = `${name}.weight_Q${form.bits}`;
		const isPlanned = writer.layout.has(weight);
		this.#matrices.set(weight, matrix);
		if (matrix.blocks === undefined) this.#changed.add(weight);
		const offsets = {
			packed: writer.reserve(weight, 'uint8', [rows, blocks, blockBytes]),
			scales: writer.reserve(`${name}.weight_scales`, 'float32', [rows, blocks]),
			zeroPoints: form.zeroPoints
				? writer.reserve(`${name}.weight_zero_points`, 'uint8', [rows, zeroBytes])
				: 0,
			residual: form.residual
				? writer.reserve(`${name}.weight_residual`, 'float32', [rows, blocks])
				: 0,
		};
		const rowBytes =
			blocks * (blockBytes + 4 + (form.residual ? 4 : 0)) + (form.zeroPoints ? zeroBytes : 0);
		for (const band of isPlanned ? [] : bandsOf(matrix)) {
			const count = band.to - band.from;
			const rows = { weight, at: band.at, count };
			writer.layout.bands.push({
				bytes: count * rowBytes,
				rows,
				make: async (signal, watcher) => {
					const made =
						matrix.blocks === undefined
							? await this.#quantise(
									await readNumbers(this.#source, band, signal),
									columns,
									form,
									rows,
									watcher,
								)
							: await readBlockBand(this.#source, band, signal);
					if (matrix.blocks !== undefined)
						await watcher?.onNumbers(rows, dequantise(made, count, columns));
					return piecesOf(made, offsets, band.at, count, form);
				},
			});
		}
		return {
			form,
			rows,
			columns,
			weight,
			scales: `${name}.weight_scales`,
			zeroPoints: form.zeroPoints ? `${name}.weight_zero_points` : '',
			residual: form.residual ? `${name}.weight_residual` : '',
			offset: offsets.packed,
		};
	}

	async #quantise(
		numbers: Float32Array,
		columns: number,
		form: BlockForm,
		rows: MatrixPart,
		watcher: NumbersWatcher | undefined,
	): Promise<BlockRows> {
		const { quantise } = this.#recipe;
		if (watcher === undefined) return quantise(numbers, rows.count, columns, form);
		// With 8 bits there is nothing to choose.
		const importance = form.bits === 4 ? watcher.importanceOf(rows.weight) : undefined;
		// The runtime multiplies on threads of its own meanwhile.
		const seen = watcher.onNumbers(rows, numbers);
		try {
			const made = quantise(numbers, rows.count, columns, form, importance);
			watcher.onMade(rows, numbers, made);
			return made;
		} finally {
			await seen;
		}
	}

	/** {@link store}, or what it gave before under the name. */
	storeOnce(name: string, matrix: Matrix, role: 'matrices' | 'head'): Stored {
		const stored = this.#stored.get(name) ?? this.store(name, matrix, role);
		this.#stored.set(name, stored);
		return stored;
	}

	/** The weights as float32, whatever the recipe says; in a shape of their own if they are no matrix. */
	float(name: string, matrix: Matrix, dims?: readonly number[]): Stored {
		const { rows, columns } = matrix;
		const weight = `${name}.weight`;
		const isPlanned = this.#writer.layout.has(weight);
		const offset = this.#writer.reserve(weight, 'float32', dims ?? [rows, columns]);
		this.#matrices.set(weight, matrix);
		for (const band of isPlanned ? [] : bandsOf(matrix)) {
			const rows = { weight, at: band.at, count: band.to - band.from };
			this.#writer.layout.bands.push({
				bytes: rows.count * columns * 4,
				rows,
				make: async (signal, watcher) => {
					const numbers = await readNumbers(this.#source, band, signal);
					await watcher?.onNumbers(rows, numbers);
					return [{ offset: offset + band.at * columns * 4, bytes: arrayBytes(numbers) }];
				},
			});
		}
		return {
			form: undefined,
			rows,
			columns,
			weight,
			scales: '',
			zeroPoints: '',
			residual: '',
			offset,
		};
	}

	/** A vector, made of vectors one after the other, with a number added to each of their numbers. */
	vector(name: string, parts: readonly VectorPart[], plus = 0): string {
		const lengths = parts.map(({ tensor }) => tensor.shape.reduce((a, b) => a * b, 1));
		const isPlanned = this.#writer.layout.has(name);
		const offset = this.#writer.reserve(name, 'float32', [lengths.reduce((a, b) => a + b, 0)]);
		let at = offset;
		for (const [index, { tensor, paired }] of isPlanned ? [] : parts.entries()) {
			const place = at;
			const length = lengths[index] as number;
			at += length * 4;
			this.#writer.layout.bands.push({
				bytes: length * 4,
				make: async (signal) => {
					const read = await readNumbers(this.#source, { ...wholeTensor(tensor), at: 0 }, signal);
					const numbers = paired === undefined ? read : unpair(read, 1, paired);
					const sums = plus === 0 ? numbers : numbers.map((number) => number + plus);
					return [{ offset: place, bytes: arrayBytes(sums) }];
				},
			});
		}
		return name;
	}

	/** A vector of ones, which all that ask for it share. */
	ones(name: string, length: number): string {
		if (this.#ones.has(name)) return name;
		this.#ones.add(name);
		const offset = this.#writer.reserve(name, 'float32', [length]);
		this.#writer.layout.bands.push({
			bytes: length * 4,
			make: async () => [{ offset, bytes: arrayBytes(new Float32Array(length).fill(1)) }],
		});
		return name;
	}

	/** `x · weightᵀ`, named after the path: `/model/layers.0/attn/o_proj/MatMul/output_0`. */
	product(path: string, x: string, stored: Stored, output = `${path}/MatMul/output_0`): string {
		const { form, rows, columns } = stored;
		const writer = this.#writer;
		this.#products.set(output, { x, weight: stored.weight });
		if (form === undefined)
			return writer.node('ms:FusedMatMul', [x, stored.weight], output, { transB: 1 });
		const inputs = [x, stored.weight, stored.scales];
		if (stored.zeroPoints !== '') inputs.push(stored.zeroPoints);
		const attributes = {
			K: columns,
			N: rows,
			accuracy_level: 4,
			bits: form.bits,
			block_size: form.block,
		};
		if (stored.residual === '') return writer.node('ms:MatMulNBits', inputs, output, attributes);
		const main = writer.node('ms:MatMulNBits', inputs, `${path}/MatMulNBits/output_0`, attributes);
		const sums = this.#sumsOf(x, columns / form.block, form.block);
		const rest = writer.node(
			'ms:FusedMatMul',
			[sums, stored.residual],
			`${path}/residual/output_0`,
			{ transB: 1 },
		);
		return writer.node('Add', [main, rest], output);
	}

	/**
	 * Sums over blocks of a value that is split: made of the whole, because the runtime gives those of parts without rows
	 * another shape.
	 * @param split gives the parts of the sums, which have as many rows as the value
	 */
	splitSums(
		value: string,
		columns: number,
		parts: readonly string[],
		forms: readonly (BlockForm | undefined)[],
		split: (sums: string, path: string) => readonly string[],
	): void {
		const sizes = forms.flatMap((form) => (form?.residual === true ? [form.block] : []));
		for (const block of new Set(sizes)) {
			const sums = this.#sumsOf(value, columns / block, block);
			const path = sums.replace(/\/ReduceSum\/output_0$/, '');
			const outputs = split(sums, path);
			for (const [part, name] of parts.entries())
				this.#blockSums.set(`${name} ${block}`, outputs[part] as string);
		}
	}

	/** Sums of the activations over each block, `[batch, tokens, blocks]`. */
	#sumsOf(x: string, blocks: number, block: number): string {
		const key = `${x} ${block}`;
		const known = this.#blockSums.get(key);
		if (known !== undefined) return known;
		const path = `${x.replace(/\/output_0$/, '')}/blocks_${block}`;
		const shape = this.#writer.integers([0, 0, blocks, block]);
		const parts = this.#writer.node('Reshape', [x, shape], `${path}/Reshape/output_0`);
		const axes = this.#writer.integers([-1]);
		const sums = this.#writer.node('ReduceSum', [parts, axes], `${path}/ReduceSum/output_0`, {
			keepdims: 0,
		});
		this.#blockSums.set(key, sums);
		return sums;
	}

	/** Rows of the matrix by ids, `[batch, tokens, columns]`. */
	gather(path: string, ids: string, stored: Stored): string {
		const found = this.#gather(path, ids, stored);
		this.#gathers.set(found, { ids, weight: stored.weight });
		return found;
	}

	#gather(path: string, ids: string, stored: Stored): string {
		const { form, rows, columns } = stored;
		const writer = this.#writer;
		if (form === undefined)
			return writer.node('Gather', [stored.weight, ids], `${path}/Gather/output_0`);
		// The same bytes in the shape that this operator wants.
		const flat = `${stored.weight}_rows`;
		const blocks = Math.ceil(columns / form.block);
		writer.alias(flat, 'uint8', [rows, (blocks * form.block * form.bits) / 8], stored.offset);
		const inputs = [flat, ids, stored.scales];
		if (stored.zeroPoints !== '') inputs.push(stored.zeroPoints);
		const found = writer.node(
			'ms:GatherBlockQuantized',
			inputs,
			`${path}/GatherBlockQuantized/output_0`,
			{
				bits: form.bits,
				block_size: form.block,
				gather_axis: 0,
				quantize_axis: 1,
			},
		);
		if (stored.residual === '') return found;
		const rest = writer.node('Gather', [stored.residual, ids], `${path}/residual/Gather/output_0`);
		const column = writer.node(
			'Unsqueeze',
			[rest, writer.integers([-1])],
			`${path}/residual/Unsqueeze/output_0`,
		);
		const shape = writer.integers([0, 0, blocks, form.block]);
		const parts = writer.node('Reshape', [found, shape], `${path}/Reshape/output_0`);
		const sum = writer.node('Add', [parts, column], `${path}/residual/Add/output_0`);
		return writer.node(
			'Reshape',
			[sum, writer.integers([0, 0, columns])],
			`${path}/rows/Reshape/output_0`,
		);
	}
}

/** The form with the largest block, up to its own, that fills rows of this length; float32 when none does. */
function fitting(form: BlockForm | undefined, columns: number): BlockForm | undefined {
	if (form === undefined) return undefined;
	for (let block = form.block; block >= 16; block /= 2)
		if (columns % block === 0) return { ...form, block };
	return undefined;
}

interface Offsets {
	readonly packed: number;
	readonly scales: number;
	readonly zeroPoints: number;
	readonly residual: number;
}

function piecesOf(
	made: BlockRows,
	offsets: Offsets,
	at: number,
	count: number,
	form: BlockForm,
): DataPiece[] {
	const piece = (offset: number, values: Uint8Array | Float32Array | undefined): DataPiece[] =>
		values === undefined
			? []
			: [{ offset: offset + (at * values.byteLength) / count, bytes: arrayBytes(values) }];
	return [
		...piece(offsets.packed, made.packed),
		...piece(offsets.scales, made.scales),
		...piece(offsets.zeroPoints, form.zeroPoints ? made.zeroPoints : undefined),
		...piece(offsets.residual, form.residual ? made.residual : undefined),
	];
}
