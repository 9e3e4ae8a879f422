/** The files that names on the command line stand for: files, folders, patterns. `.gitignore` is respected below folders. */

import { readFile, stat } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { AppError } from '../protocol/index.ts';
import { isBelow } from '../store/isBelow.ts';
import { type FolderEntry, listFolder } from '../store/listFolder.ts';
import { Spelling } from '../store/spelling.ts';
import { withoutEnd } from '../translate/whiteSpace.ts';
import { depthOfGlob, folderOfGlob, globMatcher, isGlob } from './fileGlob.ts';

export interface SourceFiles {
	/** Paths as the command line would write them, with `/`, in order; none twice. */
	readonly files: readonly string[];
	/** Folders that were looked into. */
	readonly folders: readonly string[];
}

/** Never looked into, whatever rules say; like names that begin with a dot. */
const closed = new Set(['node_modules']);
const maxFiles = 100_000;

/** Rules of one `.gitignore`, for what lies below its folder. */
interface Rules {
	readonly folder: string;
	readonly rules: Ignore;
}

/**
 * Finds the files. One that is named itself is meant even where rules leave it out.
 *
 * @param isWanted Says of a path whether it is of a kind that is looked for
 * @param done what is done with them, for messages
 * @throws AppError `not_found` for a name that stands for nothing
 */
export async function sourceFiles(
	names: readonly string[],
	isWanted: (path: string) => boolean | Promise<boolean>,
	signal: AbortSignal,
	spelling = new Spelling(),
	done = 'translated',
): Promise<SourceFiles> {
	// By the spelling of the disk: `Docs` and `docs` may be one folder that was named twice.
	const files = new Map<string, string>();
	const add = (path: string) => {
		const own = spelling.of(path);
		if (!files.has(own)) files.set(own, path);
	};
	const folders = new Set<string>();
	for (const given of names) {
		const name = withoutEnd(withSlashes(given), '/') || '/';
		const found = await stat(given).catch(() => undefined);
		if (found?.isFile()) {
			add(name);
			continue;
		}
		const isFolder = found?.isDirectory() === true;
		if (!isFolder && !isGlob(name))
			throw new AppError('not_found', `There is no file or folder ${given}. Check the name.`);
		const matches = isFolder ? () => true : globMatcher(name.replace(/^\.\//, ''));
		const start = isFolder ? name : folderOfGlob(name.replace(/^\.\//, ''));
		const depth = isFolder ? Number.POSITIVE_INFINITY : depthOfGlob(name.replace(/^\.\//, ''));
		let count = 0;
		for await (const entry of walk(start, signal, { depth })) {
			if (entry.isFolder) folders.add(entry.path);
			else if (matches(entry.path) && (await isWanted(entry.path))) {
				add(entry.path);
				count++;
			}
			if (files.size > maxFiles)
				throw new AppError('invalid_request', `More than ${maxFiles} files; name fewer.`);
		}
		if (count === 0 && !isFolder)
			throw new AppError('not_found', `No file that can be ${done} matches ${given}.`);
	}
	return { files: [...files.values()].sort(), folders: [...folders] };
}

/** The files that a pattern stands for, as a shell would put them in its place: what `.gitignore` names among them. */
export async function matchingFiles(pattern: string, signal: AbortSignal): Promise<string[]> {
	const name = withSlashes(pattern).replace(/^\.\//, '');
	const matches = globMatcher(name);
	const found: string[] = [];
	const how = { depth: depthOfGlob(name), isIgnoredLeftOut: false };
	for await (const { path, isFolder } of walk(folderOfGlob(name), signal, how))
		if (!isFolder && matches(path)) found.push(path);
	return found.sort();
}

interface WalkedEntry {
	readonly path: string;
	readonly isFolder: boolean;
}

interface Walk {
	/** Names in the longest path that is wanted. */
	readonly depth: number;
	readonly isIgnoredLeftOut?: boolean;
}

/** All below a folder that no rule leaves out; links are not followed. */
async function* walk(
	start: string,
	signal: AbortSignal,
	{ depth, isIgnoredLeftOut = true }: Walk,
): AsyncGenerator<WalkedEntry, void, undefined> {
	const open = [
		{ path: start === '.' ? '' : start, rules: await rulesAbove(resolve(start || '.')) },
	];
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		signal.throwIfAborted();
		const { path } = next;
		const here = resolve(path || '.');
		const own = await rulesOf(here);
		const rules = own ? [...next.rules, own] : next.rules;
		yield { path: path || '.', isFolder: true };
		let entries: FolderEntry[];
		try {
			entries = await listFolder(path || '.');
		} catch {
			// What may not be read is not there for us; files in it would be told of by name.
			continue;
		}
		for (const entry of entries) {
			if (entry.name.startsWith('.') || closed.has(entry.name)) continue;
			const isFolder = entry.kind === 'folder';
			if (!isFolder && entry.kind !== 'file') continue;
			if (isIgnoredLeftOut && isIgnored(resolve(here, entry.name), isFolder, rules)) continue;
			const inner = path === '' ? entry.name : `${path === '/' ? '' : path}/${entry.name}`;
			if (isFolder && inner.split('/').length >= depth) continue;
			if (isFolder) open.push({ path: inner, rules });
			else yield { path: inner, isFolder };
		}
	}
}

/** Rules of the folders above, up to the root of the repository. */
async function rulesAbove(folder: string): Promise<Rules[]> {
	const found: Rules[] = [];
	if ((await stat(resolve(folder, '.git')).catch(() => undefined)) !== undefined) return found;
	for (let at = dirname(folder); ; at = dirname(at)) {
		const rules = await rulesOf(at);
		if (rules) found.unshift(rules);
		if ((await stat(resolve(at, '.git')).catch(() => undefined)) !== undefined) return found;
		// Without a repository only what lies below the present folder concerns these files.
		if (dirname(at) === at) return found.filter((one) => liesIn(one.folder, process.cwd()));
	}
}

const liesIn = (path: string, folder: string): boolean => path === folder || isBelow(path, folder);

async function rulesOf(folder: string): Promise<Rules | undefined> {
	const text = await readFile(resolve(folder, '.gitignore'), 'utf8').catch(() => undefined);
	return text === undefined ? undefined : { folder, rules: ignore().add(text.slice(0, 1_000_000)) };
}

/** The innermost rules that say something decide. */
function isIgnored(path: string, isFolder: boolean, all: readonly Rules[]): boolean {
	for (const { folder, rules } of all.toReversed()) {
		const inner = withSlashes(relative(folder, path));
		const verdict = rules.test(isFolder ? `${inner}/` : inner);
		if (verdict.ignored) return true;
		if (verdict.unignored) return false;
	}
	return false;
}

/** A path as patterns and the record have it. */
export const withSlashes = (path: string): string =>
	sep === '/' ? path : path.replaceAll(sep, '/');
