/** Weights on this machine, and those in archives, which are unpacked beside what is built of them, once for all tries. */

import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type CheckRoom, findInArchive, isArchive, unpack } from '../hub/archive.ts';
import type { NotifyWaiting } from '../hub/waitNotices.ts';
import { AppError, systemError } from '../protocol/index.ts';
import { listFolder } from '../store/listFolder.ts';
import { movePath, removePath } from '../store/movePath.ts';
import { archiveNotices } from './archiveNotices.ts';

/** Folders inside each other above the weights. */
const maxDepth = 8;
const prefix = 'unpacked-';

/**
 * Whether a path holds weights to build of rather than a model that can run. An archive may have to be read to its end.
 * @throws AppError `invalid_request`, `cancelled`, or the system's own errors
 */
export async function holdsWeights(
	path: string,
	signal: AbortSignal,
	notify?: NotifyWaiting,
): Promise<boolean> {
	if (!(await stat(path)).isDirectory())
		return /\.gguf$/i.test(path) || (await archiveHoldsWeights(path, signal, notify));
	const names = await readdir(path);
	const inner = await readdir(join(path, 'onnx')).catch(() => []);
	return ![...names, ...inner].some((name) => name.endsWith('.onnx')) && areWeights(names);
}

async function archiveHoldsWeights(
	path: string,
	signal: AbortSignal,
	notify: NotifyWaiting | undefined,
): Promise<boolean> {
	if (!isArchive(path)) return false;
	const names: string[] = [];
	// A graph may come behind the weights that it was made of.
	const graph = await findInArchive(
		path,
		{
			test: (name) => {
				names.push(name);
				return /\.onnx$/i.test(name);
			},
		},
		signal,
		archiveNotices(path, 'is looked through for what it holds', notify),
	);
	return graph === undefined && areWeights(names);
}

function areWeights(paths: readonly string[]): boolean {
	const has = (ending: RegExp) => paths.some((path) => ending.test(path));
	if (has(/\.(gguf|safetensors)$/i)) return true;
	// A translator of Marian; other models with such vocabularies have their settings beside them.
	return !has(/(^|\/)config\.json$/) && has(/\.(bin|npz)(\.gz)?$/) && has(/\.spm(\.gz)?$/);
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
	{ notify, checkRoom }: { readonly notify?: NotifyWaiting; readonly checkRoom?: CheckRoom } = {},
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
		try {
			await unpack(path, draft, signal, archiveNotices(path, 'is unpacked', notify), checkRoom);
		} catch (error) {
			// It begins anew the next time, and takes no room until then.
			await removePath(draft, { recursive: true, force: true }).catch(() => {});
			const known = systemError(error, { path: draft, verb: 'written' });
			throw known?.code === 'disk_full' ? known : error;
		}
		await movePath(draft, folder);
	}
	return weightsIn(folder, 0);
}

async function weightsIn(folder: string, depth: number): Promise<string> {
	const entries = await listFolder(folder);
	const files = entries.filter(({ kind }) => kind === 'file').map(({ name }) => name);
	if (areWeights(files)) return folder;
	const inner = entries.filter(({ kind }) => kind === 'folder');
	const [only] = inner;
	if (inner.length === 1 && only !== undefined && depth < maxDepth)
		return weightsIn(join(folder, only.name), depth + 1);
	throw new AppError(
		'unsupported_model',
		'The archive does not hold the weights of one model in one folder. Unpack it, and import the folder of the model.',
	);
}
