/** Tensors whose rows lie one after the other in a file: what GGUF and safetensors have in common. */

import { closeAll } from './bytes.ts';
import { quoted, sourceFault } from './limits.ts';
import {
	type BlockForm,
	type BlockRows,
	type ByteSource,
	columnsOf,
	type MetadataValue,
	rowsOf,
	type SourceTensor,
	type TensorSource,
} from './tensorSource.ts';

/** How rows of a type are read. */
export interface StorageType {
	readonly name: string;
	/** Numbers that are stored together; a row is a multiple of them. */
	readonly group: number;
	/** Bytes of a group. */
	readonly bytes: number;
	/** `count` numbers; absent where the type is known by name and size alone. */
	readonly read?: (bytes: Uint8Array, count: number) => Float32Array;
	readonly blocks?: BlockForm;
	readonly toBlocks?: (bytes: Uint8Array, rows: number, columns: number) => BlockRows;
}

/** Where a tensor begins in its file. */
export interface StoredTensor {
	readonly name: string;
	readonly shape: readonly number[];
	readonly type: StorageType;
	readonly file: ByteSource;
	readonly offset: number;
}

/** The tensors as a source; disposing of it disposes of the files. */
export function storedTensors(
	files: readonly ByteSource[],
	metadata: ReadonlyMap<string, MetadataValue>,
	stored: ReadonlyMap<string, StoredTensor>,
): TensorSource {
	const tensors = new Map<string, SourceTensor>();
	for (const { name, shape, type } of stored.values())
		tensors.set(name, {
			name,
			shape,
			type: type.name,
			bytesPerRow: bytesPerRow(type, shape),
			...(type.toBlocks && type.blocks ? { blocks: type.blocks } : {}),
		});
	const find = (name: string): StoredTensor => {
		const tensor = stored.get(name);
		if (tensor === undefined) throw new RangeError(`There is no tensor ${name}.`);
		return tensor;
	};
	const raw = (
		{ name, shape, type, file, offset }: StoredTensor,
		from: number,
		to: number,
		signal?: AbortSignal,
	): Promise<Uint8Array> => {
		if (!(from >= 0 && from <= to && to <= rowsOf(shape)))
			throw new RangeError(`Rows ${from} to ${to} of the ${rowsOf(shape)} of ${name}`);
		const row = bytesPerRow(type, shape);
		return file.read(offset + from * row, (to - from) * row, signal);
	};
	return {
		tensors,
		metadata,
		raw: async (name, from, to, signal) => raw(find(name), from, to, signal),
		rows: async (name, from, to, signal) => {
			const tensor = find(name);
			const { type, file, shape } = tensor;
			if (type.read === undefined)
				throw sourceFault(
					file.name,
					`has its tensor ${quoted(name)} as ${type.name}, which is not read`,
				);
			return type.read(await raw(tensor, from, to, signal), (to - from) * columnsOf(shape));
		},
		blocks: async (name, from, to, signal) => {
			const tensor = find(name);
			const { type, shape } = tensor;
			if (type.toBlocks === undefined)
				throw new RangeError(`The tensor ${name} has no form of blocks.`);
			return type.toBlocks(await raw(tensor, from, to, signal), to - from, columnsOf(shape));
		},
		[Symbol.asyncDispose]: () => closeAll(files),
	};
}

export function bytesPerRow({ group, bytes }: StorageType, shape: readonly number[]): number {
	return (columnsOf(shape) / group) * bytes;
}

/**
 * Numbers of a tensor.
 * @returns why there is no such tensor, as a part of a sentence, where the shape cannot be
 */
export function countOf(
	shape: readonly number[],
	type: StorageType,
	maxRank: number,
): number | string {
	if (shape.length > maxRank) return `has ${shape.length} dimensions; at most ${maxRank} are read`;
	let count = 1;
	for (const size of shape) {
		if (!Number.isSafeInteger(size) || size <= 0) return `has a dimension of ${size}`;
		// Beyond what is exact it is beyond every file as well.
		count *= size;
	}
	const columns = columnsOf(shape);
	return columns % type.group === 0
		? count
		: `has rows of ${columns} numbers; those of ${type.name} are a multiple of ${type.group}`;
}
