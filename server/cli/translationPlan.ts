/** What is to be made of many files: which are sources, and where each translation goes. */

import { stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { archiveTypeOf } from '../protocol/archiveTypes.ts';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import { familyPath } from '../protocol/translatedFileName.ts';
import { openPath } from '../store/openPath.ts';
import { catalogueOf, isCatalogue, isTable } from '../translate/documents/catalogues.ts';
import { isLanguageName, messageFamilies } from '../translate/documents/messageFamilies.ts';
import { messageFormatOf } from '../translate/documents/missingMessages.ts';
import { mustBeRead } from '../translate/documents/moreFormats.ts';
import { formatOf } from '../translate/documents/translateDocument.ts';
import {
	namesFile,
	namesLanguage,
	placeByPattern,
	usualPlace,
	withoutTranslations,
} from '../translate/documents/translationPlace.ts';
import { canonicalLanguage, sameLanguage } from '../translate/languageCodes.ts';
import { UsageError } from './command.ts';
import type { ProjectRecord } from './projectRecord.ts';
import { sourceFiles, withSlashes } from './sourceFiles.ts';

/** One translation of one file. */
export interface PlannedFile {
	readonly source: string;
	/** As the person or the path writes it. */
	readonly to: string;
	/** Language of the source, where its path or the person names it. */
	readonly from?: string;
	readonly target: string;
}

export interface PlanOptions {
	/** Files, folders and patterns. */
	readonly names: readonly string[];
	/** Empty: the languages that are there. */
	readonly targets: readonly string[];
	readonly from?: string;
	/** Pattern of the places. */
	readonly out?: string;
	/** Folder or pattern of message files that are added to. */
	readonly into?: string;
}

export interface TranslationPlan {
	readonly files: readonly PlannedFile[];
	/** Folders of the sources, to be watched. */
	readonly folders: readonly string[];
	/** Files of folders that may hold messages or settings, and that nobody has named. */
	readonly skipped?: readonly string[];
	/** The same of tables that have no columns of the languages. */
	readonly tables?: readonly string[];
}

/** Language of sources that nobody names, as paths write it. */
const usualSource = 'en';

/** @throws UsageError, AppError that say what is not clear */
export async function translationPlan(
	options: PlanOptions,
	record: ProjectRecord,
	signal: AbortSignal,
): Promise<TranslationPlan> {
	if (options.out !== undefined) await checkPattern('--out', options.out, options);
	const plan =
		options.into === undefined
			? await planWhole(options, record, signal)
			: await planInto(options, options.into, signal);
	checkPlaces(plan.files);
	return plan;
}

/** The message families among some files, each translation with its source: what can be checked. */
export async function planOfFamilies(
	options: PlanOptions,
	signal: AbortSignal,
): Promise<TranslationPlan> {
	return familyFiles(options, await messageSources(options.names, [], signal, 'checked'));
}

async function planWhole(
	{ names, targets, from, out }: PlanOptions,
	record: ProjectRecord,
	signal: AbortSignal,
): Promise<TranslationPlan> {
	if (targets.length === 0) throw new UsageError('Say into which language: --to de');
	const skipped: string[] = [];
	const tables: string[] = [];
	/** The languages of them that tables of folders have columns for. */
	const columns = new Map<string, readonly string[]>();
	const { files, folders } = await sourceFiles(
		names,
		async (path) => {
			if (isTable(path)) {
				const wanted = await columnsOf(targets, path, from);
				if (wanted.length === 0) tables.push(path);
				columns.set(path, wanted);
				return wanted.length > 0;
			}
			if (formatOf(path) !== undefined || archiveTypeOf(path) !== undefined) return true;
			if (!mustBeRead(path) || formatOf(path, await beginningOf(path)) === undefined) return false;
			// Arrays of PHP and values of Android are settings as often as messages.
			const isCertain = /\.ts$/i.test(path);
			if (!isCertain) skipped.push(path);
			return isCertain;
		},
		signal,
	);
	const source = from ?? usualSource;
	const families = new Map(messageFamilies(files).map((family) => [family.source, family]));
	const placeOf = (path: string, to: string): string => {
		if (out !== undefined) return placeByPattern(out, path, to);
		if (isCatalogue(path)) return path;
		const known = fileOf(families.get(path)?.targets ?? [], to);
		return known?.path ?? usualPlace(path, to, source);
	};
	const isMade = out === undefined ? () => false : isPlaceOf(out, source);
	const originals = withoutTranslations(files, source).filter(
		(path) => !record.knows(path) && !isMade(path),
	);
	// What an earlier run put there is no source, whatever it is called.
	const made = new Set(
		originals.flatMap((path) =>
			targets.map((to) => placeOf(path, to)).filter((place) => place !== path),
		),
	);
	const planned = originals
		.filter((path) => !made.has(path))
		.flatMap((path) =>
			(columns.get(path) ?? targets).map((to) => ({
				...{ source: path, to, target: placeOf(path, to) },
				...defined({ from }),
			})),
		);
	return { files: planned, folders, skipped, tables };
}

/** Bytes of a first line with the names of thousands of columns. */
const longestHead = 2 ** 18;

/** The languages of some for which a table has a column that can be filled. */
async function columnsOf(
	targets: readonly string[],
	path: string,
	from: string | undefined,
): Promise<string[]> {
	const columns = catalogueOf(path)?.languages(await beginningOf(path, longestHead), from) ?? [];
	return targets.filter((to) => columns.some((column) => sameLanguage(column, to)));
}

/** What a file begins with, by which those of one ending are told apart; empty when it cannot be read. */
async function beginningOf(path: string, length = 10_000): Promise<string> {
	try {
		await using file = await openPath(path);
		const bytes = Buffer.alloc(length);
		const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
		const wide = utf16Order(bytes.subarray(0, bytesRead & ~1));
		if (wide === 'be') bytes.swap16();
		const text = bytes.toString(wide ? 'utf16le' : 'utf8', 0, bytesRead);
		return text;
	} catch {
		return '';
	}
}

/** By the mark, or the zero beside the first letter. */
function utf16Order([first, second]: Uint8Array): 'le' | 'be' | undefined {
	if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'le';
	return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'be' : undefined;
}

/** Tells of a path whether it is the place of a translation, where a pattern has a folder for each language. */
function isPlaceOf(pattern: string, from: string): (path: string) => boolean {
	const parts = pattern.replace(/^(?:\.\/)+/, '').split('/');
	const at = parts.findIndex((part) => /^\{(?:lang|to)\}$/.test(part));
	const before = parts.slice(0, at);
	if (at < 0 || before.some((part) => part.includes('{'))) return () => false;
	return (path) => {
		const own = path.replace(/^(?:\.\/)+/, '').split('/');
		const language = own[at] ?? '';
		return (
			before.every((part, index) => own[index] === part) &&
			isLanguageName(language) &&
			tagOf(language) !== tagOf(from)
		);
	};
}

/** Message files with those that are named, and those of a folder besides. */
async function messageSources(
	names: readonly string[],
	besides: readonly string[],
	signal: AbortSignal,
	done: 'translated' | 'checked' = 'translated',
): Promise<{ named: ReadonlySet<string>; all: string[]; folders: readonly string[] }> {
	const isMessages = (path: string): boolean => messageFormatOf(path) !== undefined;
	// A pattern may stand for other files that can be checked.
	const isWanted = (path: string): boolean =>
		isMessages(path) ||
		(done === 'checked' && (formatOf(path) !== undefined || archiveTypeOf(path) !== undefined));
	const { files, folders } = await sourceFiles(names, isWanted, signal, undefined, done);
	const more = besides.length === 0 ? [] : (await sourceFiles(besides, isMessages, signal)).files;
	const written = files.filter(isMessages).map(plainPath);
	const all = [...new Set([...written, ...more.map(plainPath)])].sort();
	return { named: new Set(written), all, folders };
}

async function planInto(
	options: PlanOptions,
	into: string,
	signal: AbortSignal,
): Promise<TranslationPlan> {
	const [[name = '', ...others], [to, ...more]] = [options.names, options.targets];
	const isPair = others.length === 0 && to !== undefined && more.length === 0;
	if (isPair && !namesLanguage(into) && (await isFile(name)) && !(await isFolder(into))) {
		const file = { source: plainPath(name), to, target: plainPath(into) };
		return { files: [{ ...file, ...defined({ from: options.from }) }], folders: [] };
	}
	if (!namesLanguage(into)) {
		const plan = familyFiles(options, await messageSources(options.names, [into], signal));
		if (plan.files.length > 0) return plan;
		throw new UsageError(
			`No message file here has translations in ${into}. Name the source files, and the places of their translations: --into "${into}/{lang}/{name}{ext}"`,
		);
	}
	const { names, targets, from } = options;
	if (targets.length === 0) throw new UsageError('Say into which languages: --to de,fr');
	await checkPattern('--into', into, options);
	const { named, folders } = await messageSources(names, [], signal);
	const made = new Set(
		[...named].flatMap((path) => targets.map((to) => placeByPattern(into, path, to))),
	);
	const files = withoutTranslations([...named], from ?? usualSource)
		.filter((path) => !made.has(path))
		.flatMap((source) =>
			targets.map((to) => ({
				...{ source, to, target: placeByPattern(into, source, to) },
				...defined({ from }),
			})),
		);
	return { files, folders };
}

function familyFiles(
	{ targets, from }: PlanOptions,
	{ named, all, folders }: Awaited<ReturnType<typeof messageSources>>,
): TranslationPlan {
	const families = messageFamilies(all);
	/** Languages by the folder in which families have their languages: a file that lacks one is missing. */
	const languages = new Map<string, Map<string, string>>();
	const folderOf = (pattern: string): string =>
		pattern.slice(0, pattern.lastIndexOf('/', pattern.indexOf('{to}')) + 1);
	for (const { pattern, targets: own } of families)
		for (const { to } of own) {
			const known = languages.get(folderOf(pattern)) ?? new Map<string, string>();
			languages.set(folderOf(pattern), known.set(tagOf(to), to));
		}
	const files = families
		.filter(
			({ source, targets: own }) => named.has(source) || own.some(({ path }) => named.has(path)),
		)
		.flatMap((family) => {
			const language = from ?? family.from;
			const there = [...(languages.get(folderOf(family.pattern))?.values() ?? [])];
			// Each gettext file that has its own ids is alone.
			const isOwn = family.targets.some(({ path }) => path === family.source);
			const wanted = (
				isOwn ? family.targets.map(({ to }) => to) : targets.length > 0 ? targets : there
			)
				// British beside American English has what differs, and nothing else.
				.filter((to) => !(family.from && targets.length === 0 && isSameLanguage(family.from, to)))
				.map((to) => fileOf(family.targets, to) ?? { path: familyPath(family.pattern, to), to });
			return wanted.map(({ path, to }) => ({
				...{ source: family.source, to, target: path },
				...defined({ from: language }),
			}));
		});
	return { files, folders };
}

/** The file of a language: by its very code (`pt_BR` is `pt-br`), else the only one of that language. */
function fileOf<T extends { readonly to: string }>(files: readonly T[], to: string): T | undefined {
	const exact = files.find((one) => tagOf(one.to) === tagOf(to));
	if (exact) return exact;
	const alike = files.filter((one) => isSameLanguage(one.to, to));
	return alike.length === 1 ? alike[0] : undefined;
}

const tagOf = (code: string): string => code.replaceAll('_', '-').toLowerCase();
const isSameLanguage = (first: string, second: string): boolean =>
	(canonicalLanguage(first) ?? first) === (canonicalLanguage(second) ?? second);

/** Paths below the present folder without it, so that one file has one name. */
function plainPath(path: string): string {
	const inner = relative('.', resolve(path));
	if (inner.startsWith('..') || isAbsolute(inner)) return path;
	return withSlashes(inner);
}

async function checkPattern(
	option: string,
	pattern: string,
	{ names, targets }: PlanOptions,
): Promise<void> {
	const [name = ''] = names;
	const isOne = names.length === 1 && (await isFile(name));
	if (!isOne && !namesFile(pattern))
		throw new UsageError(
			`Several files need ${option} with {name} in it, e.g. ${option} "{dir}/{name}.{lang}{ext}".`,
		);
	if (targets.length > 1 && !namesLanguage(pattern))
		throw new UsageError(
			`Several languages need ${option} with {lang} in it, e.g. ${option} "{dir}/{name}.{lang}{ext}".`,
		);
}

const isFolder = async (path: string): Promise<boolean> =>
	(await stat(path).catch(() => undefined))?.isDirectory() === true;
const isFile = async (path: string): Promise<boolean> =>
	(await stat(path).catch(() => undefined))?.isFile() === true;

/** No file is written twice, and no source is written over. */
function checkPlaces(files: readonly PlannedFile[]): void {
	const sources = new Set(files.map(({ source }) => resolve(source)));
	const taken = new Map<string, string>();
	for (const { source, target } of files) {
		const place = resolve(target);
		if (source === target && isCatalogue(source)) continue;
		// The ids of a gettext file are the source of its own translations.
		if (sources.has(place) && !(source === target && messageFormatOf(source) === 'po'))
			throw new UsageError(
				`${target} is a source itself; the translation of ${source} cannot go there.`,
			);
		const other = taken.get(place);
		if (other !== undefined && other !== source)
			throw new UsageError(
				`${other} and ${source} would both become ${target}. Add {dir} or {ext} to the pattern.`,
			);
		if (other !== undefined)
			throw new AppError('invalid_request', `${target} would be written for two languages.`);
		taken.set(place, source);
	}
}
