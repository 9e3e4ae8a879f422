/** A change of a file as git's diff says it, made from what the file was and is. Needs no editor. */

import { formatPatch, structuredPatch } from 'diff';

/** A file before and after; `undefined` where there was or is none. Paths are relative to the repository, with `/`. */
export interface ChangedFile {
	readonly oldPath: string;
	readonly newPath: string;
	readonly before: Uint8Array | undefined;
	readonly after: Uint8Array | undefined;
}

/** Larger files in bytes are named, and not compared. */
export const maxComparedBytes = 1 << 20;
/** Two texts that have less in common than can be found within this time are shown as removed and added. */
const maxCompareMs = 1000;

/** The unified diff of one file, with the header `diff --git`; empty when nothing has changed. */
export function unifiedDiff({ oldPath, newPath, before, after }: ChangedFile): string {
	if (before === undefined && after === undefined) return '';
	const [old, now] = [textOf(before), textOf(after)];
	if (oldPath === newPath && old === now && old !== undefined && before && after) return '';
	const isBinary = old === undefined || now === undefined;
	const [from, to] = [`a/${oldPath}`, `b/${newPath}`];
	const hunks = isBinary || old === now ? [] : hunksOf(from, to, old, now);
	const patch = formatPatch({
		...{ oldFileName: before ? from : '/dev/null', newFileName: after ? to : '/dev/null' },
		...{ oldHeader: undefined, newHeader: undefined, hunks, isGit: true },
		...(before ? {} : { isCreate: true, newMode: '100644' }),
		...(after ? {} : { isDelete: true, oldMode: '100644' }),
		...(oldPath === newPath ? {} : { isRename: true }),
	});
	// Git leaves out how many lines it is when it is one.
	const text = patch.replace(/^@@ .* @@$/gm, (line) => line.replace(/,1(?= )/g, ''));
	return isBinary ? `${text.trimEnd()}\nBinary files ${from} and ${to} differ\n` : text;
}

function hunksOf(from: string, to: string, old: string, now: string) {
	const options = { context: 3, timeout: maxCompareMs };
	const found = structuredPatch(from, to, old, now, undefined, undefined, options);
	if (found) return found.hunks;
	const removed = structuredPatch(from, to, old, '', undefined, undefined, { context: 0 });
	const added = structuredPatch(from, to, '', now, undefined, undefined, { context: 0 });
	const [one, other] = [removed.hunks[0], added.hunks[0]];
	if (!one || !other) return [...removed.hunks, ...added.hunks];
	const { newStart, newLines } = other;
	return [{ ...one, newStart, newLines, lines: [...one.lines, ...other.lines] }];
}

/** The text of a file; empty without one, `undefined` for what is no text or is too large. */
function textOf(bytes: Uint8Array | undefined): string | undefined {
	if (bytes === undefined) return '';
	if (bytes.length > maxComparedBytes || bytes.subarray(0, 8000).includes(0)) return undefined;
	return new TextDecoder().decode(bytes);
}
