/**
 * Weights as Marian and bergamot keep them for running (`.bin`): marian-fork, src/common/binary.cpp, with
 * the 8-bit matrices of Firefox Translations' students.
 */

import { plainTypes } from './floats.ts';
import { HeaderReader } from './headerReader.ts';
import { quoted, sourceFault, sourceLimits } from './limits.ts';
import { countOf, type StorageType, type StoredTensor, storedTensors } from './storedTensors.ts';
import {
	type ByteSource,
	columnsOf,
	type MetadataValue,
	rowsOf,
	type SourceTensor,
	type TensorSource,
} from './tensorSource.ts';

/** The model's settings, YAML, as an item among the weights. */
export const marianSettings = 'special:model.yml';

/** Numbers by the file's own type: class in the upper byte, size in the lower. */
const plain: ReadonlyMap<number, string> = new Map([
	[0x0101, 'i8'],
	[0x0102, 'i16'],
	[0x0104, 'i32'],
	[0x0108, 'i64'],
	[0x0201, 'u8'],
	[0x0204, 'u32'],
	[0x0402, 'f16'],
	[0x0404, 'f32'],
	[0x0408, 'f64'],
]);
/** Signed bytes and, behind them, the number that the weights were multiplied by. */
const intgemm8 = 0x4101;

interface Item {
	readonly name: string;
	readonly type: number;
	readonly shape: readonly number[];
	readonly bytes: number;
	readonly offset: number;
}

/** @throws AppError `unsupported_model` that names the file and the tensor */
export async function openMarianBinary(
	file: ByteSource,
	signal?: AbortSignal,
): Promise<TensorSource> {
	const items = await readItems(file, signal);
	const metadata = new Map<string, MetadataValue>();
	const stored = new Map<string, StoredTensor>();
	const quantised = new Map<string, Int8Matrix>();
	for (const item of items) {
		const { name, shape, offset } = item;
		const fault = (what: string) =>
			sourceFault(file.name, `has a tensor ${quoted(name)} that ${what}`);
		if (name === marianSettings) {
			metadata.set(name, await textOf(file, item, signal));
			continue;
		}
		if (stored.has(name)) throw fault('is there twice');
		// Two vocabularies: the factor of the head is not known, and its place is filled with anything.
		if (item.type === intgemm8 && name.endsWith('_QuantMultA')) continue;
		const type = typeOf(item.type);
		if (type === undefined)
			throw fault(`is of the type 0x${item.type.toString(16)}, which is not read`);
		const count = countOf(shape, type, sourceLimits.maxRank);
		if (typeof count === 'string') throw fault(count);
		const bytes = count * type.bytes + (item.type === intgemm8 ? 4 : 0);
		if (bytes > item.bytes) throw fault(`needs ${bytes} bytes and has ${item.bytes}`);
		stored.set(name, { name, shape, type, file, offset });
		if (item.type === intgemm8) {
			if (count > sourceLimits.maxWholeBytes) throw fault(`has ${count} numbers`);
			const factor = await file.read(offset + count, 4, signal);
			const multiplier = plainTypes.get('f32')?.read(factor, 1)[0] as number;
			if (!(multiplier > 0)) throw fault(`was multiplied by ${multiplier}`);
			quantised.set(name, {
				scale: Math.fround(1 / multiplier),
				// Embeddings are looked up by rows, all others are turned over for products.
				isTurned: !name.includes('Wemb'),
			});
		}
	}
	return withInt8(storedTensors([file], metadata, stored), quantised);
}

function typeOf(type: number): StorageType | undefined {
	const name = type === intgemm8 ? 'intgemm8' : plain.get(type);
	const known = plainTypes.get(type === intgemm8 ? 'i8' : (name ?? ''));
	return known && name !== undefined ? { name, group: 1, ...known } : undefined;
}

