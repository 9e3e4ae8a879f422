/** Files that hold all their languages: translations go into them, one language after the other. */

import { basename } from 'node:path';
import { defined } from '../protocol/defined.ts';
import type { TextCatalogue } from '../translate/documents/catalogues.ts';
import { checkWhole } from '../translate/documents/damage.ts';
import { translateDocumentInWorker } from '../translate/documents/documentThread.ts';
import { countsText } from '../translate/documents/textCounts.ts';
import { type DocumentFile, encodingNote, readDocument, writeDocument } from './documentFile.ts';
import { type Due, notMade } from './dueFile.ts';
import type { PlannedFile } from './translationPlan.ts';

/** Work on one file waits for the work on it that came before. */
export class FileTurns {
	readonly #last = new Map<string, Promise<unknown>>();

	async run<T>(path: string, work: () => Promise<T>): Promise<T> {
		const before = this.#last.get(path);
		const own = (async () => {
			await before?.catch(() => undefined);
			return await work();
		})();
		this.#last.set(path, own);
		return await own;
	}
}

/**
 * What is to be done for one language of a file; `undefined` when it has all of that.
 *
 * @throws AppError `invalid_request` when the file is damaged
 */
export function dueCatalogue(
	file: PlannedFile,
	{ extract }: TextCatalogue,
	{ text, bytes }: DocumentFile,
	encoding: string | undefined,
	turns: FileTurns,
): Due | undefined {
	const { source, to, from } = file;
	checkWhole(text, extract, source);
	if (extract(text, to).length === 0) return undefined;
	const make: Due['make'] = async (translator, signal) =>
		await turns.run(source, async () => {
			// As it is by then, with other languages in it.
			const read = await readDocument(source, encoding);
			const job = { fileName: basename(source), text: read.text, to, ...defined({ from }) };
			const result = await translateDocumentInWorker(job, translator, signal);
			const none = notMade(file, result, false);
			if (none) return none;
			// A file that is as it was is not news to whoever watches it.
			const isSame = result.text === read.text;
			const written = isSame ? read : await writeDocument(source, result.text, read.encoding);
			const note = encodingNote(written.encoding, read.encoding);
			const { refused, left } = result;
			return { line: `${source} (${to}): ${countsText(result)}${note}`, refused, left };
		});
	return { file, sizeBytes: bytes.length, make };
}
