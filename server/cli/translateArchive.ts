/** `nearglot translate FILE` for documents that are no text: Office, OpenDocument, EPUB. */

import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { maxArchiveBytes } from '../protocol/archiveTypes.ts';
import { defined } from '../protocol/defined.ts';
import { systemError } from '../protocol/index.ts';
import { translatedFileName } from '../protocol/translatedFileName.ts';
import type { TextTranslator } from '../translate/documents/documentLanguage.ts';
import { translateFileInWorker } from '../translate/documents/documentThread.ts';
import { languageName, sameLanguage } from '../translate/languageCodes.ts';
import { type CommandIo, UsageError } from './command.ts';
import { checkTarget, writeOutput } from './outputFile.ts';
import { reportLeft } from './translateFile.ts';

/**
 * Translates a file into every target. Without `out` the translation of `guide.docx` into German lies beside it as
 * `guide.de.docx`; `{to}` or `{lang}` in `out` stands for the language. Existing files are only replaced with `force`.
 */
export async function translateArchive(
	{ path, out, force }: { path: string; out: string | undefined; force: boolean },
	{ targets, from }: { targets: readonly string[]; from?: string },
	translatorInto: (to: string) => TextTranslator,
	io: CommandIo,
): Promise<number> {
	const name = out ?? translatedFileName(path, '{to}');
	if (targets.length > 1 && !/\{(?:to|lang)\}/.test(name))
		throw new UsageError(
			'Several languages need --out with {to} in it, e.g. --out "guide.{to}.docx".',
		);
	const placeOf = (to: string) => name.replace(/\{(?:to|lang)\}/g, () => to);
	for (const to of targets) await checkTarget(placeOf(to), force);
	const bytes = await readArchive(path);
	let status = 0;
	for (const to of targets) {
		const target = placeOf(to);
		const job = { fileName: basename(path), bytes, to, ...defined({ from }) };
		const result = await translateFileInWorker(job, translatorInto(to), undefined, io.signal);
		await writeOutput(target, result.bytes);
		const { pieces, refused, left, language } = result;
		if (pieces === 0) io.stderr.write(`${path} has no words to translate.\n`);
		else if (sameLanguage(language, to))
			io.stderr.write(
				`${path} is in ${languageName(language, 'en')} already; nothing was changed.${from === undefined ? ' If it is not, name its language: --from en' : ''}\n`,
			);
		else
			io.stderr.write(
				`${target}: ${pieces - refused.length - left.length} of ${pieces} texts translated from ${languageName(language, 'en')}\n`,
			);
		reportLeft(result, 'translated', to, io);
		// A document of which nothing could be translated is none.
		if (pieces > 0 && refused.length === pieces) status = 1;
	}
	return status;
}

async function readArchive(path: string): Promise<Uint8Array> {
	try {
		const { size } = await stat(path);
		if (size > maxArchiveBytes)
			throw new UsageError(`${path} is larger than ${maxArchiveBytes / 2 ** 20} MiB.`);
		return await readFile(path);
	} catch (error) {
		throw systemError(error, { path, verb: 'read' }) ?? error;
	}
}
