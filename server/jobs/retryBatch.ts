/** What of an ended batch is to be tried again: requests that have failed, and those that it did not come to. */

import { AppError } from '../protocol/index.ts';
import { maxLineBytes } from './batchManifest.ts';
import { lineOfRow } from './itemRow.ts';
import type { BatchEnd, BatchRecord } from './jobTypes.ts';
import { fileLines } from './lines.ts';
import type { StoredFiles } from './storedFiles.ts';

export interface UndoneLines {
	readonly count: number;
	readonly bytes: number;
	/** They are read again each time. */
	lines(): AsyncIterable<Uint8Array>;
}

/**
 * The requests of a batch that have no row of success, in their order. Those that are longer than a line can be are left out.
 * @throws AppError `conflict` for one that has not ended, or of which nothing is left; `not_found` for its file
 */
export async function undoneLines(
	{ owner, inputFileId }: BatchRecord,
	end: BatchEnd | undefined,
	files: StoredFiles,
): Promise<UndoneLines> {
	if (end === undefined)
		throw new AppError('conflict', 'This batch has not ended. Wait for its end, or cancel it.');
	const { counts, problems, status, outputFileId, errorFileId } = end;
	if (problems !== undefined)
		throw new AppError(
			'conflict',
			'This batch has failed as a whole. Make a new one of a file that can be read.',
		);
	// What a cancelled batch did not come to has no rows.
	const isCut = status === 'cancelled';
	if (isCut ? counts.completed >= counts.total : errorFileId === undefined)
		throw new AppError('conflict', 'Nothing of this batch has failed.');
	const named = new Set<number>();
	const rowFile = isCut ? outputFileId : errorFileId;
	if (rowFile !== undefined)
		for await (const { bytes } of fileLines(
			await files.content(owner.person, rowFile),
			Number.POSITIVE_INFINITY,
		))
			if (bytes !== undefined) named.add(lineOfRow(bytes));
	const lines = async function* (): AsyncIterable<Uint8Array> {
		const input = await files.content(owner.person, inputFileId);
		for await (const { bytes, number } of fileLines(input, maxLineBytes))
			if (bytes !== undefined && named.has(number) !== isCut)
				yield Buffer.concat([bytes, Buffer.from('\n')]);
	};
	let bytes = 0;
	let count = 0;
	for await (const line of lines()) {
		bytes += line.byteLength;
		count++;
	}
	if (count === 0)
		throw new AppError('conflict', 'What has failed are lines that are too long to be run.');
	return { count, bytes, lines };
}
