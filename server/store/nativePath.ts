/**
 * Paths as code outside of Node takes them. Windows' own functions stop at 260 characters (248 for folders) unless a path
 * begins with `\\?\`, which Node puts before the paths of its own calls and nobody else does.
 */

import { win32 } from 'node:path';

/** Up to this length a path stays as it is: what is put behind it (`-journal`, the name of a file of weights) still fits. */
const longestPlain = 180;
/** Windows starts no program in a folder with a longer path, however it is written. */
const longestStart = 240;

/** The path for a library that opens it by itself. `:memory:` and other names that are no paths are never so long. */
export function nativePath(path: string, platform: NodeJS.Platform = process.platform): string {
	if (platform !== 'win32') return path;
	const full = win32.resolve(path);
	return full.length <= longestPlain ? path : win32.toNamespacedPath(full);
}

/** Whether a program can be started in a folder, which must be an absolute path. */
export const canStartIn = (folder: string, platform: NodeJS.Platform = process.platform): boolean =>
	platform !== 'win32' || folder.length <= longestStart;

/** The folder to start a program in: this one, or the root of its drive where it has too long a path. */
export const startFolder = (
	folder: string,
	platform: NodeJS.Platform = process.platform,
): string => (canStartIn(folder, platform) ? folder : win32.parse(folder).root);
