/** The header of a GGUF file, versions 2 and 3: metadata, and where each tensor lies. */

import { setImmediate } from 'node:timers/promises';
import { ggmlTypes } from './ggmlTypes.ts';
import { HeaderReader } from './headerReader.ts';
import { countText, quoted, sourceFault, sourceLimits } from './limits.ts';
import { bytesPerRow, countOf, type StoredTensor } from './storedTensors.ts';
import { type ByteSource, type MetadataValue, rowsOf } from './tensorSource.ts';

export interface GgufHeader {
	readonly metadata: ReadonlyMap<string, MetadataValue>;
	readonly tensors: readonly StoredTensor[];
}

const magic = 0x46554747;
const textType = 8;
const listType = 9;
/** Items or keys after which others have a turn. */
const itemsPerTurn = 65_536;

/** Numbers by their type: bytes, and how they are taken. */
const numbers: ReadonlyMap<
	number,
	readonly [bytes: number, take: (reader: HeaderReader) => MetadataValue]
> = new Map([
	[0, [1, (reader) => reader.u8()]],
	[1, [1, (reader) => reader.i8()]],
	[2, [2, (reader) => reader.u16()]],
	[3, [2, (reader) => reader.i16()]],
	[4, [4, (reader) => reader.u32()]],
	[5, [4, (reader) => reader.i32()]],
	[6, [4, (reader) => reader.f32()]],
	[7, [1, (reader) => reader.u8() !== 0]],
	[10, [8, (reader) => reader.u64()]],
	[11, [8, (reader) => reader.i64()]],
	[12, [8, (reader) => reader.f64()]],
]);

/** @throws AppError `unsupported_model` that names the file, and the key or the tensor */
export async function readGgufHeader(file: ByteSource, signal?: AbortSignal): Promise<GgufHeader> {
	const { name } = file;
	const reader = new HeaderReader(file, signal);
	if (file.size < 24) throw sourceFault(name, 'is shorter than the header of a GGUF file');
	await reader.need(24);
	if (reader.u32() !== magic) throw sourceFault(name, 'does not begin as a GGUF file does');
	const version = reader.u32();
	if (version !== 0 && (version & 0xffff) === 0)
		throw sourceFault(name, 'is a GGUF file of the big-endian kind, which is not read');
	if (version !== 2 && version !== 3)
		throw sourceFault(name, `is of version ${version} of GGUF; versions 2 and 3 are read`);
	const tensorCount = reader.count();
	const keyCount = reader.count();
	check(name, 'tensors', tensorCount, sourceLimits.maxTensors);
	check(name, 'keys of metadata', keyCount, sourceLimits.maxKeys);
	// The least that a key and a tensor take.
	if (keyCount * 13 + tensorCount * 24 > reader.rest)
		throw sourceFault(name, 'ends within its header');
	const metadata = await new MetadataReader(name, reader).read(keyCount);
	const infos = await readInfos(file, reader, tensorCount);
	return { metadata, tensors: place(file, infos, reader.position, alignmentOf(name, metadata)) };
}

function check(name: string | undefined, what: string, count: number, limit: number): void {
	if (count > limit)
		throw sourceFault(name, `has ${countText(count)} ${what}; at most ${limit} are read`);
}

class MetadataReader {
	readonly #name: string | undefined;
	readonly #reader: HeaderReader;
	#values = 0;

	constructor(name: string | undefined, reader: HeaderReader) {
		this.#name = name;
		this.#reader = reader;
	}

