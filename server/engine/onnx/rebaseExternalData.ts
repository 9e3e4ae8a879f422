/**
 * Model caches often hold links to files elsewhere. ONNX Runtime reads the weights of a graph from one
 * folder and follows no link out of it, so a rewritten graph is given the folder they really are in.
 */

import { basename, dirname } from 'node:path';
import { modelFile } from '../../hub/modelFile.ts';
import { realPath } from '../../store/realPath.ts';
import type { OnnxModel } from './onnxModel.ts';
import { externalTensor, readTensorHeader } from './tensorProto.ts';

/**
 * Makes the weights of a graph loaded without them refer to their real files. Returns the real path of the folder those
 * lie in (that of `path` when there are none), or `undefined` when they lie in several.
 */
export async function rebaseExternalData(
	model: OnnxModel,
	path: string,
): Promise<string | undefined> {
	const folder = dirname(path);
	const own = await realPath(folder);
	const real = new Map<string, string>();
	const { initializers } = model.graph;
	for (const { bytes } of initializers) {
		const location = readTensorHeader(bytes).external?.location;
		if (location === undefined || real.has(location)) continue;
		real.set(location, await realPath(await modelFile(folder, location)));
	}
	const folders = new Set([...real.values()].map(dirname));
	if (folders.size > 1) return undefined;
	const [found = own] = folders;
	if (found === own) return own;
	for (const [index, { bytes }] of initializers.entries()) {
		const header = readTensorHeader(bytes);
		const file = header.external && real.get(header.external.location);
		if (header.external === undefined || file === undefined) continue;
		initializers[index] = externalTensor(header, { ...header.external, location: basename(file) });
	}
	return found;
}
