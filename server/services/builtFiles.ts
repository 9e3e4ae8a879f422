/** What a model that was built consists of, and whether it is what would be built now. */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { BuiltFrom, Manifest } from '../hub/manifest.ts';
import { inside } from '../hub/names.ts';
import type { WeightFiles } from '../hub/weightFiles.ts';
import { defined } from '../protocol/defined.ts';
import { pushAll } from '../protocol/lists.ts';
import { listFolder } from '../store/listFolder.ts';

export function builtFromOf(
	{ format, weights }: WeightFiles,
	flags: Pick<BuiltFrom, 'quality' | 'keep'>,
): BuiltFrom {
	return {
		format,
		files: weights.map(({ path, sizeBytes, sha256 }) => ({
			path,
			sizeBytes,
			...defined({ sha256 }),
		})),
		...(flags.quality === true ? { quality: true } : {}),
		...(flags.keep === true ? { keep: true } : {}),
	};
}

/** Whether a folder has what would be built now. */
export async function isBuilt(
	target: string,
	manifest: Manifest,
	commit: string,
	builtFrom: BuiltFrom,
): Promise<boolean> {
	if (manifest.commit !== commit || !isDeepStrictEqual(manifest.builtFrom, builtFrom)) return false;
	const sizes = await Promise.all(
		manifest.files.map(async ({ path }) => {
			const found = await stat(inside(target, path)).catch(() => undefined);
			return found?.size;
		}),
	);
	return manifest.files.every(({ sizeBytes }, index) => sizes[index] === sizeBytes);
}

/** The files below a folder, links left out, with paths in `/`. */
export async function filesIn(folder: string, prefix = ''): Promise<Manifest['files']> {
	const files: { path: string; sizeBytes: number }[] = [];
	for (const { name, kind } of await listFolder(folder)) {
		const path = join(folder, name);
		if (kind === 'folder') pushAll(files, await filesIn(path, `${prefix}${name}/`));
		else if (kind === 'file')
			files.push({ path: prefix + name, sizeBytes: (await stat(path)).size });
	}
	return files.sort((a, b) => a.path.localeCompare(b.path));
}
