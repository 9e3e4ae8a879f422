/** Data files of libraries: beside the bundle in a release, inside node_modules in a checkout. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Path of a file.
 *
 * @param bundled Path under `dist/`, where the build copies it.
 * @param fromPackage Module specifier of the same file.
 */
export function assetPath(bundled: string, fromPackage: string): string {
	const beside = join(dirname(fileURLToPath(import.meta.url)), bundled);
	if (existsSync(beside)) return beside;
	return createRequire(import.meta.url).resolve(fromPackage);
}
