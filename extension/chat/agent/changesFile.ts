/**
 * What the agent of a chat has changed, on the disk: several windows may show the chat, and none loses what another has
 * noted. Knows no editor.
 */

import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { JsonFile, type JsonFormat } from '../../../server/store/jsonFile.ts';
import { makePrivateFolder } from '../../privateFiles.ts';
import { type FileBefore, TurnChanges } from './turnChanges.ts';

/** A page of the chat, of this window or another, whose tool runs. */
interface Worker {
	readonly id: string;
	/** When it has ended for certain, in milliseconds since 1970: a window may go away meanwhile. */
	readonly until: number;
}

interface KeptChanges {
	readonly files: readonly FileBefore[];
	readonly workers?: readonly Worker[];
}

/** Milliseconds that a tool takes at most: a command two minutes, and its terminal some seconds. */
const toolWithinMs = 150_000;

const format: JsonFormat<KeptChanges> = {
	holds: 'What files held before the agent of a chat changed them',
	fresh: () => ({ files: [] }),
	parse: ({ files, workers = [] }) =>
		Array.isArray(files) && Array.isArray(workers)
			? { files: files as FileBefore[], workers: workers as Worker[] }
			: undefined,
};

export class ChangesFile {
	readonly #file: JsonFile<KeptChanges>;
	readonly #now: () => number;
	readonly #id = randomUUID();
	/** Tools that run for this page; the last one that ends says so. */
	#running = 0;

	constructor(path: string, now: () => number = Date.now) {
		this.#file = new JsonFile(path, format);
		this.#now = now;
	}

	/** @throws AppError `store_unavailable` */
	async read(): Promise<TurnChanges> {
		return new TurnChanges((await this.#file.read()).files);
	}

	/**
	 * Changes what is on the disk now, and resolves with what came of it.
	 * @param change may be called again, with what another window has noted meanwhile
	 * @throws AppError `store_unavailable`, `disk_full`
	 */
	async change(change: (changes: TurnChanges) => void): Promise<TurnChanges> {
		await makePrivateFolder(dirname(this.#file.path));
		return await this.#file.change(({ files, ...rest }) => {
			const changes = new TurnChanges(files);
			change(changes);
			return [{ ...rest, files: changes.all }, changes];
		});
	}

	/**
	 * Runs a tool that may change files; other pages of the chat know of it meanwhile.
	 * @throws AppError `store_unavailable`, `disk_full`; whatever `run` throws
	 */
	async working<Result>(run: () => Promise<Result>): Promise<Result> {
		this.#running++;
		try {
			await this.#note([{ id: this.#id, until: this.#now() + toolWithinMs }]);
			return await run();
		} finally {
			if (--this.#running === 0) await this.#note([]);
		}
	}

	/** Whether a tool runs for another page of the chat. @throws AppError `store_unavailable` */
	async isOtherWorking(): Promise<boolean> {
		const { workers = [] } = await this.#file.read();
		return workers.some(({ id, until }) => id !== this.#id && until > this.#now());
	}

	/** Says what this page does; those that have gone away are forgotten. */
	async #note(own: readonly Worker[]): Promise<void> {
		await makePrivateFolder(dirname(this.#file.path));
		await this.#file.change(({ files, workers = [] }) => {
			const others = workers.filter(({ id, until }) => id !== this.#id && until > this.#now());
			return [{ files, workers: [...others, ...own] }, undefined];
		});
	}
}
