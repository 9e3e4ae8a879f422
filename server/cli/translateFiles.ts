/**
 * `nearglot translate` of many files: several at a time, each as it is needed. What is done is recorded, so that
 * a run that was stopped goes on where it was, and only what has changed is done again.
 */

import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { archiveTypeOf } from '../protocol/archiveTypes.ts';
import { defined } from '../protocol/defined.ts';
import { AppError, asAppError } from '../protocol/index.ts';
import { catalogueOf } from '../translate/documents/catalogues.ts';
import type { TextTranslator } from '../translate/documents/documentLanguage.ts';
import {
	translateDocumentInWorker,
	translateFileInWorker,
} from '../translate/documents/documentThread.ts';
import { unknownFormat } from '../translate/documents/knownFormats.ts';
import { messageStates } from '../translate/documents/messageStates.ts';
import { messageFormatOf } from '../translate/documents/missingMessages.ts';
import { mustBeRead } from '../translate/documents/moreFormats.ts';
import { countsText } from '../translate/documents/textCounts.ts';
import { formatOf } from '../translate/documents/translateDocument.ts';
import { hashOf, recordedMessages, textHash } from '../translate/documents/translationRecord.ts';
import { nestedTooDeeply } from '../translate/nesting.ts';
import { type CommandIo, UsageError } from './command.ts';
import { linkTranslatedFiles, notLinked } from './crossFileLinks.ts';
import {
	type DocumentFile,
	documentHash,
	encodingNote,
	readArchive,
	readDocument,
	writeBytes,
	writeDocument,
} from './documentFile.ts';
import { DoubtCount, type OnTexts } from './documentTranslator.ts';
import { type Due, leftOf, notMade } from './dueFile.ts';
import { dueMessages } from './dueMessages.ts';
import { countsOfFiles, type FilesResult, leftLines, printAlike } from './filesReport.ts';
import { checkFolder, checkInside } from './outputFile.ts';
import type { ProjectRecord } from './projectRecord.ts';
import { dueCatalogue, FileTurns } from './translateCatalogue.ts';
import { TranslateProgress } from './translateProgress.ts';
import type { PlannedFile } from './translationPlan.ts';

/** Files on their way at a time: while one is read or written, others are translated. */
const atOnce = 4;

export interface FilesOptions {
	readonly force: boolean;
	/** Whether what is doubtful is translated, too. */
	readonly doubtful?: boolean;
	readonly encoding?: string;
	/** Whether files are only added to. */
	readonly into: boolean;
	/** Says nothing where nothing was to be done. */
	readonly quiet: boolean;
	readonly translatorInto: (to: string, onDone: OnTexts) => TextTranslator;
	/** Failures that were told of already, which are not told again before their file changes. */
	readonly reported?: Set<string>;
}

