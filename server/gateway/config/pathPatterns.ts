/** Lists of paths in the settings: a pattern that can match nothing would leave open what it should close. */

import type { Problems } from './configProblems.ts';

/** Paths compared as they come: `/health`, `/public/*`. */
export function checkRawPaths(paths: readonly string[], at: string, problems: Problems): void {
	for (const path of paths) {
		if (!/^\/[^*?#\\\s]*\*?$/.test(path))
			problems.error(at, `'${path}' must be a path like /health or /public/*.`);
	}
}

/**
 * Paths compared with what an app may read: decoded, without empty segments, parameters and a slash at the
 * end. Only patterns in that form can match.
 */
export function guardedPaths(paths: readonly string[], at: string, problems: Problems): string[] {
	for (const path of paths) {
		if (!/^\/(?:(?:[^/*?#%;\\\s]+\/)*(?:[^/*?#%;\\\s]+|[^/*?#%;\\\s]*\*))?$/.test(path))
			problems.error(
				at,
				`'${path}' must be a path like /admin or /admin/*, without %, ;, // or a slash at the end.`,
			);
	}
	// An app that has something at /admin/ takes it for a part of what is below.
	return paths
		.flatMap((path) => (/.\/\*$/.test(path) ? [path, path.slice(0, -2)] : [path]))
		.map((path) => path.toLowerCase());
}
