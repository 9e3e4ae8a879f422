/** Weights as GGUF files have them (ggml-org/ggml, docs/gguf.md). */

import { readGgufHeader } from './ggufHeader.ts';
import { quoted, sourceFault, sourceLimits } from './limits.ts';
import { type StoredTensor, storedTensors } from './storedTensors.ts';
import type { ByteSource, MetadataValue, TensorSource } from './tensorSource.ts';

/**
 * @param bytes a file, or all parts of one that was split, in order. The source disposes of them; if it
 * cannot be opened, the caller does.
 * @throws AppError `unsupported_model` that names the file and the tensor
 */
export async function openGguf(
	bytes: ByteSource | readonly ByteSource[],
	signal?: AbortSignal,
): Promise<TensorSource> {
	const files = isList(bytes) ? bytes : [bytes];
	const stored = new Map<string, StoredTensor>();
	let metadata: ReadonlyMap<string, MetadataValue> = new Map();
	for (const [part, file] of files.entries()) {
		const header = await readGgufHeader(file, signal);
		checkPart(file, header.metadata, part, files.length);
		// All that says what the model is stands in the first part.
		if (part === 0) metadata = header.metadata;
		for (const tensor of header.tensors) {
			if (stored.has(tensor.name))
				throw sourceFault(file.name, `has the tensor ${quoted(tensor.name)} twice`);
			if (stored.size >= sourceLimits.maxTensors)
				throw sourceFault(file.name, `has more than ${sourceLimits.maxTensors} tensors`);
			stored.set(tensor.name, tensor);
		}
	}
	const expected = metadata.get('split.tensors.count');
	if (files.length > 1 && typeof expected === 'number' && expected !== stored.size)
		throw sourceFault(
			files[0]?.name,
			`belongs to parts with ${expected} tensors, of which ${stored.size} are there`,
		);
	return storedTensors(files, metadata, stored);
}

const isList = (bytes: ByteSource | readonly ByteSource[]): bytes is readonly ByteSource[] =>
	Array.isArray(bytes);

function checkPart(
	file: ByteSource,
	metadata: ReadonlyMap<string, MetadataValue>,
	part: number,
	parts: number,
): void {
	const count = metadata.get('split.count') ?? 1;
	const number = metadata.get('split.no') ?? 0;
	// A file that was never split may say that it has no parts.
	if (count !== parts && !(count === 0 && parts === 1))
		throw sourceFault(file.name, `is one of ${String(count)} parts, and ${parts} are there`);
	if (number !== part)
		throw sourceFault(file.name, `is part ${String(number)}, where part ${part} belongs`);
}

/** Names of all parts of a split file, of which this is one; `undefined` for others. */
export function ggufParts(name: string): readonly string[] | undefined {
	const found = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/is.exec(name);
	const count = Number(found?.[3]);
	if (found === null || count < 1 || count > sourceLimits.maxFiles) return undefined;
	return Array.from(
		{ length: count },
		(_, index) => `${found[1]}-${String(index + 1).padStart(5, '0')}-of-${found[3]}.gguf`,
	);
}