/** What becomes of the files; failures are told of on the way, and do not hold up the others. */
export async function translatePlanned(
	files: readonly PlannedFile[],
	options: FilesOptions,
	record: ProjectRecord,
	io: CommandIo,
): Promise<FilesResult> {
	const turns = new FileTurns();
	let failed = 0;
	let incomplete = 0;
	let reportedBefore = 0;
	let translated = 0;
	const result = (): FilesResult => {
		const current = files.length - translated - failed;
		return { translated, current, incomplete, failed };
	};
	const seen = new Map<string, string[]>();
	const print = (line: string): void => io.stderr.write(`${line}\n`);
	/** Whether the same was told of a file that has not changed since. */
	const isOld = async ({ source, to }: PlannedFile, message: string): Promise<boolean> => {
		if (!options.reported) return false;
		const { mtimeMs } = (await stat(source).catch(() => undefined)) ?? {};
		const key = JSON.stringify([source, to, mtimeMs, message]);
		const isKnown = options.reported.has(key);
		options.reported.add(key);
		if (isKnown) reportedBefore++;
		return isKnown;
	};
	const fail = async (
		file: PlannedFile,
		error: unknown,
		print: (line: string) => void,
	): Promise<void> => {
		io.signal.throwIfAborted();
		failed++;
		const { source: path, target } = file;
		const { message } = error instanceof UsageError ? error : asAppError(error);
		if (await isOld(file, message)) return;
		const paths = [...(seen.get(message) ?? []), path];
		seen.set(message, paths);
		// What fails for one reason everywhere is told of once, and its files are named at the end.
		const isNamed = message.includes(path) || message.includes(target);
		if (paths.length === 1) print(isNamed ? message : `${path}: ${message}`);
	};
	const due: Due[] = [];
	await inTurns(files, async (file) => {
		try {
			const one = await dueOf(file, { turns, ...options }, record);
			if (one) due.push(one);
			else if (await refusedIn(file.target, record)) incomplete++;
		} catch (error) {
			await fail(file, readable(error), print);
		}
	});
	due.sort((a, b) => (a.file.target < b.file.target ? -1 : 1));
	const bytes = due.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
	const progress = new TranslateProgress(io.stderr, { files: due.length, bytes });
	try {
		await inTurns(due, async ({ file, sizeBytes, make }) => {
			io.signal.throwIfAborted();
			const doubts = new DoubtCount();
			const translator = options.translatorInto(file.to, (texts, marks) => {
				progress.add(texts);
				doubts.add(marks);
			});
			try {
				const made = await make(translator, io.signal);
				const line = [made.line, ...doubts.parts].join(', ');
				const isFailed = made.outcome === 'failed';
				const isNews = !isFailed || !(await isOld(file, line));
				const news = [line, ...doubts.lines, ...leftLines(made)].join('\n');
				progress.finish(sizeBytes, isNews ? news : undefined);
				if (isFailed) failed++;
				else if (made.outcome === undefined) translated++;
				if (!isFailed && made.refused.length > 0) incomplete++;
			} catch (error) {
				await fail(file, readable(error), (line) => progress.print(line));
				progress.finish(sizeBytes);
			}
		});
		const linkOptions = { ...defined({ encoding: options.encoding }), signal: io.signal };
		for (const path of await linkTranslatedFiles(files, record, linkOptions))
			progress.print(`${path}: links follow headings of other files`);
	} finally {
		const summary = progress.end();
		for (const [message, paths] of seen) if (paths.length > 1) printAlike(message, paths, print);
		const news = translated + failed - reportedBefore;
		const hasNews = options.quiet ? news > 0 : files.length > 1 || translated === 0;
		const counts = countsOfFiles(result(), io.signal.aborted);
		if (hasNews) print(`${counts}; ${summary}`);
		if (io.signal.aborted) print('Stopped. The same command goes on from here.');
	}
	return result();
}

/** How many texts of a translation stayed as they were when it was made; 0 when somebody has changed it since. */
export async function refusedIn(target: string, record: ProjectRecord): Promise<number> {
	const { refused = 0, made } = record.file(target) ?? {};
	return refused > 0 && (await documentHash(target)) === made ? refused : 0;
}

/** Some at a time, in order; the first error that is thrown ends it. */
async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
	let next = 0;
	const one = async (): Promise<void> => {
		for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
	};
	// What was begun is ended and recorded, also after an error.
	const ends = await Promise.allSettled(
		Array.from({ length: Math.min(atOnce, items.length) }, one),
	);
	for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** Readers go down into what is nested, and the stack ends before the document does. */
const readable = (error: unknown): unknown =>
	error instanceof RangeError ? nestedTooDeeply(error) : error;

/** What is to be done for a file; `undefined` when its translation is up to date. */
async function dueOf(
	file: PlannedFile,
	options: FilesOptions & { turns: FileTurns },
	record: ProjectRecord,
): Promise<Due | undefined> {
	const { source, target } = file;
	const isArchive = archiveTypeOf(source) !== undefined;
	// The texts of some say what their names do not.
	if (!isArchive && formatOf(source) === undefined && !mustBeRead(source))
		throw new UsageError(`${source} ${unknownFormat(source)}`);
	await checkInside(record.folder, target);
	await checkFolder(target);
	if (isArchive) {
		if (options.into) throw new UsageError(intoMessages);
		return dueArchive(file, options, record);
	}
	const read = await readDocument(source, options.encoding);
	if (formatOf(source, read.text) === undefined)
		throw new UsageError(`${source} ${unknownFormat(source)}`);
	const catalogue = source === target ? catalogueOf(source) : undefined;
	if (catalogue) return dueCatalogue(file, catalogue, read, options.encoding, options.turns);
	const format = messageFormatOf(source);
	const isThere = (await stat(target).catch(() => undefined)) !== undefined;
	if (format !== undefined && (options.into || (isThere && !options.force)))
		return dueMessages(file, read, format, options, record);
	if (options.into) throw new UsageError(intoMessages);
	return dueWhole(file, read, options, record);
}

