/** One spelling for each path: most disks of macOS and Windows take `Docs/a.md` and `docs/A.md` for one file. */

import { existsSync, readdirSync } from 'node:fs';
import { join, parse, resolve, sep } from 'node:path';

/** What is asked of the disk. */
export interface SpellingDisk {
	/** Names in a folder; throws when it cannot be read. */
	names(folder: string): readonly string[];
	exists(path: string): boolean;
}

const thisDisk: SpellingDisk = { names: (folder) => readdirSync(folder), exists: existsSync };

/** Names that such disks take for one: letters' case, and how accents are composed. */
const folded = (name: string): string => name.normalize('NFC').toLowerCase();

/**
 * Spells paths as the folders on the disk do. What is not there keeps the spelling it is given, and so does everything on a
 * disk that tells `Docs` and `docs` apart: the disk decides, not the system. Remembers what it has read; one for each piece
 * of work.
 */
export class Spelling {
	readonly #disk: SpellingDisk;
	readonly #listed = new Map<string, ReadonlySet<string>>();

	constructor(disk: SpellingDisk = thisDisk) {
		this.#disk = disk;
	}

	/** An absolute path, spelled as its parts are on the disk. Links are not followed. */
	of(path: string): string {
		const full = resolve(path);
		const { root } = parse(full);
		const parts = full
			.slice(root.length)
			.split(sep)
			.filter((part) => part !== '');
		let folder = /^[a-z]:/.test(root) ? root.toUpperCase() : root;
		for (const [index, part] of parts.entries()) {
			const own = this.#spelled(folder, part);
			if (own === undefined) return join(folder, parts.slice(index).join(sep));
			folder = join(folder, own);
		}
		return folder;
	}

	/** A name as its folder has it; `undefined` when there is none. */
	#spelled(folder: string, name: string): string | undefined {
		if (this.#names(folder).has(name)) return name;
		if (!this.#disk.exists(join(folder, name))) return undefined;
		// It may have come since.
		this.#listed.delete(folder);
		const names = this.#names(folder);
		if (names.has(name)) return name;
		const wanted = folded(name);
		for (const other of names) if (folded(other) === wanted) return other;
		return name;
	}

	#names(folder: string): ReadonlySet<string> {
		let names = this.#listed.get(folder);
		if (names === undefined) {
			try {
				names = new Set(this.#disk.names(folder));
			} catch {
				// Some folders may be passed through and not read.
				names = new Set();
			}
			this.#listed.set(folder, names);
		}
		return names;
	}
}
