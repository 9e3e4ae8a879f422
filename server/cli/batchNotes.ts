/** What a project notes of batches that are under way: which documents each has, and where their translations go. */

import { dirname, join } from 'node:path';
import { readPlainText } from '../store/files.ts';
import { makeFolder } from '../store/makeFolder.ts';
import { removePath } from '../store/movePath.ts';
import { UsageError } from './command.ts';
import { writeOutput } from './outputFile.ts';
import type { ProjectRecord } from './projectRecord.ts';

/** One translation that a batch makes: paths from the project's folder, and the hash of the source that was sent. */
export interface NotedTranslation {
	readonly source: string;
	readonly target: string;
	readonly to: string;
	readonly hash: string;
	/** Id of the uploaded source, and the language as the server writes it. */
	readonly file: string;
	readonly language: string;
}

export interface BatchNote {
	/** Absent: the batch was asked for, and no answer has come. */
	readonly id?: string;
	/** What was asked for, and the key by which the server knows the same request again. */
	readonly asked?: { readonly key: string; readonly body: string };
	readonly wanted: readonly NotedTranslation[];
}

const noteName = '.nearglot/batch.json';

/** @throws UsageError for notes that are damaged */
export async function readNotes({ folder }: ProjectRecord): Promise<BatchNote[]> {
	const text = await readPlainText(join(folder, noteName));
	if (text === undefined) return [];
	try {
		return JSON.parse(text) as BatchNote[];
	} catch {
		throw new UsageError(
			`${noteName} is damaged. Remove it: what its batches have made stays with the server, and is asked for again.`,
		);
	}
}

export async function writeNotes(
	{ folder }: ProjectRecord,
	notes: readonly BatchNote[],
): Promise<void> {
	const path = join(folder, noteName);
	if (notes.length === 0) return removePath(path, { force: true });
	makeFolder(dirname(path));
	await writeOutput(path, `${JSON.stringify(notes, null, '\t')}\n`);
}
