/** `nearglot translate FILE` for documents that are no text: Office, OpenDocument, EPUB. */

import { basename, dirname, resolve } from 'node:path';
import { defined } from '../protocol/defined.ts';
import { translatedFileName } from '../protocol/translatedFileName.ts';
import type { TextTranslator } from '../translate/documents/documentLanguage.ts';
import { translateFileInWorker } from '../translate/documents/documentThread.ts';
import { countsText } from '../translate/documents/textCounts.ts';
import { namesLanguage, placeByPattern } from '../translate/documents/translationPlace.ts';
import { languageName, sameLanguage } from '../translate/languageCodes.ts';
import { type CommandIo, UsageError } from './command.ts';
import { readArchive } from './documentFile.ts';
import { DoubtCount, type OnTexts } from './documentTranslator.ts';
import { isUntranslated, untranslatedLine } from './dueFile.ts';
import { checkInside, checkTarget, standardOutput, writeOutput } from './outputFile.ts';
import { withSlashes } from './sourceFiles.ts';
import { reportLeft } from './translateFile.ts';

/**
 * Translates a file into every target. Without `out` the translation of `guide.docx` into German lies beside it as
 * `guide.de.docx`; `{lang}` in `out` stands for the language, as with texts. Existing files are only replaced with `force`.
 */
export async function translateArchive(
	{ path, out, force }: { path: string; out: string | undefined; force: boolean },
	{ targets, from }: { targets: readonly string[]; from?: string },
	translatorInto: (to: string, onDone: OnTexts) => TextTranslator,
	io: CommandIo,
): Promise<number> {
	if (targets.length > 1 && out !== undefined && !namesLanguage(out))
		throw new UsageError(
			'Several languages need --out with {lang} in it, e.g. --out "guide.{lang}.docx".',
		);
	const isPiped = out === standardOutput;
	if (isPiped && io.stdout.isTTY)
		throw new UsageError(
			`${path} is no text for a terminal: name a file with --out, or send it on with > or |.`,
		);
	const placeOf = (to: string) =>
		out === undefined ? translatedFileName(path, to) : placeByPattern(out, withSlashes(path), to);
	for (const to of targets) {
		if (isPiped) continue;
		await checkTarget(placeOf(to), force);
		// Nobody has named this place.
		if (out === undefined) await checkInside(resolve(dirname(path)), placeOf(to));
	}
	const bytes = await readArchive(path);
	let status = 0;
	for (const to of targets) {
		const target = placeOf(to);
		const job = { fileName: basename(path), bytes, to, ...defined({ from }) };
		const doubts = new DoubtCount();
		const translator = translatorInto(to, (_, marks) => doubts.add(marks));
		const result = await translateFileInWorker(job, translator, undefined, io.signal);
		const { pieces, language } = result;
		const isFailed = isUntranslated(result);
		if (!isFailed && isPiped) io.stdout.bytes(result.bytes);
		else if (!isFailed) await writeOutput(target, result.bytes);
		if (isFailed) {
			io.stderr.write(`${untranslatedLine(path)}\n`);
			status = 1;
		} else if (pieces === 0) io.stderr.write(`${path} has no words to translate.\n`);
		else if (sameLanguage(language, to))
			io.stderr.write(
				`${path} is in ${languageName(language, 'en')} already; nothing was changed.${from === undefined ? ' If it is not, name its language: --from en' : ''}\n`,
			);
		else if (!isPiped)
			io.stderr.write(`${target}: ${countsText(result, languageName(language, 'en'))}\n`);
		for (const line of [...doubts.parts.map((part) => `${part} (${to})`), ...doubts.lines])
			io.stderr.write(`${line}\n`);
		reportLeft(result, 'translated', to, io);
	}
	return status;
}
