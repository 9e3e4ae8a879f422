/**
 * Watches folders and says which of them changed. Never the only eye on them: a folder that cannot be
 * watched, or whose changes may come from another computer, is said to be unseen, so that its reader
 * looks again by himself.
 */

import { watch as watchFolder } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { realPath } from '../store/realPath.ts';

/** As `fs.watch`, so far as it is used here. */
export type Watch = (
	folder: string,
	options: { readonly persistent: false; readonly recursive: boolean },
	onChange: (event: string, name: string | null) => void,
) => Watcher;

interface Watcher {
	on(event: 'error', listener: (error: Error) => void): unknown;
	close(): void;
}

export interface FolderWatchOptions {
	readonly watch?: Watch;
	readonly platform?: NodeJS.Platform;
	/** Most folders watched at once: the system shares its watches among all programs. */
	readonly maxFolders?: number;
}

/** Linux: types of file systems that other computers change unnoticed (`statfs(2)`). */
const shared: ReadonlySet<number> = new Set([
	0x6969, // NFS
	0x517b, // SMB
	0xfe534d42, // SMB 2 and later
	0xff534d42, // CIFS
	0x01021997, // 9P: disks of the host in WSL and virtual machines
	0x65735546, // FUSE
	0x786f4256, // folders of a VirtualBox host
	0x00c36400, // Ceph
	0x0bd00bd0, // Lustre
	0x5346414f, // AFS
	0x73757245, // Coda
]);

export class FolderWatch {
	readonly #onChange: (folder: string) => void;
	readonly #watch: Watch;
	readonly #platform: NodeJS.Platform;
	readonly #maxFolders: number;
	readonly #watched = new Map<string, Watcher>();
	/** Whether changes of an entrance are all made on this computer. */
	readonly #local = new Map<string, boolean>();
	#closed = false;

	/** @param onChange told of the folder in which something was added, removed, renamed or written */
	constructor(onChange: (folder: string) => void, options: FolderWatchOptions = {}) {
		this.#onChange = onChange;
		this.#watch = options.watch ?? watchFolder;
		this.#platform = options.platform ?? process.platform;
		this.#maxFolders = options.maxFolders ?? 1024;
	}

	/**
	 * Begins to watch a folder, unless it is watched already. False when changes in it may go unseen.
	 * @param isEntrance nothing watched lies above it: a root, or a link to a folder elsewhere
	 */
	async add(folder: string, isEntrance: boolean): Promise<boolean> {
		if (this.#closed) return false;
		// These systems watch all that is below a folder, and a folder with a watch of its own cannot be moved away.
		const recursive = this.#platform === 'win32' || this.#platform === 'darwin';
		if (isEntrance && !(await this.#isLocal(folder))) return false;
		if (this.#closed) return false;
		if (this.#watched.has(folder) || (recursive && !isEntrance)) return true;
		if (this.#watched.size >= this.#maxFolders) return false;
		try {
			const watcher = this.#watch(folder, { persistent: false, recursive }, (event, name) => {
				// Nothing hidden is a model's.
				if (name?.split(sep).some((part) => part.startsWith('.'))) return;
				const changed = name === null ? folder : join(folder, name);
				// Another folder may have the name from now on, and a watch stays with the old one.
				if (event === 'rename') this.forget(changed);
				if (event === 'rename' && name === basename(folder)) this.forget(folder);
				this.#onChange(name === null ? folder : dirname(changed));
			});
			this.#watched.set(folder, watcher);
			watcher.on('error', () => {
				this.#drop(folder, watcher);
				this.#onChange(folder);
			});
			return true;
		} catch {
			// No such folder, no watches left, or a file system without them.
			return false;
		}
	}

	/** Ends the watch of every other folder. */
	keep(folders: ReadonlySet<string>): void {
		for (const [folder, watcher] of this.#watched)
			if (!folders.has(folder)) this.#drop(folder, watcher);
		for (const folder of this.#local.keys()) if (!folders.has(folder)) this.#local.delete(folder);
	}

	/** Ends the watches of a folder, which may have become another one under its name, and of all below it. */
	forget(folder: string): void {
		const below = folder + sep;
		for (const [path, watcher] of this.#watched)
			if (path === folder || path.startsWith(below)) this.#drop(path, watcher);
		this.#local.delete(folder);
	}

	close(): void {
		this.#closed = true;
		this.keep(new Set());
	}

	#drop(folder: string, watcher: Watcher): void {
		if (this.#watched.get(folder) === watcher) this.#watched.delete(folder);
		watcher.close();
	}

	async #isLocal(folder: string): Promise<boolean> {
		const known = this.#local.get(folder);
		if (known !== undefined) return known;
		const local = await isLocal(folder, this.#platform).catch(() => false);
		this.#local.set(folder, local);
		return local;
	}
}

async function isLocal(folder: string, platform: NodeJS.Platform): Promise<boolean> {
	if (platform === 'linux') return !shared.has((await statfs(folder)).type);
	const real = await realPath(folder);
	return platform === 'win32' ? !real.startsWith('\\\\') : !/^\/(Volumes|Network)\//.test(real);
}