async function readItems(file: ByteSource, signal?: AbortSignal): Promise<Item[]> {
	const { name: fileName } = file;
	const reader = new HeaderReader(file, signal);
	await reader.need(16);
	const version = reader.count();
	if (version !== 1)
		throw sourceFault(fileName, `is of version ${version} of Marian's files; version 1 is read`);
	const count = reader.count();
	// A header of four numbers each.
	if (count > sourceLimits.maxTensors || count * 32 > reader.rest)
		throw sourceFault(fileName, `has ${count} tensors, more than it can hold`);
	await reader.need(count * 32);
	const heads = Array.from({ length: count }, () => {
		const [name, type, rank, bytes] = [0, 0, 0, 0].map(() => reader.count());
		return {
			name: name as number,
			type: type as number,
			rank: rank as number,
			bytes: bytes as number,
		};
	});
	const names: string[] = [];
	for (const { name } of heads) {
		if (name > sourceLimits.maxNameBytes)
			throw sourceFault(
				fileName,
				`has a name of ${name} bytes; at most ${sourceLimits.maxNameBytes} are read`,
			);
		await reader.need(name);
		names.push(reader.text(name).replaceAll('\0', ''));
	}
	const shapes: number[][] = [];
	for (const [index, { rank }] of heads.entries()) {
		if (rank > sourceLimits.maxRank)
			throw sourceFault(
				fileName,
				`has a tensor ${quoted(names[index] ?? '')} of ${rank} dimensions`,
			);
		await reader.need(rank * 4);
		shapes.push(Array.from({ length: rank }, () => reader.i32()));
	}
	await reader.need(8);
	const padding = reader.count();
	let offset = reader.position + padding;
	return heads.map(({ type, bytes }, index) => {
		const item = {
			name: names[index] as string,
			type,
			shape: shapes[index] as number[],
			bytes,
			offset,
		};
		offset += bytes;
		if (!(offset <= file.size))
			throw sourceFault(
				fileName,
				`has a tensor ${quoted(item.name)} that ends beyond the ${file.size} bytes of the file`,
			);
		return item;
	});
}

async function textOf(file: ByteSource, { offset, bytes }: Item, signal?: AbortSignal) {
	if (bytes > sourceLimits.maxTextBytes)
		throw sourceFault(
			file.name,
			`has settings of ${bytes} bytes; at most ${sourceLimits.maxTextBytes} are read`,
		);
	return new TextDecoder().decode(await file.read(offset, bytes, signal)).split('\0', 1)[0] ?? '';
}

interface Int8Matrix {
	readonly scale: number;
	/** Whether the file has it by columns. */
	readonly isTurned: boolean;
}

/** 8-bit matrices by rows, as their shapes say, and as numbers. */
function withInt8(source: TensorSource, quantised: ReadonlyMap<string, Int8Matrix>): TensorSource {
	const tensors = new Map<string, SourceTensor>();
	for (const tensor of source.tensors.values()) {
		const matrix = quantised.get(tensor.name);
		tensors.set(tensor.name, matrix === undefined ? tensor : { ...tensor, scale: matrix.scale });
	}
	/** The one that was turned last: it is read whole for any of its rows. */
	let turned: { readonly name: string; readonly bytes: Uint8Array } | undefined;
	const raw: TensorSource['raw'] = async (name, from, to, signal) => {
		const shape = source.tensors.get(name)?.shape ?? [];
		if (quantised.get(name)?.isTurned !== true) return source.raw(name, from, to, signal);
		const rows = rowsOf(shape);
		const columns = columnsOf(shape);
		if (!(from >= 0 && from <= to && to <= rows))
			throw new RangeError(`Rows ${from} to ${to} of the ${rows} of ${name}`);
		if (turned?.name !== name) {
			const bytes = await source.raw(name, 0, rows, signal);
			turned = { name, bytes: turnOver(bytes, columns, rows) };
		}
		return turned.bytes.slice(from * columns, to * columns);
	};
	return {
		...source,
		tensors,
		raw,
		rows: async (name, from, to, signal) => {
			const matrix = quantised.get(name);
			if (matrix === undefined) return source.rows(name, from, to, signal);
			const bytes = await raw(name, from, to, signal);
			const { scale } = matrix;
			return Float32Array.from(bytes, (byte) => scale * ((byte << 24) >> 24));
		},
	};
}

/** `[rows, columns]` as `[columns, rows]`. */
function turnOver(bytes: Uint8Array, rows: number, columns: number): Uint8Array {
	const turned = new Uint8Array(bytes.length);
	for (let row = 0; row < rows; row++)
		for (let column = 0; column < columns; column++)
			turned[column * rows + row] = bytes[row * columns + column] as number;
	return turned;
}
