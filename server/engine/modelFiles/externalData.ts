/**
 * Files that a graph says its weights are in, before the runtime opens them: a graph from elsewhere
 * must not make it read other files of this machine (CVE-2024-27318 and its successors).
 */

import { lstat } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { fileFault } from '../../hub/modelFile.ts';
import { errno } from '../../protocol/index.ts';
import { realPath } from '../../store/realPath.ts';

/**
 * Why a weights file must not be opened, as a sentence; `undefined` when it may.
 * @param folder the model's folder
 * @param file the graph, relative to the folder
 * @param name the location the graph gives
 * @param neededBytes largest offset plus length the graph reads
 */
export async function externalFault(
	folder: string,
	file: string,
	name: string,
	neededBytes: number,
): Promise<string | undefined> {
	if (name === '' || name !== basename(name) || name === '..' || /[\\/:\u0000]/.test(name))
		return `${file} takes its weights from ${JSON.stringify(name)}, which is not a plain file name beside it; such a graph is not opened.`;
	const graph = join(folder, file);
	const path = join(folder, posix.dirname(file), name);
	const found = await lstat(path).catch(() => undefined);
	if (found === undefined)
		return `The weights file ${name} of ${file} is missing; download the model again.`;
	let real: string;
	try {
		real = await realPath(path);
	} catch (error) {
		return found.isSymbolicLink()
			? `The weights file ${name} of ${file} is a link to nowhere.`
			: `The system does not tell where the weights file ${name} of ${file} really is (${errno(error)}). Move the model to a shorter path or another drive.`;
	}
	// The runtime reads weights only from where the graph really lies.
	if (found.isSymbolicLink() && dirname(real) !== dirname(await realPath(graph)))
		return `The weights file ${name} of ${file} is a link to another place; such a graph is not opened.`;
	const fault = await fileFault(folder, path);
	if (fault !== undefined)
		return `The weights file ${name} of ${file} ${fault}; such a graph is not opened.`;
	const target = await lstat(real);
	if (target.nlink > 1 && (await lstat(await realPath(graph))).nlink === 1)
		return `The weights file ${name} of ${file} is a hard link to another file; such a graph is not opened.`;
	if (!Number.isSafeInteger(neededBytes) || neededBytes < 0)
		return `${file} reads its weights at an impossible place of ${name}.`;
	if (target.size < neededBytes)
		return `The weights file ${name} of ${file} is shorter than the graph needs (${target.size} of ${neededBytes} bytes); download the model again.`;
	return undefined;
}
