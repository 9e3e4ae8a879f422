/** Where bytes of weights come from on this computer: a file, or memory. */

import { basename } from 'node:path';
import { openModelPath } from '../../../hub/modelData/readModelFile.ts';
import { Disposals } from '../../../protocol/disposals.ts';
import { sourceFault } from './limits.ts';
import type { ByteSource } from './tensorSource.ts';

/**
 * A file, open until it is disposed of.
 * @param path as `modelFile` gave it, or as a user did
 * @throws AppError `unsupported_model` when it is no plain file or too large; the system's error when it cannot be opened
 */
export async function fileBytes(path: string): Promise<ByteSource> {
	const { handle, size } = await openModelPath(path);
	const name = basename(path);
	return {
		name,
		size,
		read: async (offset, length, signal) => {
			signal?.throwIfAborted();
			checkRange(size, offset, length);
			const bytes = new Uint8Array(length);
			let filled = 0;
			while (filled < length) {
				const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
				if (bytesRead === 0) throw sourceFault(name, 'has become shorter while it was read');
				filled += bytesRead;
			}
			return bytes;
		},
		[Symbol.asyncDispose]: () => handle.close(),
	};
}

/** Bytes that are there already; what is read is a copy. */
export function memoryBytes(bytes: Uint8Array, name?: string): ByteSource {
	return {
		...(name === undefined ? {} : { name }),
		size: bytes.length,
		read: async (offset, length, signal) => {
			signal?.throwIfAborted();
			checkRange(bytes.length, offset, length);
			return bytes.slice(offset, offset + length);
		},
		[Symbol.asyncDispose]: async () => undefined,
	};
}

/** @throws RangeError unless the bytes lie inside */
export function checkRange(size: number, offset: number, length: number): void {
	if (!(offset >= 0 && length >= 0 && offset + length <= size))
		throw new RangeError(`Bytes ${offset} to ${offset + length} of ${size}`);
}

/** Disposes of all of them, whichever fails. */
export async function closeAll(sources: Iterable<AsyncDisposable>): Promise<void> {
	await using all = new Disposals();
	for (const source of sources) all.use(source);
}
