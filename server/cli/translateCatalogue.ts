/** Files that hold all their languages: translations go into them, one language after the other. */

import { basename } from 'node:path';
import { defined } from '../protocol/defined.ts';
import { checkWhole } from '../translate/documents/damage.ts';
import { translateDocumentInWorker } from '../translate/documents/documentThread.ts';
import { extractStringCatalog } from '../translate/documents/software/stringCatalog.ts';
import { countsText } from '../translate/documents/textCounts.ts';
import { type DocumentFile, readDocument, writeDocument } from './documentFile.ts';
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

/** The messages that lack a language: where they stand, and their words. */
export const missingInCatalogue = (text: string, to: string): { at: number; text: string }[] =>
	extractStringCatalog(text, to).map(({ start, text: words }) => ({ at: start, text: words }));

/**
 * What is to be done for one language of a file; `undefined` when it has all of that.
 *
 * @throws AppError `invalid_request` when the file is damaged
 */
export function dueCatalogue(
	file: PlannedFile,
	{ text, bytes }: DocumentFile,
	encoding: string | undefined,
	turns: FileTurns,
): Due | undefined {
	const { source, to, from } = file;
	checkWhole(text, extractStringCatalog, source);
	if (missingInCatalogue(text, to).length === 0) return undefined;
	const make: Due['make'] = async (translator, signal) =>
		await turns.run(source, async () => {
			// As it is by then, with other languages in it.
			const read = await readDocument(source, encoding);
			const job = { fileName: basename(source), text: read.text, to, ...defined({ from }) };
			const result = await translateDocumentInWorker(job, translator, signal);
			const none = notMade(file, result, false);
			if (none) return none;
			await writeDocument(source, result.text, read.encoding);
			const { refused, left } = result;
			return { line: `${source} (${to}): ${countsText(result)}`, refused, left };
		});
	return { file, sizeBytes: bytes.length, make };
}
