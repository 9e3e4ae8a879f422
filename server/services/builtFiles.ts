/** What a model that was built consists of, and whether it is what would be built now. */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { BuiltFrom, Manifest } from '../hub/manifest.ts';
import { readModelJson } from '../hub/modelData/readModelFile.ts';
import { inside } from '../hub/names.ts';
import { recipeVersion } from '../hub/recipeVersion.ts';
import type { WeightFiles } from '../hub/weightFiles.ts';
import { defined } from '../protocol/defined.ts';
import { isRecord } from '../protocol/errorBody.ts';
import { pushAll } from '../protocol/lists.ts';
import { listFolder } from '../store/listFolder.ts';

export function builtFromOf(
	{ format, weights, sides }: WeightFiles,
	flags: Pick<BuiltFrom, 'quality' | 'keep'>,
): BuiltFrom {
	return {
		format,
		files: weights.map(({ path, sizeBytes, sha256 }) => ({
			path,
			sizeBytes,
			...defined({ sha256 }),
		})),
		...defined({ sides: hashesOf(sides) }),
		...(flags.quality === true ? { quality: true } : {}),
		...(flags.keep === true ? { keep: true } : {}),
	};
}

/** What the hub says of their content; `undefined` when it does not of one. */
function hashesOf(files: WeightFiles['sides']): BuiltFrom['sides'] {
	const hashes = files.map(({ path, sha256, gitSha1 }) => ({
		path,
		hash: sha256 ?? gitSha1 ?? '',
	}));
	return hashes.some(({ hash }) => hash === '') ? undefined : hashes;
}

/**
 * Whether a folder has what would be built now: of the same files, by the same recipe. Another commit is another model
 * only where the hub does not say what is in each file.
 */
export async function isBuilt(
	target: string,
	manifest: Manifest,
	commit: string,
	builtFrom: BuiltFrom,
): Promise<boolean> {
	const { sides: before, ...rest } = manifest.builtFrom ?? { sides: undefined };
	const { sides, ...now } = builtFrom;
	const isKnown =
		sides !== undefined && builtFrom.files.every(({ sha256 }) => sha256 !== undefined);
	const isSame = isKnown && isDeepStrictEqual(before, sides);
	if (!isDeepStrictEqual(rest, now) || (manifest.commit !== commit && !isSame)) return false;
	if ((await recipeIn(target)) !== recipeVersion) return false;
	const sizes = await Promise.all(
		manifest.files.map(async ({ path }) => {
			const found = await stat(inside(target, path)).catch(() => undefined);
			return found?.size;
		}),
	);
	return manifest.files.every(({ sizeBytes }, index) => sizes[index] === sizeBytes);
}

/** The recipe a folder was built by; where it does not say, the one of today. */
async function recipeIn(target: string): Promise<unknown> {
	const origin = await readModelJson(target, 'nearglot-origin.json').catch(() => undefined);
	const recipe = origin?.['recipe'];
	return isRecord(recipe) ? recipe['version'] : recipeVersion;
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
