/** `nearglot translate FILE`: a document of a known format; everything but its words stays. */

import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
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
import { messageFormatOf } from '../translate/documents/missingMessages.ts';
import { mustBeRead } from '../translate/documents/moreFormats.ts';
import { formatOf, type RefusedPlace } from '../translate/documents/translateDocument.ts';
import { languageName, sameLanguage } from '../translate/languageCodes.ts';
import { type CommandIo, UsageError } from './command.ts';
import { checkTarget, writeOutput } from './outputFile.ts';

const maxBytes = 20 * 2 ** 20;
/** Texts that are shown of many. */
const maxShown = 5;

/**
 * Translates a file into every target. With one target and no `out` the result goes to standard
 * output; `{to}` in `out` stands for the language. Existing files are only replaced with `force`.
 */
export async function translateFile(
	{
		path,
		out,
		force,
		columns,
	}: { path: string; out: string | undefined; force: boolean; columns?: readonly string[] },
	{ targets, from }: { targets: readonly string[]; from?: string },
	translatorInto: (to: string) => TextTranslator,
	io: CommandIo,
): Promise<number> {
	// The texts of some say what their names do not.
	if (formatOf(path) === undefined && !mustBeRead(path))
		throw new UsageError(`${path} ${unknownFormat(path)}`);
	if (targets.length > 1 && out?.includes('{to}') !== true)
		throw new UsageError(
			'Several languages need --out with {to} in it, e.g. --out "guide.{to}.md".',
		);
	const text = await readText(path);
	const fileName = basename(path);
	const placeOf = (to: string) => out?.replaceAll('{to}', to);
	for (const to of targets) {
		const target = placeOf(to);
		if (target !== undefined) await checkTarget(target, force);
	}
	let status = 0;
	for (const to of targets) {
		const languages = { to, ...defined({ from }) };
		const job = { fileName, text, ...languages, ...defined({ columns }) };
		const result = await translateDocumentInWorker(job, translatorInto(to), io.signal);
		const target = placeOf(to);
		if (target === undefined) io.stdout.data(result.text);
		else await writeOutput(target, result.text);
		if (result.pieces === 0) io.stderr.write(`${path} has no words to translate.\n`);
		else if (sameLanguage(result.language, to) && result.text === text)
			io.stderr.write(
				`${path} is in ${languageName(result.language, 'en')} already; nothing was changed.${from === undefined ? ' If it is not, name its language: --from en' : ''}\n`,
			);
		else if (target !== undefined) {
			const done = result.pieces - result.refused.length - result.left.length;
			const source = languageName(result.language, 'en');
			io.stderr.write(`${target}: ${done} of ${result.pieces} texts translated from ${source}\n`);
		}
		reportLeft(result, 'translated', to, io);
		// A document of which nothing could be translated is none.
		if (result.pieces > 0 && result.refused.length === result.pieces) status = 1;
	}
	return status;
}

/**
 * Adds the messages a translated file lacks, in place; what it has stays. The file need not exist.
 *
 * @returns 1 when some could not be translated whole.
 */
export async function translateInto(
	path: string,
	target: string,
	languages: DocumentLanguages,
	translator: TextTranslator,
	io: CommandIo,
): Promise<number> {
	const format = messageFormatOf(path);
	if (format === undefined || format !== messageFormatOf(target))
		throw new UsageError(
			'--into goes with two message files of one format: JSON, ARB, YAML, properties or po.',
		);
	await checkTarget(target, true);
	const source = await readText(path);
	const isThere = (await stat(target).catch(() => undefined)) !== undefined;
	const present = isThere ? await readText(target) : '';
	const job = { fileName: basename(path), text: source, target: present, ...languages };
	const result = await translateMissingInWorker(job, translator, io.signal);
	if (result.text !== present) await writeOutput(target, result.text);
	io.stderr.write(
		`${target}: ${result.added.length} missing message${result.added.length === 1 ? '' : 's'} added\n`,
	);
	reportLeft(result, 'added', languages.to, io);
	return result.refused.length > 0 ? 1 : 0;
}

/** Says at the end which texts are not translated, and why. */
export function reportLeft(
	{
		refused,
		refusedAt = [],
		left,
	}: {
		refused: readonly string[];
		refusedAt?: readonly RefusedPlace[];
		left: readonly LeftText[];
	},
	what: 'added' | 'translated',
	to: string,
	{ stderr }: CommandIo,
): void {
	const groups = new Map<string, string[]>();
	const add = (why: string, text: string) => groups.set(why, [...(groups.get(why) ?? []), text]);
	refused.forEach((text, index) => {
		const at = refusedAt[index];
		const place = at === undefined ? '' : `line ${at.line}, column ${at.column} (${at.why}): `;
		add(`not ${what}: more than words would have changed`, place + text);
	});
	for (const { text, sentences, language } of left)
		if (sentences)
			for (const one of sentences) add('a sentence left as it was: the model gave it back', one);
		else
			add(
				language === undefined
					? 'left as it was: the model gave it back'
					: `left as it was: no model here translates ${languageName(language, 'en')}`,
				text,
			);
	for (const [why, texts] of groups) {
		stderr.write(`${texts.length} × ${why} (${to})\n`);
		for (const text of texts.slice(0, maxShown))
			stderr.write(`  ${text.replace(/\s+/g, ' ').slice(0, 120)}\n`);
		if (texts.length > maxShown) stderr.write(`  … and ${texts.length - maxShown} more\n`);
	}
}

async function readText(path: string): Promise<string> {
	const found = await stat(path);
	if (!found.isFile()) throw new UsageError(`${path} is no file.`);
	if (found.size > maxBytes)
		throw new UsageError(`${path} is larger than ${maxBytes / 2 ** 20} MiB.`);
	const bytes = await readFile(path);
	try {
		return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		throw new AppError(
			'invalid_request',
			`${path} is not in UTF-8. Save it as UTF-8 and try again.`,
		);
	}
}
