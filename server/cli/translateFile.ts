/** `nearglot translate FILE`: a document of a known format; everything but its words stays. */

import { basename } from 'node:path';
import { defined } from '../protocol/defined.ts';
import type {
	DocumentLanguages,
	LeftText,
	TextTranslator,
} from '../translate/documents/documentLanguage.ts';
import {
	translateDocumentInWorker,
	translateMissingInWorker,
} from '../translate/documents/documentThread.ts';
import { unknownFormat } from '../translate/documents/knownFormats.ts';
import { checkMessageFiles } from '../translate/documents/messageDamage.ts';
import { messageFormatOf } from '../translate/documents/missingMessages.ts';
import { mustBeRead } from '../translate/documents/moreFormats.ts';
import { countsText, keptText } from '../translate/documents/textCounts.ts';
import { encodeText } from '../translate/documents/textEncoding.ts';
import { formatOf, type RefusedPlace } from '../translate/documents/translateDocument.ts';
import { namesLanguage, placeByPattern } from '../translate/documents/translationPlace.ts';
import { languageName, sameLanguage } from '../translate/languageCodes.ts';
import { type CommandIo, UsageError } from './command.ts';
import { encodingNote, readDocument, readIfThere, writeDocument } from './documentFile.ts';
import { DoubtCount, type OnTexts } from './documentTranslator.ts';
import { isUntranslated, untranslatedLine } from './dueFile.ts';
import { leftAsCompared } from './filesReport.ts';
import { checkInside, checkTarget, standardOutput } from './outputFile.ts';
import { ProjectRecord } from './projectRecord.ts';
import { withSlashes } from './sourceFiles.ts';
import { translatePlanned } from './translateFiles.ts';

/** Texts that are shown of many. */
const maxShown = 5;

/**
 * Translates a file into every target. With one target and no `out` the result goes to standard
 * output; `{lang}` in `out` stands for the language. Existing files are only replaced with `force`.
 */
export async function translateFile(
	{
		path,
		out: given,
		force,
		encoding,
		columns,
	}: {
		path: string;
		out: string | undefined;
		force: boolean;
		encoding?: string;
		columns?: readonly string[];
	},
	{ targets, from }: { targets: readonly string[]; from?: string },
	translatorInto: (to: string, onDone: OnTexts) => TextTranslator,
	io: CommandIo,
): Promise<number> {
	const out = given === standardOutput ? undefined : given;
	// The texts of some say what their names do not.
	if (formatOf(path) === undefined && !mustBeRead(path))
		throw new UsageError(`${path} ${unknownFormat(path)}`);
	if (targets.length > 1 && !(out !== undefined && namesLanguage(out)))
		throw new UsageError(
			'Several languages need --out with {lang} in it, e.g. --out "guide.{lang}.md".',
		);
	const read = await readDocument(path, encoding);
	const { text } = read;
	const fileName = basename(path);
	const placeOf = (to: string) =>
		out === undefined ? undefined : placeByPattern(out, withSlashes(path), to);
	for (const to of targets) {
		const target = placeOf(to);
		if (target !== undefined) await checkTarget(target, force);
	}
	let status = 0;
	for (const to of targets) {
		const languages = { to, ...defined({ from }) };
		const job = { fileName, text, ...languages, ...defined({ columns }) };
		const doubts = new DoubtCount();
		const translator = translatorInto(to, (_, marks) => doubts.add(marks));
		const result = await translateDocumentInWorker(job, translator, io.signal);
		const target = placeOf(to);
		const isFailed = isUntranslated(result);
		if (!isFailed) await give(result.text, { target, path, encoding: read.encoding }, io);
		if (isFailed) {
			io.stderr.write(`${untranslatedLine(path)}\n`);
			status = 1;
		} else if (result.pieces === 0) io.stderr.write(`${path} has no words to translate.\n`);
		else if (sameLanguage(result.language, to) && result.text === text)
			io.stderr.write(
				`${path} is in ${languageName(result.language, 'en')} already; nothing was changed.${from === undefined ? ' If it is not, name its language: --from en' : ''}\n`,
			);
		else if (target !== undefined) {
			const source = languageName(result.language, 'en');
			io.stderr.write(`${target}: ${countsText(result, source)}\n`);
		}
		for (const part of doubts.parts) io.stderr.write(`${part} (${to})\n`);
		for (const line of doubts.lines) io.stderr.write(`${line}\n`);
		reportLeft(result, 'translated', to, io);
	}
	return status;
}

