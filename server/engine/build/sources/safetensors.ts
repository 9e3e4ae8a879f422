/**
 * Weights as safetensors files have them: a length, a header in JSON, then the tensors
 * (huggingface/safetensors, README, "Format"). A model is one file, or shards that an index lists.
 */

import { jsonFault } from '../../../hub/modelData/boundedJson.ts';
import { asRecord, type JsonRecord } from '../../modelFiles/json.ts';
import { plainTypes } from './floats.ts';
import { quoted, sourceFault, sourceLimits } from './limits.ts';
import { methodOf } from './quantisationMethod.ts';
import { withoutQuantisation } from './quantisedSafetensors.ts';
import { countOf, type StorageType, type StoredTensor, storedTensors } from './storedTensors.ts';
import type { ByteSource, MetadataValue, TensorSource } from './tensorSource.ts';

const index = 'model.safetensors.index.json';
/** What says how a model is quantised, the first that does so counts. */
const settingsFiles = ['config.json', 'quantize_config.json', 'quant_config.json'];
/** Files of a folder that say how its tensors are to be read. */
export const safetensorsSettings: readonly string[] = [index, ...settingsFiles];

/**
 * @param files by name, the folder's settings among them. The source disposes of them all; if it cannot be
 * opened, the caller does.
 * @throws AppError `unsupported_model` that names the file and the tensor
 */
export async function openSafetensors(
	files: ReadonlyMap<string, ByteSource>,
	signal?: AbortSignal,
): Promise<TensorSource> {
	const { shards, homes } = await listShards(files, signal);
	const stored = new Map<string, StoredTensor>();
	const metadata = new Map<string, MetadataValue>();
	for (const shard of shards) {
		const file = files.get(shard);
		if (file === undefined) throw sourceFault(shard, 'of the model is missing');
		const header = await readHeader(shard, file, signal);
		for (const [key, value] of header.metadata) metadata.set(key, value);
		for (const tensor of header.tensors) {
			const home = homes?.get(tensor.name);
			if (homes !== undefined && home !== shard) continue;
			if (stored.has(tensor.name))
				throw sourceFault(shard, `has the tensor ${quoted(tensor.name)}, and another file has too`);
			if (stored.size >= sourceLimits.maxTensors)
				throw sourceFault(shard, `has more than ${sourceLimits.maxTensors} tensors`);
			stored.set(tensor.name, tensor);
		}
	}
	for (const [name, home] of homes ?? [])
		if (!stored.has(name))
			throw sourceFault(home, `lacks the tensor ${quoted(name)}, which the index looks for there`);
	const settings: (JsonRecord | undefined)[] = [];
	for (const name of settingsFiles) {
		const file = files.get(name);
		settings.push(file && (await readJson(name, file, 0, file.size, signal)));
	}
	const source = storedTensors([...files.values()], metadata, stored);
	return withoutQuantisation(source, stored, methodOf(settings));
}

const whole = 'model.safetensors';

/** The files to read, in order, and where an index says that each tensor is. */
async function listShards(
	files: ReadonlyMap<string, ByteSource>,
	signal: AbortSignal | undefined,
): Promise<{ shards: readonly string[]; homes?: ReadonlyMap<string, string> }> {
	const names = [...files.keys()].filter((name) => name.endsWith('.safetensors'));
	const listed = files.get(index);
	if (listed !== undefined) {
		const map = asRecord((await readJson(index, listed, 0, listed.size, signal))['weight_map']);
		if (map === undefined) throw sourceFault(index, 'has no weight_map');
		const homes = new Map<string, string>();
		for (const [name, home] of Object.entries(map)) {
			if (typeof home !== 'string')
				throw sourceFault(index, `names no file for the tensor ${quoted(name)}`);
			homes.set(name, home);
		}
		const shards = [...new Set(homes.values())].sort();
		// An index of parts that somebody has put together into one file lies there for nothing.
		const isStale = names.includes(whole) && !shards.every((shard) => files.has(shard));
		if (isStale) return { shards: [whole] };
		if (shards.length > sourceLimits.maxFiles)
			throw sourceFault(
				index,
				`names ${shards.length} files; at most ${sourceLimits.maxFiles} are read`,
			);
		return { shards, homes };
	}
	if (names.includes(whole)) return { shards: [whole] };
	const parts = names.filter((name) => /^model-\d{5}-of-\d{5}\.safetensors$/.test(name)).sort();
	const [first] = parts.length > 0 ? parts : names;
	if (first === undefined) throw sourceFault('model.safetensors', 'of the model is missing');
	if (parts.length > 0) {
		const count = Number(first.slice(-17, -12));
		if (parts.length !== count)
			throw sourceFault(first, `is one of ${count} files, of which ${parts.length} are there`);
		return { shards: parts };
	}
	if (names.length > 1)
		throw sourceFault(first, 'and others are in the folder, and no index says which is the model');
	return { shards: [first] };
}

