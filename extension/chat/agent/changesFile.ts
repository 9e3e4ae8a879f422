/**
 * What the agent of a chat has changed, on the disk: several windows may show the chat, and none loses what another has
 * noted. Knows no editor.
 */

import { dirname } from 'node:path';
import { JsonFile, type JsonFormat } from '../../../server/store/jsonFile.ts';
import { makePrivateFolder } from '../../privateFiles.ts';
import { type FileBefore, TurnChanges } from './turnChanges.ts';

interface KeptChanges {
	readonly files: readonly FileBefore[];
}

const format: JsonFormat<KeptChanges> = {
	holds: 'What files held before the agent of a chat changed them',
	fresh: () => ({ files: [] }),
	parse: ({ files }) => (Array.isArray(files) ? { files: files as FileBefore[] } : undefined),
};

export class ChangesFile {
	readonly #file: JsonFile<KeptChanges>;

	constructor(path: string) {
		this.#file = new JsonFile(path, format);
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
		return await this.#file.change(({ files }) => {
			const changes = new TurnChanges(files);
			change(changes);
			return [{ files: changes.all }, changes];
		});
	}
}
