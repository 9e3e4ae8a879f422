/**
 * Files of a model, before anything opens them. A model comes from elsewhere: what it has or names is
 * looked for in its own folder and nowhere else, and is a plain file. Everything that opens one asks here.
 */

import { stat } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { AppError } from '../protocol/index.ts';
import { isBelow } from '../store/isBelow.ts';
import { realPath } from '../store/realPath.ts';
import { pathFault } from './names.ts';

/**
 * Path of a file of a model folder. The file may be absent, which shows when it is opened.
 * @param name relative to the folder, parts divided by `/`; often given by the model itself
 * @throws AppError `unsupported_model` when the name or a link leaves the folder, or it is no plain file
 */
export async function modelFile(folder: string, name: string): Promise<string> {
	const plain = posix.normalize(name);
	const fault = pathFault(plain);
	if (fault !== undefined)
		throw new AppError(
			'unsupported_model',
			`The model names the file ${JSON.stringify(name)}, which ${fault}. A model has its files in its own folder; this one is not opened.`,
		);
	const path = join(folder, plain);
	const why = await fileFault(folder, path);
	if (why !== undefined)
		throw new AppError(
			'unsupported_model',
			`The file ${JSON.stringify(plain)} of the model ${why}, so it is not opened. Put the file itself into the folder.`,
		);
	return path;
}

/** What speaks against opening a path below a model folder, as a sentence part; absent files are left to the opener. */
export async function fileFault(folder: string, path: string): Promise<string | undefined> {
	const real = await realPath(path).catch(() => undefined);
	if (real === undefined) return undefined;
	const own = await realPath(folder);
	if (!isBelow(real, own) && dirname(real) !== hubBlobs(own))
		return 'is a link that leaves the folder';
	// Opening a pipe waits for ever, and a device never ends.
	return (await stat(real)).isFile() ? undefined : 'is not a plain file';
}

/**
 * The hub's own cache keeps the files of a model under their hashes, and folders of links to them:
 * `models--…/snapshots/<commit>/…` beside `models--…/blobs`. Another model's blobs are another model's.
 * @param own real path of a snapshot, or of a folder in it
 */
function hubBlobs(own: string): string | undefined {
	for (let folder = own; dirname(folder) !== folder; folder = dirname(folder)) {
		const snapshots = dirname(folder);
		const cache = dirname(snapshots);
		if (basename(snapshots) === 'snapshots' && basename(cache).startsWith('models--'))
			return join(cache, 'blobs');
	}
	return undefined;
}
