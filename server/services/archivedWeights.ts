/** Weights in an archive of this machine: they are unpacked beside what is built of them, once for all tries. */

import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findInArchive, isArchive, unpack } from '../hub/archive.ts';
import { AppError } from '../protocol/index.ts';
import { listFolder } from '../store/listFolder.ts';
import { movePath, removePath } from '../store/movePath.ts';

const weightsName = /\.(gguf|safetensors)$/i;
/** Folders inside each other above the weights. */
const maxDepth = 8;
const prefix = 'unpacked-';

/** Whether an archive holds weights, and not a model that can run: what is found first of both decides. */
export async function archiveHoldsWeights(path: string): Promise<boolean> {
	if (!isArchive(path)) return false;
	const first = await findInArchive(path, /\.(onnx|gguf|safetensors)$/i);
	return first !== undefined && weightsName.test(first);
}

/**
 * The folder with the weights of an archive.
 * @param found of the archive: another one of the same name is unpacked anew
 * @param work folder of the build
 * @throws AppError `unsupported_model` where the archive holds more than one folder with weights, or `invalid_request`
 */
export async function unpackedWeights(
	path: string,
	found: Pick<Stats, 'size' | 'mtimeMs'>,
	work: string,
	signal: AbortSignal,
): Promise<string> {
	const name = `${prefix}${found.size}-${Math.round(found.mtimeMs)}`;
	const folder = join(work, name);
	for (const other of await readdir(work).catch(() => []))
		if (other.startsWith(prefix) && other !== name)
			await removePath(join(work, other), { recursive: true, force: true });
	const isThere = await stat(folder).catch(() => undefined);
	if (isThere === undefined) {
		const draft = `${folder}.new`;
		await removePath(draft, { recursive: true, force: true });
		await unpack(path, draft, signal);
		await movePath(draft, folder);
	}
	return weightsIn(folder, 0);
}

async function weightsIn(folder: string, depth: number): Promise<string> {
	const entries = await listFolder(folder);
	if (entries.some(({ kind, name }) => kind === 'file' && weightsName.test(name))) return folder;
	const inner = entries.filter(({ kind }) => kind === 'folder');
	const [only] = inner;
	if (inner.length === 1 && only !== undefined && depth < maxDepth)
		return weightsIn(join(folder, only.name), depth + 1);
	throw new AppError(
		'unsupported_model',
		'The archive does not hold the weights of one model in one folder. Unpack it, and import the folder of the model.',
	);
}
