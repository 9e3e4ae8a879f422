/** `nearglot translate` of folders, patterns and several files, once or whenever they change. */

import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { defined } from '../protocol/defined.ts';
import { asAppError } from '../protocol/index.ts';
import type { TextTranslator } from '../translate/documents/documentLanguage.ts';
import { type CommandIo, UsageError } from './command.ts';
import type { OnTexts } from './documentTranslator.ts';
import { isGlob } from './fileGlob.ts';
import type { FilesResult } from './filesReport.ts';
import { FolderChanges } from './folderChanges.ts';
import { ProjectRecord } from './projectRecord.ts';
import { checkPlanned, translatePlanned } from './translateFiles.ts';
import { type PlanOptions, type TranslationPlan, translationPlan } from './translationPlan.ts';

type TranslatorInto = (to: string, onDone: OnTexts) => TextTranslator;

export interface ProjectOptions extends PlanOptions {
	readonly force: boolean;
	readonly watch: boolean;
	/** Whether what is doubtful is translated, too. */
	readonly doubtful?: boolean;
	readonly encoding?: string;
	/** Connects to what translates, when there is something to translate. */
	readonly translators: () => Promise<TranslatorInto>;
}

/** @returns the exit code; does not return while it watches */
export async function translateProject(options: ProjectOptions, io: CommandIo): Promise<number> {
	using changes = new FolderChanges();
	const plan = async (record: ProjectRecord, isFirst: boolean): Promise<TranslationPlan> => {
		const made = isFirst
			? await translationPlan(options, record, io.signal)
			: await planOfThere(options, record, io.signal);
		if (options.watch)
			changes.follow([...made.folders, ...made.files.map(({ source }) => dirname(source))]);
		return made;
	};
	let { force } = options;
	const reported = new Set<string>();
	let before: TranslationPlan['files'] = [];
	for (let isFirst = true; ; isFirst = false) {
		const record = await ProjectRecord.open('.');
		const { files, skipped = [], tables = [] } = await plan(record, isFirst);
		if (isFirst) {
			reportSkipped(skipped, io, mayBeSettings);
			reportSkipped(tables, io, areNoLanguages);
		}
		if (!options.watch) checkPlanned(files, options.names);
		await reportGone(before, files, io);
		before = files;
		const result = await run(files, { ...options, force, reported }, !isFirst, record, io);
		if (!options.watch) return result.failed > 0 ? 1 : 0;
		// Once is enough: what is made from now on is known.
		force = false;
		if (isFirst) io.stderr.write(`Watching ${options.names.join(', ')}; Ctrl+C ends it.\n`);
		await changes.next(io.signal);
	}
}

/** The plan of those names that stand for something: a folder may be gone and come back while it is watched. */
async function planOfThere(
	options: ProjectOptions,
	record: ProjectRecord,
	signal: AbortSignal,
): Promise<TranslationPlan> {
	const there = await Promise.all(options.names.map((name) => isGlob(name) || isThere(name)));
	const names = options.names.filter((_, at) => there[at]);
	try {
		if (names.length > 0) return await translationPlan({ ...options, names }, record, signal);
	} catch (error) {
		signal.throwIfAborted();
		// A pattern may match nothing, and what is added to be elsewhere.
		if (!(error instanceof UsageError || asAppError(error).code === 'not_found')) throw error;
	}
	return { files: [], folders: [] };
}

/** Says which translations have lost their sources while they were watched; somebody may still want them. */
async function reportGone(
	before: TranslationPlan['files'],
	now: TranslationPlan['files'],
	{ stderr }: CommandIo,
): Promise<void> {
	const known = new Set(now.map(({ target }) => target));
	for (const { source, target } of before)
		if (!known.has(target) && (await isThere(target)) && !(await isThere(source)))
			stderr.write(`${source} is gone; its translation ${target} stays.\n`);
}

const isThere = async (path: string): Promise<boolean> =>
	(await stat(path).catch(() => undefined)) !== undefined;

/** Files that are named of those that are skipped. */
const maxNamed = 20;

const mayBeSettings =
	'they may hold messages or settings, and neither name nor folder (lang, locale, translations) says which. Name them to translate them';
const areNoLanguages =
	'tables without a column that is called like a language of --to. Translate one alone, with --column NAME';

function reportSkipped(skipped: readonly string[], { stderr }: CommandIo, why: string): void {
	if (skipped.length === 0) return;
	stderr.write(`${skipped.length} skipped: ${why}:\n`);
	for (const path of [...skipped].sort().slice(0, maxNamed)) stderr.write(`  ${path}\n`);
	if (skipped.length > maxNamed) stderr.write(`  … and ${skipped.length - maxNamed} more\n`);
}

async function run(
	files: TranslationPlan['files'],
	options: ProjectOptions & { readonly reported: Set<string> },
	quiet: boolean,
	record: ProjectRecord,
	io: CommandIo,
): Promise<FilesResult> {
	let connected: Promise<TranslatorInto> | undefined;
	const connect = (): Promise<TranslatorInto> => {
		connected ??= options.translators();
		return connected;
	};
	const translatorInto: TranslatorInto = (to, onDone) => ({
		detect: async (texts) => (await connect())(to, onDone).detect(texts),
		translate: async (texts, from, comments) =>
			(await connect())(to, onDone).translate(texts, from, comments),
	});
	try {
		return await translatePlanned(
			files,
			{
				...{ force: options.force, into: options.into !== undefined, quiet, translatorInto },
				reported: options.reported,
				...defined({ encoding: options.encoding, doubtful: options.doubtful }),
			},
			record,
			io,
		);
	} finally {
		await record.close();
	}
}
