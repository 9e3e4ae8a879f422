/** Where the transcripts of recordings go: beside them, or into a folder as they lie in theirs. */

import { stat } from 'node:fs/promises';
import { basename, extname, join, relative } from 'node:path';
import { type FileFormat, suffixes } from './transcriptRequest.ts';

/** @param names folders and recordings as they were named */
export async function transcriptTargets(
	files: readonly string[],
	{
		names,
		out,
		format,
	}: {
		readonly names: readonly string[];
		readonly out: string | undefined;
		readonly format: FileFormat;
	},
): Promise<Map<string, string>> {
	const folders: string[] = [];
	for (const name of names)
		if (
			await stat(name).then(
				(found) => found.isDirectory(),
				() => false,
			)
		)
			folders.push(name);
	const stems = files.map((path) => {
		if (out === undefined) return withoutEnding(path);
		const folder = folders.find((each) => !relative(each, path).startsWith('..'));
		return withoutEnding(join(out, folder === undefined ? basename(path) : relative(folder, path)));
	});
	const count = Map.groupBy(stems, (stem) => stem);
	return new Map(
		files.map((path, index) => {
			const stem = stems[index] ?? '';
			const isShared = (count.get(stem)?.length ?? 0) > 1;
			return [path, `${stem}${isShared ? extname(path) : ''}${suffixes[format]}`];
		}),
	);
}

const withoutEnding = (path: string): string => path.slice(0, path.length - extname(path).length);
