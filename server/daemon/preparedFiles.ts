/**
 * Removes the rewritten graphs and verdicts that earlier versions kept beside the published graphs, as
 * hidden files. Nothing makes such files any more.
 */

import { join } from 'node:path';
import { listFolder } from '../store/listFolder.ts';
import { removePath } from '../store/movePath.ts';

/** `.NAME.prepared-WHAT-VERSION-KEY.onnx`, its `.verdict`, and what a process killed while writing left. */
const prepared =
	/^\.[^/]+\.prepared-[a-z]*\d*-\d+-[\da-f]{16}\.(?:onnx|verdict)(?:-[\da-f-]{36}\.tmp)?$/;
const unfinished = /^\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/;
/** `<root>/<publisher>/<name>/<version>/onnx` is the deepest place of a graph. */
const deepest = 5;

/**
 * Removes them below the product's own folders of models. Links are not followed; what cannot be read
 * or removed stays.
 * @returns paths of the removed files
 */
export async function removePreparedFiles(folders: readonly string[]): Promise<string[]> {
	const removed: string[] = [];
	for (const folder of folders) await removeBelow(folder, deepest, removed);
	return removed;
}

async function removeBelow(folder: string, depth: number, removed: string[]): Promise<void> {
	for (const entry of await listFolder(folder).catch(() => [])) {
		const path = join(folder, entry.name);
		if (entry.kind === 'folder' && depth > 0) await removeBelow(path, depth - 1, removed);
		const isOurs = prepared.test(entry.name) || unfinished.test(entry.name);
		if (entry.kind !== 'file' || !isOurs) continue;
		await removePath(path).then(
			() => removed.push(path),
			() => {},
		);
	}
}
