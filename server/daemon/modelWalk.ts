/** Walks the folders of models, and has what it looks at watched. */

import { stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { pushAll } from '../protocol/lists.ts';
import { type FolderEntry, listFolder } from '../store/listFolder.ts';
import { realPath } from '../store/realPath.ts';
import type { FolderWatch } from './folderWatch.ts';

export interface WalkRoot {
	readonly folder: string;
	/** The folder may be a model itself, not only hold some. */
	readonly mayBeModel?: boolean;
}

/** Files that make a folder a model. */
export const modelMarks = ['config.json', 'genai_config.json'];

/** `<root>/<publisher>/<name>/<version>` is the deepest place of a model. */
const deepest = 4;

/** One walk through all roots. */
export class ModelWalk {
	/** False when later changes in a folder of the walk may go unseen. */
	isWatched = true;
	/** Folders above which nothing is watched, each with what it is. */
	readonly entrances = new Map<string, string>();
	/** Every folder the walk has looked at. */
	readonly visited = new Set<string>();
	readonly #watch: FolderWatch;
	readonly #before: ReadonlyMap<string, string>;

	/** @param before entrances of the last walk */
	constructor(watch: FolderWatch, before: ReadonlyMap<string, string> = new Map()) {
		this.#watch = watch;
		this.#before = before;
	}

	/** Folders of models below a root, by name. What is half downloaded is none yet. */
	async modelFolders({ folder, mayBeModel = false }: WalkRoot): Promise<string[]> {
		return this.#below(folder, mayBeModel, true, 0);
	}

	async #below(
		folder: string,
		mayBeModel: boolean,
		isEntrance: boolean,
		depth: number,
	): Promise<string[]> {
		// Watched first: what changes while it is read is read again.
		await this.#look(folder, isEntrance);
		let entries: FolderEntry[];
		try {
			entries = await listFolder(folder);
		} catch (error) {
			// A folder that is not there yet is noticed when it comes; see `entrances`.
			if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.isWatched = false;
			return [];
		}
		if (depth > 0 && entries.some(({ kind, name }) => kind === 'file' && name === 'download.tmp'))
			return [];
		if (mayBeModel && entries.some((entry) => modelMarks.includes(entry.name))) {
			const graphs = entries.find((entry) => entry.name === 'onnx');
			if (graphs) await this.#look(join(folder, graphs.name), graphs.kind === 'link');
			return [folder];
		}
		if (depth === deepest) return [];
		const found: string[] = [];
		for (const entry of entries) {
			if (entry.name.startsWith('.') || entry.name.endsWith('.tmp')) continue;
			const path = join(folder, entry.name);
			if (entry.kind === 'folder' || (entry.kind === 'link' && (await this.#isFolder(path))))
				pushAll(found, await this.#below(path, true, entry.kind === 'link', depth + 1));
		}
		return found;
	}

	async #look(folder: string, isEntrance: boolean): Promise<void> {
		this.visited.add(folder);
		let exists = true;
		if (isEntrance) {
			const state = await stateOf(folder);
			const before = this.#before.get(folder);
			if (before !== undefined && identityOf(before) !== identityOf(state))
				this.#watch.forget(folder);
			this.entrances.set(folder, state);
			exists = state !== '';
		}
		if (exists && !(await this.#watch.add(folder, isEntrance))) this.isWatched = false;
	}

	/**
	 * People link models from elsewhere into the folder; nothing fetched can make such a link. One to a folder
	 * that it lies in itself would be gone round for ever, or list half a disk.
	 */
	async #isFolder(path: string): Promise<boolean> {
		const found = await stat(path).catch(() => undefined);
		if (found?.isDirectory()) return !(await leadsUp(path));
		// What it leads to may come or become a folder without a word.
		this.visited.add(path);
		this.entrances.set(path, await stateOf(path));
		return false;
	}
}

async function leadsUp(link: string): Promise<boolean> {
	const [target, own] = await Promise.all([realPath(link), realPath(dirname(link))]).catch(
		() => [],
	);
	if (target === undefined || own === undefined) return true;
	const inside = relative(target, own);
	return inside === '' || !(inside.split(sep)[0] === '..' || isAbsolute(inside));
}

/** Whether folders are what they were. */
export async function sameEntrances(entrances: ReadonlyMap<string, string>): Promise<boolean> {
	const now = await Promise.all([...entrances.keys()].map(stateOf));
	return [...entrances.values()].every((state, index) => state === now[index]);
}

/** Which folder it is and when something was last added to it or removed; empty when there is none. */
async function stateOf(folder: string): Promise<string> {
	const found = await stat(folder).catch(() => undefined);
	return found === undefined ? '' : `${found.dev}:${found.ino} ${found.mtimeMs}`;
}

/** Which folder it was. */
const identityOf = (state: string) => state.split(' ', 1)[0];
