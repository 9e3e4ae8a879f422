/** What an argument that may be a text or a path means. */

import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { archiveTypeOf } from '../protocol/archiveTypes.ts';
import { homeFolder } from '../store/homeFolder.ts';
import { formatOf } from '../translate/documents/translateDocument.ts';
import { isGlob } from './fileGlob.ts';
import { isUnreadableName, unreadableName } from './fileProblem.ts';
import { withSlashes } from './sourceFiles.ts';

/** `missing` looks like a path, and nothing is there; `pattern` stands for files. */
export type Meaning = 'file' | 'folder' | 'missing' | 'pattern' | 'text';

/** Suffixes of documents that are not translated, and that no word ends in. */
const otherDocuments =
	/\.(?:docx?|odt|ods|odp|pdf|pptx?|xlsx?|epub|rtf|rst|adoc|tex|ipynb|csv|tsv|toml|xml|resx|strings|log|wav|mp3|flac|m4a|mp4|webm|ogg)$/i;

/**
 * Tells paths from words. The name of anything that is there is meant. A path of nothing is
 * one that begins like a path, ends in a document's or, below a folder, in any file's suffix, or lies
 * in a folder that is there; `and/or`, `km/h`, addresses and sentences are words.
 */
export async function meaningOf(given: string): Promise<Meaning> {
	if (given.length > 4096 || /[\n\0]/.test(given)) return 'text';
	const found = await stat(given).catch(() => undefined);
	if (found?.isFile()) return 'file';
	if (found?.isDirectory()) return 'folder';
	if (!/[./\\*]/.test(given)) return 'text';
	const slashed = withSlashes(given);
	// `docs/*`, `*.md`, `docs/**/*.{md,mdx}`: a star where names of files have one.
	if (
		isGlob(slashed) &&
		/(?:^|\/)[^\s/]*\*|\*\.\w|[^\s/]\.\{[\w,]+\}$/.test(slashed) &&
		!/\s/.test(slashed)
	)
		return formatOf(given) || /(?:^|\/)\*|\.\{[\w,]+\}$/.test(slashed) ? 'pattern' : 'text';
	if (/^[a-z][a-z\d+.-]+:/i.test(given)) return 'text';
	if (/\s/.test(given)) return (await isPathWithSpaces(given)) ? 'missing' : 'text';
	if (/^(?:\.{1,2}[/\\]|~[/\\]|[A-Za-z]:[/\\]|[/\\]{1,2}[^/\\])/.test(given)) return 'missing';
	if (
		/[^/\\]\.[^./\\]+$/.test(given) &&
		(formatOf(given) || archiveTypeOf(given) || otherDocuments.test(given))
	)
		return 'missing';
	if (!/[/\\]/.test(given)) return 'text';
	if (/[/\\]$|[^./\\]\.(?=\w*[A-Za-z])\w{1,8}$/.test(given)) return 'missing';
	return (await isFolder(dirname(given))) ? 'missing' : 'text';
}

/** Sentences name files, too: with white space only what begins like a path, or lies in a folder that is there, is one. */
async function isPathWithSpaces(given: string): Promise<boolean> {
	if (!/[^./\\]\.\w{1,8}$/.test(given)) return false;
	if (/^(?:\.{1,2}[/\\]|~[/\\]|[A-Za-z]:[/\\])/.test(given)) return true;
	const folder = dirname(given);
	return folder !== '.' && (await isFolder(folder));
}

async function isFolder(path: string): Promise<boolean> {
	return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

/** A sentence for a path that names no file. */
export function noFile(path: string): string {
	if (isUnreadableName(path)) return `${path} cannot be opened: ${unreadableName}.`;
	const unexpanded = path.startsWith('~/')
		? ` (~ is ${homeFolder()}; write it without quotes)`
		: '';
	return `There is no file ${path}${unexpanded}. Check the name; a text that looks like a path goes through standard input: echo 'TEXT' | nearglot translate - --to LANGUAGE`;
}
