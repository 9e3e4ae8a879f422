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
 * What a folder has of what would be built now: `same`; the same files `byOlderRecipe`; or `other` ones. Another commit
 * is another model only where the hub does not say what is in each file.
 */
export async function builtState(
	target: string,
	manifest: Manifest,
	commit: string,
	builtFrom: BuiltFrom,
): Promise<'same' | 'byOlderRecipe' | 'other'> {
	const { sides: before, ...rest } = manifest.builtFrom ?? { sides: undefined };
	const { sides, ...now } = builtFrom;
	const isKnown =
		sides !== undefined && builtFrom.files.every(({ sha256 }) => sha256 !== undefined);
	const isSame = isKnown && isDeepStrictEqual(before, sides);
	if (!isDeepStrictEqual(rest, now) || (manifest.commit !== commit && !isSame)) return 'other';
	const sizes = await Promise.all(
		manifest.files.map(async ({ path }) => {
			const found = await stat(inside(target, path)).catch(() => undefined);
			return found?.size;
		}),
	);
	if (!manifest.files.every(({ sizeBytes }, index) => sizes[index] === sizeBytes)) return 'other';
	return (await recipeIn(target)) < recipeVersion ? 'byOlderRecipe' : 'same';
}

/** The recipe a folder was built by; where it does not say, the one of today. */
async function recipeIn(target: string): Promise<number> {
	const origin = await readModelJson(target, 'nearglot-origin.json').catch(() => undefined);
	const recipe = origin?.['recipe'];
	const version = isRecord(recipe) ? recipe['version'] : undefined;
	return typeof version === 'number' ? version : recipeVersion;
}

/** Bytes of weights that are built in a second, about: one core reads, quantises and writes them. */
const builtBytesPerSecond = 70e6;

/** Told before a model that is here is built by a better recipe. */
export function againNotice(id: string, sizeBytes: number): string {
	const seconds = Math.max(1, Math.round(sizeBytes / builtBytesPerSecond));
	const time = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} minutes`;
	return `Building ${id} again with a better recipe: ${Math.ceil(sizeBytes / 1e6).toLocaleString('en')} MB are read, which takes about ${time} where the connection is fast. Until it is there, the model answers as it was built before.`;
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
