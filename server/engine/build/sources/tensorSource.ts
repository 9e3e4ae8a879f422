/**
 * What every file of published weights looks like to the builder: names, shapes and rows. A source reads
 * only what it is asked for, so it may as well be a repository of the hub read by ranged requests.
 */

/** Bytes that can be read anywhere: a local file, an entry of an archive, or ranges of a remote file. */
export interface ByteSource extends AsyncDisposable {
	/** Of the file, as errors name it. */
	readonly name?: string;
	/** In bytes. Every count and offset of a header is checked against it. */
	readonly size: number;
	/**
	 * Exactly `length` bytes from `offset`.
	 *
	 * @throws RangeError beyond the end; the source's own typed error if it cannot be read
	 */
	read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
}

/** A value of the metadata of a file; 64-bit integers beyond 2^53 stay `bigint`. */
export type MetadataValue = string | number | bigint | boolean | readonly MetadataValue[];

export interface SourceTensor {
	readonly name: string;
	/** Outermost dimension first, as PyTorch prints it: `[rows, columns]` for a matrix. */
	readonly shape: readonly number[];
	/** How the rows are stored: `f32`, `f16`, `bf16`, `f8_e4m3`, `q4_0`, `q6_k`, `intgemm8` … */
	readonly type: string;
	/** 0 where the rows do not lie one after the other in the file; {@link TensorSource.raw} then refuses. */
	readonly bytesPerRow: number;
	/** Of types with one factor for all numbers, such as `intgemm8`: `number = scale · stored`. */
	readonly scale?: number;
	/** What activations are multiplied with and rounded before a product with it, where the model says so. */
	readonly inputFactor?: number;
	/** The form of blocks that holds the same numbers, if there is one; {@link TensorSource.blocks} gives them. */
	readonly blocks?: BlockForm;
}

/** How MatMulNBits and GatherBlockQuantized read the rows of a matrix. */
export interface BlockForm {
	readonly bits: 4 | 8;
	/** Numbers of a row that share a scale. */
	readonly block: number;
	/** Without them the zero point is 8, or 128. */
	readonly zeroPoints: boolean;
	/** Whether each block has a number that is added to all of its numbers. */
	readonly residual: boolean;
}

/**
 * Rows in blocks: `number = scale · (quantised − zeroPoint) + residual`. A row whose length is no multiple of
 * the block ends with numbers that are zero.
 */
export interface BlockRows {
	readonly bits: 4 | 8;
	readonly block: number;
	/** `[rows, blocks, block · bits / 8]`; of two 4-bit numbers in a byte the lower comes first. */
	readonly packed: Uint8Array;
	/** `[rows, blocks]`. */
	readonly scales: Float32Array;
	/** 8 bits: `[rows, blocks]`; 4 bits: `[rows, ⌈blocks / 2⌉]`, the lower half of a byte first. */
	readonly zeroPoints?: Uint8Array;
	/** `[rows, blocks]`. */
	readonly residual?: Float32Array;
}

/** Rows of a tensor: the product of all dimensions but the last; 1 for vectors and single numbers. */
export function rowsOf(shape: readonly number[]): number {
	return shape.slice(0, -1).reduce((product, size) => product * size, 1);
}

/** Numbers in a row of a tensor: its last dimension, 1 for a single number. */
export function columnsOf(shape: readonly number[]): number {
	return shape.at(-1) ?? 1;
}

/** One model's weights. */
export interface TensorSource extends AsyncDisposable {
	readonly tensors: ReadonlyMap<string, SourceTensor>;
	/** Keys as in the file, e.g. `general.architecture` of GGUF or `__metadata__` of safetensors. */
	readonly metadata: ReadonlyMap<string, MetadataValue>;
	/** Rows `from` to `to` (exclusive) of the tensor as it is stored, `bytesPerRow` each. */
	raw(name: string, from: number, to: number, signal?: AbortSignal): Promise<Uint8Array>;
	/** The same rows as numbers, row after row: `(to - from) × columns` of them. */
	rows(name: string, from: number, to: number, signal?: AbortSignal): Promise<Float32Array>;
	/** The whole matrix by columns, as it is stored; absent where no tensor is stored so. */
	turned?(name: string, signal?: AbortSignal): Promise<Uint8Array>;
	/** The same rows in the form that {@link SourceTensor.blocks} promises; absent where no tensor has one. */
	blocks?(name: string, from: number, to: number, signal?: AbortSignal): Promise<BlockRows>;
}