	async read(count: number): Promise<Map<string, MetadataValue>> {
		const metadata = new Map<string, MetadataValue>();
		const reader = this.#reader;
		for (let index = 0; index < count; index++) {
			const key = await readName(this.#name, reader, 'a key');
			await reader.need(4);
			const value = await this.#value(key, reader.u32(), 0);
			if (metadata.has(key)) throw sourceFault(this.#name, `has the key ${quoted(key)} twice`);
			metadata.set(key, value);
		}
		return metadata;
	}

	async #value(key: string, type: number, depth: number): Promise<MetadataValue> {
		const number = numbers.get(type);
		const reader = this.#reader;
		await this.#count();
		if (number !== undefined) {
			await reader.need(number[0]);
			return number[1](reader);
		}
		if (type === textType) return this.#text(key);
		if (type !== listType) throw this.#fault(key, `is of the unknown type ${type}`);
		if (depth >= sourceLimits.maxDepth)
			throw this.#fault(key, `has lists more than ${sourceLimits.maxDepth} deep`);
		return this.#list(key, depth + 1);
	}

	async #text(key: string): Promise<string> {
		const reader = this.#reader;
		if (!reader.has(8)) await reader.need(8);
		const length = reader.count();
		if (length > sourceLimits.maxTextBytes)
			throw this.#fault(
				key,
				`has a text of ${countText(length)} bytes; at most ${sourceLimits.maxTextBytes} are read`,
			);
		if (!reader.has(length)) await reader.need(length);
		return reader.text(length);
	}

	async #list(key: string, depth: number): Promise<MetadataValue[]> {
		const reader = this.#reader;
		await reader.need(12);
		const type = reader.u32();
		const count = reader.count();
		const number = numbers.get(type);
		// Before anything is made: a text begins with its length, a list with type and length.
		const least = number?.[0] ?? (type === textType ? 8 : 12);
		if (count * least > reader.rest)
			throw this.#fault(key, `has ${count} items, more than the file can hold`);
		if (this.#values + count > sourceLimits.maxValues)
			throw this.#fault(key, `has too many items; at most ${sourceLimits.maxValues} are read`);
		const items: MetadataValue[] = [];
		for (let index = 0; index < count; index++) {
			if (number !== undefined) {
				if (!reader.has(number[0])) await reader.need(number[0]);
				items.push(number[1](reader));
				await this.#count();
			} else if (type === textType) {
				items.push(await this.#text(key));
				await this.#count();
			} else items.push(await this.#value(key, type, depth));
		}
		return items;
	}

	async #count(): Promise<void> {
		this.#values++;
		if (this.#values > sourceLimits.maxValues)
			throw sourceFault(this.#name, `has more than ${sourceLimits.maxValues} values of metadata`);
		if (this.#values % itemsPerTurn === 0) await setImmediate();
	}

	#fault(key: string, what: string) {
		return sourceFault(this.#name, `has a key ${quoted(key)} that ${what}`);
	}
}

async function readName(
	file: string | undefined,
	reader: HeaderReader,
	what: string,
): Promise<string> {
	await reader.need(8);
	const length = reader.count();
	if (length > sourceLimits.maxNameBytes)
		throw sourceFault(
			file,
			`has ${what} of ${countText(length)} bytes; at most ${sourceLimits.maxNameBytes} are read`,
		);
	await reader.need(length);
	return reader.text(length);
}

interface TensorInfo {
	readonly name: string;
	/** Innermost dimension first. */
	readonly sizes: readonly number[];
	readonly type: number;
	/** From where the weights begin. */
	readonly offset: number;
}

async function readInfos(
	file: ByteSource,
	reader: HeaderReader,
	count: number,
): Promise<TensorInfo[]> {
	const infos: TensorInfo[] = [];
	for (let index = 0; index < count; index++) {
		const name = await readName(file.name, reader, 'a name of a tensor');
		await reader.need(4);
		const rank = reader.u32();
		if (rank > sourceLimits.maxRank)
			throw sourceFault(file.name, `has a tensor ${quoted(name)} of ${rank} dimensions`);
		await reader.need(8 * rank + 12);
		const sizes = Array.from({ length: rank }, () => reader.count());
		infos.push({ name, sizes, type: reader.u32(), offset: reader.count() });
		if (index % itemsPerTurn === itemsPerTurn - 1) await setImmediate();
	}
	return infos;
}

function alignmentOf(
	name: string | undefined,
	metadata: ReadonlyMap<string, MetadataValue>,
): number {
	const alignment = metadata.get('general.alignment') ?? 32;
	if (
		typeof alignment !== 'number' ||
		!Number.isInteger(Math.log2(alignment)) ||
		alignment < 1 ||
		alignment > 2 ** 20
	)
		throw sourceFault(name, `has the alignment ${String(alignment)}, which is no power of two`);
	return alignment;
}

function place(
	file: ByteSource,
	infos: readonly TensorInfo[],
	headerEnd: number,
	alignment: number,
): StoredTensor[] {
	const start = Math.ceil(headerEnd / alignment) * alignment;
	let total = 0;
	return infos.map(({ name, sizes, type: number, offset }) => {
		const fault = (what: string) =>
			sourceFault(file.name, `has a tensor ${quoted(name)} that ${what}`);
		const type = ggmlTypes.get(number);
		if (type === undefined) throw fault(`is of the ggml type ${number}, which is not known`);
		const shape = sizes.toReversed();
		const count = countOf(shape, type, sourceLimits.maxRank);
		if (typeof count === 'string') throw fault(count);
		if (offset % alignment !== 0) throw fault(`begins at ${offset}, off the alignment`);
		const bytes = rowsOf(shape) * bytesPerRow(type, shape);
		if (start + offset + bytes > file.size)
			throw fault(`ends beyond the ${file.size} bytes of the file`);
		total += bytes;
		if (total > file.size - start) throw fault('overlaps others');
		return { name, shape, type, file, offset: start + offset };
	});
}
