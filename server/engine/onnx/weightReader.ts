/** Reads weights of a graph from wherever they lie, as float32. */

import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { beyondLimit } from '../../hub/modelData/fileLimits.ts';
import { openModelPath } from '../../hub/modelData/readModelFile.ts';
import { modelFile } from '../../hub/modelFile.ts';
import { isHalf, toFloat32 } from './castToFloat32.ts';
import type { TensorHeader } from './tensorProto.ts';

/** Files stay open until {@link close}. */
export class WeightReader {
	readonly #folder: string;
	readonly #files = new Map<string, { readonly handle: FileHandle; readonly size: number }>();

	/** `path`: the graph that names the files. */
	constructor(path: string) {
		this.#folder = dirname(path);
	}

	/** The bytes of a weight. */
	async bytes({ name, raw, external }: TensorHeader): Promise<Uint8Array> {
		if (raw !== undefined) return raw;
		if (external === undefined) throw new Error(`The weight '${name}' has no bytes.`);
		let file = this.#files.get(external.location);
		if (file === undefined) {
			file = await openModelPath(await modelFile(this.#folder, external.location));
			this.#files.set(external.location, file);
		}
		// Before memory is taken for it.
		if (external.offset + external.length > file.size)
			throw beyondLimit(
				external.location,
				`is shorter than the weight '${name}' needs (${file.size} bytes)`,
			);
		const bytes = new Uint8Array(external.length);
		const { bytesRead } = await file.handle.read(bytes, 0, bytes.length, external.offset);
		if (bytesRead !== bytes.length)
			throw new Error(`The file ${external.location} ends too early.`);
		return bytes;
	}

	/** The numbers of a float32, float16 or bfloat16 weight; `undefined` for other types. */
	async floats(header: TensorHeader): Promise<Float32Array | undefined> {
		if (header.dataType !== 1 && !isHalf(header.dataType)) return undefined;
		return toFloat32(header.dataType, await this.bytes(header));
	}

	async close(): Promise<void> {
		for (const { handle } of this.#files.values()) await handle.close();
		this.#files.clear();
	}
}
