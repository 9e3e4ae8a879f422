/** The files of a folder that are searched: text that people wrote, in the order of their paths. */

import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pushAll } from '../../protocol/lists.ts';
import { listFolder } from '../../store/listFolder.ts';
import { IgnoreRules } from './ignoreRules.ts';

/** Larger files in bytes are data. */
const maxBytes = 512 * 1024;
/** Characters a line has on average in what a program wrote. */
const maxLineLength = 400;

export interface FoundFile {
	/** Relative to the folder, with slashes. */
	readonly path: string;
	readonly size: number;
	readonly mtimeMs: number;
}

/** Walks a folder; links are not followed. */
export async function* walkFiles(
	root: string,
	rules = new IgnoreRules(root),
): AsyncGenerator<FoundFile> {
	const folders = [''];
	for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
		const entries = await listFolder(join(root, folder)).catch(() => []);
		const below: string[] = [];
		for (const entry of entries) {
			const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
			const isFolder = entry.kind === 'folder';
			if (!isFolder && entry.kind !== 'file') continue;
			if (await rules.ignoresItself(path, isFolder)) continue;
			if (isFolder) below.push(path);
			else {
				const found = await findFile(root, path);
				if (found) yield found;
			}
		}
		pushAll(folders, below.reverse());
	}
}

/** A file that may be searched; `undefined` when there is none, or it is too large or a link. */
export async function findFile(root: string, path: string): Promise<FoundFile | undefined> {
	const stats = await lstat(join(root, path)).catch(() => undefined);
	if (!stats?.isFile() || stats.size === 0 || stats.size > maxBytes) return undefined;
	return { path, size: stats.size, mtimeMs: Math.floor(stats.mtimeMs) };
}

/** The text of a file; `undefined` for what is no text, or was not written by people. */
export async function readSource(root: string, path: string): Promise<string | undefined> {
	const bytes = await readFile(join(root, path)).catch(() => undefined);
	if (!bytes || bytes.length > maxBytes || bytes.subarray(0, 8192).includes(0)) return undefined;
	const text = bytes.toString('utf8');
	if (text.includes('\uFFFD')) return undefined;
	const lines = text.split('\n').length;
	return text.length / lines > maxLineLength && text.length > 4096 ? undefined : text;
}
