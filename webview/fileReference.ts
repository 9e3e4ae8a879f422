/** Paths in an answer that may be files of the workspace. */

/**
 * Whether words of an answer are written like a file: a path with a folder or a line, and an ending
 * (`src/a.ts`, `a.ts:12`, `src/a.ts:3-9`). Whether it exists, the host sees when it is opened.
 */
export function isFileReference(words: string): boolean {
	if (words.length > 300) return false;
	const parts = /^(\.{0,2}[\w@.-]*(?:\/[\w@.-]+)*)(:\d+(?:[:-]\d+)?)?$/.exec(words);
	const path = parts?.[1] ?? '';
	if (path.startsWith('/') || path.split('/').includes('..')) return false;
	return /[\w@-]\.[A-Za-z]\w{0,7}$/.test(path) && (path.includes('/') || parts?.[2] !== undefined);
}
