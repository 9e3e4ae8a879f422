/**
 * How far a build has come: a file of lines, first what is built, then how many bands are finished. Killed at any
 * byte, the next run goes on after the last whole line; a band that is made twice gives the same bytes.
 */

import type { FileHandle } from 'node:fs/promises';
import { openPath, readPathText } from '../../store/openPath.ts';

export class Journal implements AsyncDisposable {
	readonly #file: FileHandle;
	#finished: number;

	private constructor(file: FileHandle, finished: number) {
		this.#file = file;
		this.#finished = finished;
	}

	/**
	 * Opens the journal of an earlier run when it is of the same build, else begins a new one.
	 * @param identity one line that tells this build from every other
	 */
	static async open(path: string, identity: string): Promise<Journal> {
		const text = await readPathText(path).catch(() => '');
		const [first, ...rest] = text.split('\n');
		// What follows the last line break was cut off.
		const finished = first === identity && rest.length > 0 ? Number(rest.at(-2) ?? 0) : -1;
		if (Number.isSafeInteger(finished) && finished >= 0) {
			const file = await openPath(path, 'r+');
			await file.truncate(text.lastIndexOf('\n') + 1);
			return new Journal(file, finished);
		}
		const file = await openPath(path, 'w+');
		await file.write(`${identity}\n`, 0);
		return new Journal(file, 0);
	}

	/** Bands from the first on whose bytes are in their places. */
	get finished(): number {
		return this.#finished;
	}

	/** Notes that so many bands are finished; call when their bytes are on the disk. */
	async note(finished: number): Promise<void> {
		const { size } = await this.#file.stat();
		await this.#file.write(`${finished}\n`, size);
		this.#finished = finished;
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.#file.close();
	}
}
