/**
 * Data files of libraries: beside the bundle in a release, fetched later into the user's data folder,
 * or inside node_modules in a checkout.
 */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folders with the layout of `dist/` that hold what was fetched later. */
const fetched = new Set<string>();

/** Looks for data files in this folder too, from now on. */
export function addAssetFolder(folder: string): void {
	fetched.add(folder);
}

/**
 * Path of a file. Throws when it is nowhere.
 *
 * @param bundled Path under `dist/`, where the build copies it.
 * @param fromPackage Module specifier of the same file.
 */
export function assetPath(bundled: string, fromPackage: string): string {
	for (const folder of [dirname(fileURLToPath(import.meta.url)), ...fetched]) {
		const path = join(folder, bundled);
		if (existsSync(path)) return path;
	}
	return createRequire(import.meta.url).resolve(fromPackage);
}
