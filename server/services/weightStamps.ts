/** What tells weights on this machine from others of the same names and sizes, without reading them. */

import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export interface WeightStamp {
	readonly name: string;
	readonly sizeBytes: number;
	/** Size and last change: file systems that number files anew each time are many. */
	readonly stamp: string;
}

/** Weights, of students what else is built into the model, and what says how tensors are to be read. */
const read =
	/\.(gguf|safetensors)$|\.(bin|npz|spm|ya?ml)(\.gz)?$|^(config|quantize_config|quant_config|model\.safetensors\.index)\.json$/i;

/**
 * Of a file, with all parts of one that was split, or of what is read of a folder.
 * Rejects with the system's own errors.
 */
export async function stampsOf(path: string): Promise<WeightStamp[]> {
	const isFolder = (await stat(path)).isDirectory();
	const folder = isFolder ? path : dirname(path);
	const names = await readdir(folder);
	const own = isFolder ? names.filter((name) => read.test(name)) : partsOf(basename(path), names);
	const all = await Promise.all(own.sort().map((name) => stampOf(join(folder, name), name)));
	return all.filter((one) => one !== undefined);
}

function partsOf(name: string, names: readonly string[]): string[] {
	const [, start, count] = /^(.*)-\d{5}-of-(\d{5}\.gguf)$/is.exec(name) ?? [];
	if (start === undefined || count === undefined) return [name];
	const part = /^-\d{5}-of-$/;
	return names.filter(
		(one) =>
			one.startsWith(start) &&
			one.endsWith(count) &&
			part.test(one.slice(start.length, -count.length)),
	);
}

async function stampOf(path: string, name: string): Promise<WeightStamp | undefined> {
	const found = await stat(path, { bigint: true });
	if (!found.isFile()) return undefined;
	return {
		name,
		sizeBytes: Number(found.size),
		stamp: `${found.size} bytes, changed ${found.mtimeNs}`,
	};
}