interface Header {
	readonly metadata: readonly (readonly [string, string])[];
	readonly tensors: readonly StoredTensor[];
}

async function readHeader(
	name: string,
	file: ByteSource,
	signal: AbortSignal | undefined,
): Promise<Header> {
	if (file.size < 8) throw sourceFault(name, 'is shorter than the header of a safetensors file');
	const first = await file.read(0, 8, signal);
	const length = new DataView(first.buffer, first.byteOffset, 8).getBigUint64(0, true);
	if (length > BigInt(file.size - 8))
		throw sourceFault(
			name,
			`has a header of ${length} bytes and only ${file.size} bytes altogether`,
		);
	const header = await readJson(name, file, 8, Number(length), signal);
	const start = 8 + Number(length);
	const tensors: StoredTensor[] = [];
	const places: Place[] = [];
	for (const [tensor, entry] of Object.entries(header)) {
		if (tensor === '__metadata__') continue;
		const read = readEntry(name, file, tensor, entry, start);
		tensors.push(read.tensor);
		if (read.bytes > 0)
			places.push({ name: tensor, from: read.tensor.offset, to: read.tensor.offset + read.bytes });
	}
	refuseOverlaps(name, places);
	const metadata = Object.entries(asRecord(header['__metadata__']) ?? {}).filter(
		(entry): entry is [string, string] => typeof entry[1] === 'string',
	);
	return { metadata, tensors };
}

interface Place {
	readonly name: string;
	readonly from: number;
	readonly to: number;
}

/** The format forbids tensors that share bytes. */
function refuseOverlaps(file: string, places: readonly Place[]): void {
	let last: Place | undefined;
	for (const place of [...places].sort((a, b) => a.from - b.from)) {
		if (last !== undefined && place.from < last.to)
			throw sourceFault(
				file,
				`has tensors that overlap, ${quoted(last.name)} and ${quoted(place.name)}`,
			);
		last = place;
	}
}

function readEntry(
	name: string,
	file: ByteSource,
	tensor: string,
	entry: unknown,
	start: number,
): { tensor: StoredTensor; bytes: number } {
	const fault = (what: string) => sourceFault(name, `has a tensor ${quoted(tensor)} that ${what}`);
	if (tensor.length > sourceLimits.maxNameBytes) throw fault('has too long a name');
	const { dtype, shape, data_offsets: offsets } = asRecord(entry) ?? {};
	const type = typeof dtype === 'string' ? typeOf(dtype) : undefined;
	if (type === undefined)
		throw fault(`is of the type ${quoted(String(dtype))}, which is not known`);
	if (!isNumbers(shape)) throw fault('has no shape');
	const count = countOf(shape, type, sourceLimits.maxRank);
	if (typeof count === 'string') throw fault(count);
	const [from, to] = isNumbers(offsets) && offsets.length === 2 ? offsets : [];
	if (from === undefined || to === undefined) throw fault('has no place in the file');
	const bytes = (count / type.group) * type.bytes;
	if (!Number.isSafeInteger(from) || from < 0 || to - from !== bytes)
		throw fault(`needs ${bytes} bytes and is said to lie from ${from} to ${to}`);
	if (start + to > file.size) throw fault(`ends beyond the ${file.size} bytes of the file`);
	return { tensor: { name: tensor, shape, type, file, offset: start + from }, bytes };
}

const isNumbers = (value: unknown): value is number[] =>
	Array.isArray(value) && value.every((item) => typeof item === 'number');

/** As the header spells them; `F8_E4M3` is the finite kind, in PyTorch `float8_e4m3fn`. */
const rowTypes: ReadonlyMap<string, StorageType> = new Map(
	[...plainTypes].map(([name, { bytes, read }]) => [
		name.toUpperCase(),
		{ name, group: 1, bytes, read },
	]),
);

function typeOf(dtype: string): StorageType | undefined {
	return rowTypes.get(dtype);
}

/** @throws AppError `unsupported_model` when it is no JSON object, or beyond the limits */
async function readJson(
	name: string,
	file: ByteSource,
	offset: number,
	length: number,
	signal: AbortSignal | undefined,
): Promise<JsonRecord> {
	const { maxJsonBytes, maxDepth, maxValues } = sourceLimits;
	if (length > maxJsonBytes)
		throw sourceFault(name, `has a header of ${length} bytes; at most ${maxJsonBytes} are read`);
	const bytes = await file.read(offset, length, signal);
	const tooMuch = jsonFault(bytes, { maxDepth, maxValues });
	if (tooMuch !== undefined) throw sourceFault(name, tooMuch);
	let value: unknown;
	try {
		value = JSON.parse(new TextDecoder().decode(bytes));
	} catch (error) {
		throw sourceFault(name, 'has a header that is not valid JSON', error);
	}
	const record = asRecord(value);
	if (record === undefined) throw sourceFault(name, 'has a header that is not a JSON object');
	return record;
}
