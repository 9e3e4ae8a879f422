/** Waits until something in folders or files changes, for commands that go on when it does. */

import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { untilAborted } from '../services/untilAborted.ts';
import { isBelow } from '../store/isBelow.ts';

/** Editors write in several steps. */
const settleMs = 300;

/** Watches folders and files, and the folders above them for their coming and going. */
export class FolderChanges implements Disposable {
	/** By absolute paths, as all here. */
	readonly #watchers = new Map<string, FSWatcher>();
	/** What was followed first: also while it is not there, as it may be made anew. */
	#first: readonly string[] | undefined;
	#followed: ReadonlySet<string> = new Set();
	#changed = Promise.withResolvers<void>();

	/**
	 * Watches these paths, those of the first call and no others. What is not there, or goes, is watched once it is
	 * there (again): a checkout of git removes folders and makes others of the same name.
	 */
	follow(paths: readonly string[]): void {
		const isFirst = this.#first === undefined;
		const wanted = paths.map((path) => resolve(path));
		this.#first ??= wanted;
		this.#followed = new Set([...this.#first, ...wanted]);
		const all = new Set([...this.#followed].flatMap((path) => [path, ...foldersAbove(path)]));
		for (const path of [...this.#watchers.keys()]) if (!all.has(path)) this.#forget(path);
		for (const path of all) {
			if (this.#watchers.has(path) || !this.#watch(path)) continue;
			// It was looked into before it was watched.
			if (!isFirst && this.#followed.has(path)) this.#changed.resolve();
		}
	}

	get size(): number {
		return this.#watchers.size;
	}

	/** Resolves some time after the next change. @throws AppError `cancelled` */
	async next(signal: AbortSignal): Promise<void> {
		await untilAborted(this.#changed.promise, signal);
		await untilAborted(setTimeout(settleMs), signal);
		this.#changed = Promise.withResolvers();
	}

	[Symbol.dispose](): void {
		for (const path of [...this.#watchers.keys()]) this.#forget(path);
	}

	/** @returns whether it can be watched */
	#watch(path: string): boolean {
		try {
			const watcher = watch(path, (kind, name) => this.#notify(path, kind, name));
			watcher.on('error', () => {
				this.#forget(path);
				this.#changed.resolve();
			});
			this.#watchers.set(path, watcher);
			return true;
		} catch {
			// Not there, or of a file system that tells of nothing.
			return false;
		}
	}

	#notify(path: string, kind: string, name: string | null): void {
		let isNews = name === null || this.#followed.has(path);
		if (kind === 'rename' && name !== null) {
			// A watcher stays with what was renamed or removed, whatever has its name now.
			for (const place of name === basename(path) ? [path, join(path, name)] : [join(path, name)]) {
				for (const known of [...this.#watchers.keys()])
					if (known === place || isBelow(known, place)) this.#forget(known);
				isNews ||= [...this.#followed].some((one) => one === place || isBelow(one, place));
			}
		}
		if (isNews) this.#changed.resolve();
	}

	#forget(path: string): void {
		this.#watchers.get(path)?.close();
		this.#watchers.delete(path);
	}
}

/** The folders that a path lies in, up to the present one or the root. */
function foldersAbove(path: string): string[] {
	const above: string[] = [];
	const here = process.cwd();
	for (let at = path; at !== here && dirname(at) !== at; ) {
		at = dirname(at);
		above.push(at);
	}
	return above;
}