/** Writes a translation into a file, else to standard output: in the encoding of its source, but on a terminal. */
async function give(
	text: string,
	{ target, path, encoding }: { target: string | undefined; path: string; encoding: string },
	{ stdout, stderr }: CommandIo,
): Promise<void> {
	if (target === undefined && stdout.isTTY) {
		stdout.data(text);
		return;
	}
	const made =
		target === undefined
			? encodeText(text, encoding, path)
			: await writeDocument(target, text, encoding);
	if (target === undefined) stdout.bytes(made.bytes);
	if (made.encoding !== encoding)
		stderr.write(`${target ?? 'The output'} is in UTF-8: ${encoding} has not all its letters.\n`);
}

/**
 * Adds the messages a translated file lacks, in place; what it has stays. The file need not exist. In a project
 * that keeps a record, messages whose source has changed are translated again, too.
 *
 * @returns 1 when there are some, and none of them could be translated
 */
export async function translateInto(
	{ path, target, encoding }: { path: string; target: string; encoding?: string },
	languages: DocumentLanguages,
	translatorInto: (to: string, onDone?: OnTexts) => TextTranslator,
	io: CommandIo,
): Promise<number> {
	const format = messageFormatOf(path);
	if (format === undefined || format !== messageFormatOf(target))
		throw new UsageError(
			'--into goes with two message files of one format: JSON, ARB, YAML, properties, po, resx, Apple .strings or Android strings.xml.',
		);
	await checkTarget(target, true);
	const record = await ProjectRecord.open('.');
	await checkInside(record.folder, target);
	// A project that keeps a record goes on to; one file alone begins none.
	if (record.isThere) {
		const file = { source: path, target, ...languages };
		const options = { force: false, into: true, quiet: false, translatorInto };
		try {
			const { failed } = await translatePlanned(
				[file],
				{ ...options, ...defined({ encoding }) },
				record,
				io,
			);
			return failed > 0 ? 1 : 0;
		} finally {
			await record.close();
		}
	}
	const source = await readDocument(path, encoding);
	const there = await readIfThere(target, encoding);
	const present = there?.text ?? '';
	checkMessageFiles(format, [
		{ name: path, text: source.text },
		{ name: target, text: present },
	]);
	const job = { fileName: basename(path), text: source.text, target: present, ...languages };
	const result = await translateMissingInWorker(job, translatorInto(languages.to), io.signal);
	const { encoding: before } = there ?? source;
	const isSame = result.text === present;
	const written = isSame ? undefined : await writeDocument(target, result.text, before);
	io.stderr.write(
		`${target}: ${result.added.length} missing message${result.added.length === 1 ? '' : 's'} added${keptText(result.kept)}${encodingNote(written?.encoding, before)}\n`,
	);
	reportLeft(result, 'added', languages.to, io);
	return result.refused.length > 0 && result.added.length === 0 ? 1 : 0;
}

/** Says at the end which texts are not translated, and why. */
export function reportLeft(
	{
		refused,
		refusedAt = [],
		left,
		compared = [],
	}: {
		refused: readonly string[];
		refusedAt?: readonly RefusedPlace[];
		left: readonly LeftText[];
		compared?: readonly string[];
	},
	what: 'added' | 'translated',
	to: string,
	{ stderr }: CommandIo,
): void {
	const groups = new Map<string, string[]>();
	const add = (why: string, text: string) => groups.set(why, [...(groups.get(why) ?? []), text]);
	refused.forEach((text, index) => {
		const at = refusedAt[index];
		const place =
			at === undefined
				? ''
				: `line ${at.line}, column ${at.column}${at.key === undefined ? '' : `, ${at.key}`} (${at.why}): `;
		add(`not ${what}: more than words would have changed`, place + text);
	});
	for (const { text, sentences, language } of left)
		if (sentences)
			for (const one of sentences)
				add('a sentence left as it was: the model made nothing good of it', one);
		else
			add(
				language === undefined
					? 'left as it was: the model made nothing good of it'
					: `left as it was: no model here translates ${languageName(language, 'en')}`,
				text,
			);
	for (const text of compared) add(leftAsCompared, text);
	for (const [why, texts] of groups) {
		stderr.write(`${texts.length} × ${why} (${to})\n`);
		for (const text of texts.slice(0, maxShown))
			stderr.write(`  ${text.replace(/\s+/g, ' ').slice(0, 120)}\n`);
		if (texts.length > maxShown) stderr.write(`  … and ${texts.length - maxShown} more\n`);
	}
}
