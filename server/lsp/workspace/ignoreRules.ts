/** Which files of a folder are left out: what `.gitignore` files say, those above the folder included, and what is never source. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** Folders that are never searched. */
const leftOutFolders = new Set(['.git', '.hg', '.svn', 'node_modules', '__pycache__', '.venv']);

/** Locks, maps, minified code, and what holds secrets. */
const leftOutFiles =
	/(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|[^/]+\.(?:lock|min\.js|min\.css|map|pem|key|pfx|p12|kdbx)|\.env(?:\.[^/]*)?|id_(?:rsa|dsa|ecdsa|ed25519)(?:\.pub)?|\.netrc|\.npmrc|\.pypirc)$/i;

interface Rules {
	/** Folder the rules are in, relative to the root of the index; `..` parts are above it. */
	readonly folder: string;
	readonly rules: Ignore;
}

/** Rules of one folder of the workspace; read when first needed. */
export class IgnoreRules {
	readonly #root: string;
	readonly #known = new Map<string, Promise<Rules | undefined>>();
	readonly #above: Promise<readonly Rules[]>;

	constructor(root: string) {
		this.#root = root;
		this.#above = this.#readAbove();
	}

	/**
	 * Whether a path is left out, by itself or by a folder it is in.
	 * @param path relative to the root, with slashes
	 */
	async ignores(path: string, isFolder = false): Promise<boolean> {
		const parts = path.split('/');
		for (let end = 1; end <= parts.length; end++) {
			const part = parts.slice(0, end).join('/');
			if (await this.ignoresItself(part, end < parts.length || isFolder)) return true;
		}
		return false;
	}

	/** Whether a path is left out whose folders are not. */
	async ignoresItself(path: string, isFolder: boolean): Promise<boolean> {
		const name = path.slice(path.lastIndexOf('/') + 1);
		if (isFolder ? leftOutFolders.has(name) : leftOutFiles.test(path)) return true;
		let ignored = false;
		for (const { folder, rules } of await this.#rulesFor(path)) {
			// Both from the same place: `folder` may lie above the root.
			const from = join(this.#root, folder);
			const below = relative(from, join(this.#root, path)).replaceAll('\\', '/');
			const own = below + (isFolder ? '/' : '');
			const found = rules.test(own);
			if (found.ignored) ignored = true;
			else if (found.unignored) ignored = false;
		}
		return ignored;
	}

	/** From the outermost to the innermost: what a deeper one says holds. */
	async #rulesFor(path: string): Promise<Rules[]> {
		const folders = [''];
		for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
			folders.push(path.slice(0, at));
		const own = await Promise.all(folders.map((folder) => this.#read(folder)));
		return [...(await this.#above), ...own.filter((rules) => rules !== undefined)];
	}

	#read(folder: string): Promise<Rules | undefined> {
		const known = this.#known.get(folder);
		if (known) return known;
		const reading = rulesIn(this.#root, folder, '.gitignore');
		this.#known.set(folder, reading);
		return reading;
	}

	/** Those of the folders above, up to the one of the repository. */
	async #readAbove(): Promise<readonly Rules[]> {
		const folders: string[] = [];
		let at = this.#root;
		while (!existsSync(join(at, '.git'))) {
			const above = dirname(at);
			// Not in a repository: what lies above has nothing to say.
			if (above === at) return [];
			at = above;
			folders.unshift(relative(this.#root, at));
		}
		const top = relative(this.#root, at);
		const found = await Promise.all([
			rulesIn(this.#root, top, '.git/info/exclude'),
			...folders.map((folder) => rulesIn(this.#root, folder, '.gitignore')),
		]);
		return found.filter((rules) => rules !== undefined);
	}
}

async function rulesIn(root: string, folder: string, file: string): Promise<Rules | undefined> {
	const text = await readFile(join(root, folder, file), 'utf8').catch(() => '');
	return text.trim() === '' ? undefined : { folder, rules: ignore().add(text) };
}
