/** Waits until something in folders or files changes, for commands that go on when it does. */

import { type FSWatcher, watch } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { untilAborted } from '../services/untilAborted.ts';

/** Editors write in several steps. */
const settleMs = 300;

export class FolderChanges implements Disposable {
	readonly #watchers = new Map<string, FSWatcher>();
	#changed = Promise.withResolvers<void>();

	/** Watches these paths and no others; those that cannot be watched are left out. */
	follow(paths: readonly string[]): void {
		const wanted = new Set(paths);
		for (const [path, watcher] of this.#watchers)
			if (!wanted.has(path)) {
				watcher.close();
				this.#watchers.delete(path);
			}
		for (const path of wanted) {
			if (this.#watchers.has(path)) continue;
			try {
				const watcher = watch(path, () => this.#changed.resolve());
				watcher.on('error', () => {
					watcher.close();
					this.#watchers.delete(path);
					this.#changed.resolve();
				});
				this.#watchers.set(path, watcher);
			} catch {
				// Gone meanwhile, or of a file system that tells of nothing.
			}
		}
	}

	get size(): number {
		return this.#watchers.size;
	}

	/** Resolves some time after the next change. @throws AppError `cancelled` */
	async next(signal: AbortSignal): Promise<void> {
		await untilAborted(this.#changed.promise, signal);
		await setTimeout(settleMs, undefined, { signal });
		this.#changed = Promise.withResolvers();
	}

	[Symbol.dispose](): void {
		for (const watcher of this.#watchers.values()) watcher.close();
		this.#watchers.clear();
	}
}
