/** `nearglot systems export` and `memory`: glossaries and memories as files that other programs read. */

import { extname } from 'node:path';
import { productVersion } from '../protocol/version.ts';
import { readPairEntries, type SystemPair } from '../services/translate/translateSystems.ts';
import { messageStates } from '../translate/documents/messageStates.ts';
import { messageFormatOf } from '../translate/documents/missingMessages.ts';
import { tbxText, tmxText } from '../translate/exchangeFiles.ts';
import type { MemoryPair } from '../translate/memory.ts';
import { type CommandIo, UsageError } from './command.ts';
import { readDocument } from './documentFile.ts';
import { checkTarget, writeOutput } from './outputFile.ts';

export interface ExportPlace {
	readonly out: string;
	readonly force: boolean;
}

/** Writes what a category has for a pair: its sentences as TMX, or its terms as TBX, as the file's ending says. */
export async function exportSystem(
	folder: string,
	category: string,
	pair: SystemPair,
	{ out, force }: ExportPlace,
	io: CommandIo,
): Promise<number> {
	const ending = extname(out).toLowerCase();
	if (ending !== '.tmx' && ending !== '.tbx')
		throw new UsageError('--out names a file that ends in .tmx (sentences) or .tbx (terms).');
	await checkTarget(out, force);
	const { terms, memory } = await readPairEntries(folder, category, pair);
	const languages = { source: pair.from, target: pair.to };
	const count = ending === '.tmx' ? memory.length : terms.length;
	const what = ending === '.tmx' ? 'sentences' : 'terms';
	if (count === 0)
		throw new UsageError(`${category} has no ${what} from ${pair.from} to ${pair.to}.`);
	const text =
		ending === '.tmx'
			? tmxText(memory, languages, productVersion())
			: tbxText(terms, languages, category);
	await writeOutput(out, text);
	io.stdout.write(`${out}: ${count} ${what}\n`);
	return 0;
}

/** Makes a memory of a message file and its translation: every message that has one. */
export async function exportMessages(
	files: { readonly source: string; readonly target: string },
	{ from, to }: { readonly from: string; readonly to: string },
	{ out, force }: ExportPlace,
	io: CommandIo,
): Promise<number> {
	const format = messageFormatOf(files.source);
	if (format === undefined || messageFormatOf(files.target) !== format)
		throw new UsageError(
			'Name two message files of one format: JSON, ARB, YAML, properties or po.',
		);
	if (extname(out).toLowerCase() !== '.tmx')
		throw new UsageError('--out names a file that ends in .tmx.');
	await checkTarget(out, force);
	const source = await readDocument(files.source);
	const target = await readDocument(files.target);
	const known = new Map<string, MemoryPair>();
	for (const state of messageStates(source.text, target.text, format, to)) {
		const [text, made] = [state.source.trim(), state.target?.trim() ?? ''];
		// The first translation of a text counts; what stayed as it was says nothing.
		if (made !== '' && made !== text && !known.has(text))
			known.set(text, { source: text, target: made });
	}
	const pairs = [...known.values()];
	if (pairs.length === 0) throw new UsageError(`${files.target} has no translations.`);
	await writeOutput(out, tmxText(pairs, { source: from, target: to }, productVersion()));
	io.stdout.write(`${out}: ${pairs.length} sentences\n`);
	return 0;
}
