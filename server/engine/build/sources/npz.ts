/** Weights as Marian keeps them while it trains (`.npz`): a ZIP archive of arrays of NumPy (NEP 1), not compressed. */

import { plainTypes } from './floats.ts';
import { quoted, sourceFault, sourceLimits } from './limits.ts';
import { marianSettings } from './marianBinary.ts';
import { bytesPerRow, countOf, type StoredTensor, storedTensors } from './storedTensors.ts';
import { type ByteSource, type MetadataValue, rowsOf, type TensorSource } from './tensorSource.ts';

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const endBytes = 22;
const maxComment = 65_535;
/** More than any header of an array takes. */
const arrayHeaderBytes = 4096;

/** By what NumPy calls them; all little-endian. */
const types: ReadonlyMap<string, string> = new Map([
	['<f8', 'f64'],
	['<f4', 'f32'],
	['<f2', 'f16'],
	['<i8', 'i64'],
	['<i4', 'i32'],
	['<i2', 'i16'],
	['|i1', 'i8'],
	['|u1', 'u8'],
	['|b1', 'bool'],
]);

/** @throws AppError `unsupported_model` that names the file and the tensor */
export async function openNpz(file: ByteSource, signal?: AbortSignal): Promise<TensorSource> {
	const stored = new Map<string, StoredTensor>();
	const metadata = new Map<string, MetadataValue>();
	for (const entry of await readEntries(file, signal)) {
		const tensor = await readArray(file, entry, signal);
		const { name, shape } = tensor;
		if (stored.has(name)) throw sourceFault(file.name, `has the tensor ${quoted(name)} twice`);
		if (name !== marianSettings) {
			stored.set(name, tensor);
			continue;
		}
		const bytes = rowsOf(shape) * bytesPerRow(tensor.type, shape);
		if (bytes > sourceLimits.maxTextBytes)
			throw sourceFault(file.name, `has settings of ${bytes} bytes`);
		const text = await file.read(tensor.offset, bytes, signal);
		metadata.set(name, new TextDecoder().decode(text).split('\0', 1)[0] ?? '');
	}
	return storedTensors([file], metadata, stored);
}

interface Entry {
	readonly name: string;
	/** Of its local header. */
	readonly offset: number;
	readonly bytes: number;
}

async function readEntries(file: ByteSource, signal?: AbortSignal): Promise<Entry[]> {
	const { size, name } = file;
	const tailBytes = Math.min(size, endBytes + maxComment);
	const tail = viewOf(await file.read(size - tailBytes, tailBytes, signal));
	let end = tailBytes - endBytes;
	while (end >= 0 && tail.getUint32(end, true) !== endSignature) end--;
	if (end < 0) throw sourceFault(name, 'does not end as an .npz file does');
	const count = tail.getUint16(end + 10, true);
	const bytes = tail.getUint32(end + 12, true);
	const start = tail.getUint32(end + 16, true);
	if (start === 0xffffffff || count === 0xffff)
		throw sourceFault(name, 'is an archive of the 64-bit kind, which is not read');
	if (start + bytes > size || bytes > sourceLimits.maxHeaderBytes)
		throw sourceFault(name, `has a directory of ${bytes} bytes at ${start}, beyond its end`);
	const directory = await file.read(start, bytes, signal);
	const view = viewOf(directory);
	const entries: Entry[] = [];
	for (let at = 0; entries.length < count; ) {
		if (at + 46 > bytes || view.getUint32(at, true) !== entrySignature)
			throw sourceFault(name, `has a directory that breaks off after ${entries.length} entries`);
		const nameBytes = view.getUint16(at + 28, true);
		const next =
			at + 46 + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
		const entry = {
			name: new TextDecoder().decode(directory.subarray(at + 46, at + 46 + nameBytes)),
			offset: view.getUint32(at + 42, true),
			bytes: view.getUint32(at + 24, true),
		};
		if (next > bytes || nameBytes > sourceLimits.maxNameBytes)
			throw sourceFault(name, `has an entry ${quoted(entry.name)} beyond its directory`);
		if (view.getUint16(at + 10, true) !== 0)
			throw sourceFault(name, `has its tensor ${quoted(entry.name)} compressed, which is not read`);
		entries.push(entry);
		at = next;
	}
	return entries;
}

async function readArray(
	file: ByteSource,
	entry: Entry,
	signal?: AbortSignal,
): Promise<StoredTensor> {
	const name = entry.name.replace(/\.npy$/, '');
	const fault = (what: string) =>
		sourceFault(file.name, `has a tensor ${quoted(name)} that ${what}`);
	if (entry.offset + 30 > file.size) throw fault('begins beyond the file');
	const local = viewOf(await file.read(entry.offset, 30, signal));
	if (local.getUint32(0, true) !== localSignature) throw fault('has no header');
	const start = entry.offset + 30 + local.getUint16(26, true) + local.getUint16(28, true);
	if (start + entry.bytes > file.size)
		throw fault(`ends beyond the ${file.size} bytes of the file`);
	const head = await file.read(start, Math.min(entry.bytes, arrayHeaderBytes), signal);
	const magic = '\x93NUMPY';
	if (head.length < 12 || [...magic].some((letter, k) => head[k] !== letter.charCodeAt(0)))
		throw fault('is no array of NumPy');
	const isOld = head[6] === 1;
	const first = isOld ? 10 : 12;
	const length = isOld ? viewOf(head).getUint16(8, true) : viewOf(head).getUint32(8, true);
	if (first + length > head.length) throw fault(`has a header of ${length} bytes`);
	const text = new TextDecoder('latin1').decode(head.subarray(first, first + length));
	const descr = /'descr': ?'([^']{1,8})'/.exec(text)?.[1];
	const type = types.get(descr ?? '');
	const plain = plainTypes.get(type ?? '');
	if (type === undefined || plain === undefined)
		throw fault(`is of the type ${quoted(descr ?? '')}, which is not read`);
	if (!text.includes("'fortran_order': False")) throw fault('lies by columns, which is not read');
	const sizes = /'shape': ?\(([\d, ]*)\)/.exec(text)?.[1];
	if (sizes === undefined) throw fault('has no shape');
	const shape = sizes
		.split(',')
		.filter((part) => part.trim() !== '')
		.map(Number);
	const storageType = { name: type, group: 1, ...plain };
	const count = countOf(shape, storageType, sourceLimits.maxRank);
	if (typeof count === 'string') throw fault(count);
	const bytes = count * plain.bytes;
	if (first + length + bytes > entry.bytes)
		throw fault(`needs ${bytes} bytes and has ${entry.bytes - first - length}`);
	return { name, shape, type: storageType, file, offset: start + first + length };
}

function viewOf(bytes: Uint8Array): DataView {
	return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