const intoMessages =
	'--into goes with message files: JSON, ARB, YAML, properties, po, resx, Apple .strings or Android strings.xml.';

/**
 * Whether a translation that is there is up to date with a source of this hash.
 *
 * @throws UsageError when it would be lost: it was not made here, or was changed by hand
 */
export async function isCurrent(
	{ target }: PlannedFile,
	hash: string,
	{ force, doubtful = false }: Pick<FilesOptions, 'force' | 'doubtful'>,
	record: ProjectRecord,
): Promise<boolean> {
	if (force || (await stat(target).catch(() => undefined)) === undefined) return false;
	const before = record.file(target);
	if (before?.from === hash) {
		// Texts that were left can be translated now, where no person has been at the file since.
		const isDue = doubtful && before.left !== undefined;
		return !isDue || (await documentHash(target)) !== before.made;
	}
	if (before === undefined)
		throw new UsageError(`${target} exists already and was not made here; --force replaces it.`);
	if ((await documentHash(target)) !== before.made)
		throw new UsageError(
			`${target} was changed by hand, and its source has changed since; --force replaces it.`,
		);
	return false;
}

/** Office, OpenDocument, EPUB. */
async function dueArchive(
	file: PlannedFile,
	options: FilesOptions,
	record: ProjectRecord,
): Promise<Due | undefined> {
	const { source, target, to, from } = file;
	const bytes = await readArchive(source);
	const hash = hashOf(bytes);
	if (await isCurrent(file, hash, options, record)) return undefined;
	const make: Due['make'] = async (translator, signal) => {
		// Held only while it is translated: there may be thousands.
		const job = { fileName: basename(source), bytes: await readArchive(source), to };
		const whole = { ...job, ...defined({ from }) };
		const result = await translateFileInWorker(whole, translator, undefined, signal);
		const none = notMade(file, result, true);
		if (none) return none;
		await writeBytes(target, result.bytes);
		const refused = result.refused.length;
		const left = leftOf(result, options);
		const now = { from: hashOf(job.bytes), made: hashOf(result.bytes), refused, ...left };
		record.setFile(target, { source, to, ...now });
		const { left: doubtful, compared } = result;
		return {
			...{ line: `${target}: ${countsText(result)}`, refused: result.refused },
			...{ left: doubtful, compared },
		};
	};
	return { file, sizeBytes: bytes.length, make };
}

async function dueWhole(
	file: PlannedFile,
	read: DocumentFile,
	options: FilesOptions,
	record: ProjectRecord,
): Promise<Due | undefined> {
	const { source, target, to, from } = file;
	const hash = textHash(read.bytes);
	if (await isCurrent(file, hash, options, record)) return undefined;
	const make: Due['make'] = async (translator, signal) => {
		const job = { fileName: basename(source), text: read.text, to, ...defined({ from }) };
		const result = await translateDocumentInWorker(job, translator, signal);
		const none = notMade(file, result, result.text === read.text);
		if (none) return none;
		const format = messageFormatOf(source);
		// What cannot be recorded, as it is nested too deeply, is not written either.
		const states = format && messageStates(read.text, result.text, format, to, true);
		const written = await writeDocument(target, result.text, read.encoding);
		const hashes = { from: hash, made: textHash(written.bytes) };
		record.setFile(target, {
			source,
			to,
			...hashes,
			refused: result.refused.length,
			...leftOf(result, options),
			...notLinked(file),
		});
		if (states)
			record.setMessages(target, recordedMessages(states, record.messages(target), new Set()));
		const note = encodingNote(written.encoding, read.encoding);
		const { refused, left } = result;
		return { line: `${target}: ${countsText(result)}${note}`, refused, left };
	};
	return { file, sizeBytes: read.bytes.length, make };
}

/** @throws AppError when nothing is there to be done */
export function checkPlanned(files: readonly PlannedFile[], names: readonly string[]): void {
	if (files.length === 0)
		throw new AppError('not_found', `There is nothing to translate in ${names.join(', ')}.`);
}
