/** `nearglot translate --check`: what is missing, stale or broken in translated files. Needs no model. */

import { stat } from 'node:fs/promises';
import { archiveTypeOf } from '../protocol/archiveTypes.ts';
import { defined } from '../protocol/defined.ts';
import { AppError, asAppError } from '../protocol/index.ts';
import {
	catalogueFaults,
	catalogueOf,
	isCatalogue,
	isTable,
} from '../translate/documents/catalogues.ts';
import { damageOf } from '../translate/documents/damage.ts';
import { messageDamage } from '../translate/documents/messageDamage.ts';
import { messageStates } from '../translate/documents/messageStates.ts';
import { messageFormatOf } from '../translate/documents/missingMessages.ts';
import { type MessageFault, translationFaults } from '../translate/documents/translationFaults.ts';
import { recordedMessages } from '../translate/documents/translationRecord.ts';
import { nestedTooDeeply } from '../translate/nesting.ts';
import { lineNumbers } from '../translate/whiteSpace.ts';
import { type CheckFinding, type CheckFormat, checkReport } from './checkReport.ts';
import { type CommandIo, UsageError } from './command.ts';
import { documentHash, readDocument, readIfThere } from './documentFile.ts';
import type { ProjectRecord } from './projectRecord.ts';
import { sourceFiles } from './sourceFiles.ts';
import { refusedIn } from './translateFiles.ts';
import {
	type PlannedFile,
	type PlanOptions,
	planOfFamilies,
	translationPlan,
} from './translationPlan.ts';

export interface TranslationCheck extends PlanOptions {
	readonly format: CheckFormat;
	readonly encoding?: string;
	/** What is there counts as up to date from now on. */
	readonly accepts: boolean;
}

/** @returns the exit code: 1 when anything is wrong */
export async function translateCheck(
	options: TranslationCheck,
	record: ProjectRecord,
	io: CommandIo,
): Promise<number> {
	const messages = await plannedMessages(options, record, io.signal);
	const documents = await plannedDocuments(options, record, io.signal);
	const catalogues = await plannedCatalogues(options, io.signal);
	const planned = [...messages, ...documents, ...catalogues.files];
	const findings = [...catalogues.damaged];
	const checked = planned.length + findings.length;
	if (checked === 0)
		throw new UsageError(
			`There are no translations to check in ${options.names.join(', ')}: no message files of several languages, and none that were translated here.`,
		);
	for (const file of planned) {
		io.signal.throwIfAborted();
		for (const one of await findingsOf(file, options, record)) {
			// A source that cannot be read is told once, not for each of its languages.
			const isKnown = ({ kind, path }: CheckFinding) => kind === 'damaged' && path === one.path;
			if (one.kind !== 'damaged' || !findings.some(isKnown)) findings.push(one);
		}
	}
	await record.close();
	io.stdout.data(checkReport(options.format, findings, checked));
	const counts = (['missing', 'stale', 'placeholder', 'damaged'] as const)
		.map((kind) => [kind, findings.filter((one) => one.kind === kind).length] as const)
		.filter(([, count]) => count > 0)
		.map(([kind, count]) => `${count} ${kind}`);
	io.stderr.write(
		`${checked} translation${checked === 1 ? '' : 's'} checked: ${counts.join(', ') || 'nothing is wrong'}.\n`,
	);
	if (!record.isThere && !options.accepts)
		io.stderr.write(
			'What is stale cannot be told yet: nothing was recorded here. nearglot translate … --check --accept takes what is there for up to date.\n',
		);
	return findings.length > 0 ? 1 : 0;
}

/** Message files with the translations that are there, or those a pattern or languages ask for. */
async function plannedMessages(
	options: TranslationCheck,
	record: ProjectRecord,
	signal: AbortSignal,
): Promise<readonly PlannedFile[]> {
	if (options.into === undefined) return (await planOfFamilies(options, signal)).files;
	const { out: _, ...rest } = options;
	return (await translationPlan(rest, record, signal)).files;
}

/** Documents of which translations were made, or are asked for by languages. */
async function plannedDocuments(
	{ names, targets, from, out, into }: TranslationCheck,
	record: ProjectRecord,
	signal: AbortSignal,
): Promise<readonly PlannedFile[]> {
	if (into !== undefined) return [];
	const recorded = record.madeFiles(names).filter(({ source }) => !messageFormatOf(source));
	if (targets.length === 0) return recorded;
	const options = { names, targets, ...defined({ from, out }) };
	const { files } = await translationPlan(options, record, signal);
	const known = new Set(recorded.map(({ target }) => target));
	return [
		...recorded,
		...files.filter(({ source, target }) => !messageFormatOf(source) && !known.has(target)),
	];
}

/** Files that hold all their languages, with those that are there; with languages they are among the documents. */
async function plannedCatalogues(
	{ names, targets, encoding, from }: TranslationCheck,
	signal: AbortSignal,
): Promise<{ readonly files: readonly PlannedFile[]; readonly damaged: readonly CheckFinding[] }> {
	const files: PlannedFile[] = [];
	const damaged: CheckFinding[] = [];
	if (targets.length > 0) return { files, damaged };
	for (const source of await cataloguesIn(names, signal)) {
		signal.throwIfAborted();
		const catalogue = catalogueOf(source);
		if (!catalogue) continue;
		try {
			const { text } = await readDocument(source, encoding);
			const damage = damageOf(text, catalogue.extract, source);
			if (damage) damaged.push({ kind: 'damaged', path: source, target: source, ...damage });
			else
				for (const to of catalogue.languages(text, from))
					files.push({ source, target: source, to });
		} catch (error) {
			// A table that nobody has named may hold anything.
			if (!isTable(source) || names.includes(source))
				damaged.push(unread({ source, target: source }, error));
		}
	}
	return { files, damaged };
}

async function cataloguesIn(names: readonly string[], signal: AbortSignal): Promise<string[]> {
	try {
		const { files } = await sourceFiles(names, isCatalogue, signal, undefined, 'checked');
		return files.filter(isCatalogue);
	} catch (error) {
		// A pattern may be one of other files.
		if (error instanceof AppError && error.code === 'not_found') return [];
		throw error;
	}
}

/** One file that cannot be read is no reason to know nothing of the others. */
async function findingsOf(
	file: PlannedFile,
	options: TranslationCheck,
	record: ProjectRecord,
): Promise<CheckFinding[]> {
	try {
		return messageFormatOf(file.source)
			? await checkMessages(file, options, record)
			: await checkDocument(file, options, record);
	} catch (error) {
		return [{ ...unread(file, error), to: file.to }];
	}
}

function unread(
	{ source, target }: Pick<PlannedFile, 'source' | 'target'>,
	error: unknown,
): CheckFinding {
	const known = error instanceof RangeError ? nestedTooDeeply(error) : error;
	const { message } = known instanceof UsageError ? known : asAppError(known);
	const named = [target, source].find((path) => message.includes(path));
	const sentence = named === undefined ? `${target}: ${message}` : message;
	return { kind: 'damaged', path: named ?? target, line: 1, target, message: sentence };
}

async function checkMessages(
	{ source, target, to }: PlannedFile,
	{ encoding, accepts }: TranslationCheck,
	record: ProjectRecord,
): Promise<CheckFinding[]> {
	const format = messageFormatOf(source);
	if (format === undefined || messageFormatOf(target) !== format) return [];
	const read = await readDocument(source, encoding);
	const there = await readIfThere(target, encoding);
	const files = { source: read.text, target: there?.text ?? '', format, to };
	const damage = messageDamage(format, [
		{ name: source, text: files.source },
		{ name: target, text: files.target },
	]);
	if (damage) {
		const { name, line, message } = damage;
		return [{ kind: 'damaged', path: name, line, target, to, message }];
	}
	if (accepts && there) {
		const states = messageStates(read.text, there.text, format, to, true);
		record.setMessages(target, recordedMessages(states, undefined, 'all'));
		const { from, made, refused } = record.file(target) ?? {};
		if (from !== undefined && made !== undefined && refused !== undefined)
			record.setFile(target, { source, to, from, made });
	}
	const recorded = record.messages(target);
	const faults = translationFaults(recorded ? { ...files, recorded } : files);
	const found = faults.map((fault) => ({
		kind: fault.kind,
		path: fault.in === 'source' ? source : target,
		line: fault.line,
		...{ target, to, key: fault.key },
		message: sentenceOf(fault, target, to),
	}));
	return [...found, ...(there ? await refusedTexts({ source, target, to }, record) : [])];
}

function sentenceOf({ kind, key, text, detail }: MessageFault, target: string, to: string): string {
	const shown = `'${text.replace(/\s+/g, ' ').slice(0, 80)}'`;
	if (kind === 'missing') return `${key} ${shown} has no translation in ${target} (${to})`;
	if (kind === 'stale') return `${key} has changed to ${shown} since it was translated (${to})`;
	return `${key}: ${detail ?? 'placeholders differ'}; the source is ${shown} (${to})`;
}

/** Texts of a file that was translated as a whole that stayed as they were. */
async function refusedTexts(
	{ source, target, to }: PlannedFile,
	record: ProjectRecord,
): Promise<CheckFinding[]> {
	const refused = await refusedIn(target, record);
	if (refused === 0) return [];
	const texts = refused === 1 ? '1 text has' : `${refused} texts have`;
	const message = `${texts} no translation, but stayed as in ${source} (${to})`;
	return [{ kind: 'missing', path: target, line: 1, target, to, message }];
}

async function checkDocument(
	{ source, target, to }: PlannedFile,
	{ encoding, accepts }: TranslationCheck,
	record: ProjectRecord,
): Promise<CheckFinding[]> {
	const made = record.file(target);
	const finding = (kind: CheckFinding['kind'], path: string, message: string): CheckFinding[] => [
		{ kind, path, line: 1, target, to, message },
	];
	if ((await stat(source).catch(() => undefined)) === undefined) return [];
	const catalogue = source === target ? catalogueOf(source) : undefined;
	if (catalogue) {
		const { text } = await readDocument(source, encoding);
		const damage = damageOf(text, catalogue.extract, source);
		if (damage) return [{ kind: 'damaged', path: source, target, to, ...damage }];
		const lineOf = lineNumbers(text);
		return catalogueFaults(catalogue, text, to).map(({ kind, at, text: words, detail }) => {
			const shown = `'${words.replace(/\s+/g, ' ').slice(0, 80)}'`;
			const what =
				kind === 'missing' ? `${shown} has no translation` : `${detail}; the source is ${shown}`;
			return {
				...{ kind, path: source, line: lineOf(at), target, to },
				message: `${what} (${to})`,
			};
		});
	}
	if ((await stat(target).catch(() => undefined)) === undefined)
		return finding('missing', source, `${target} is not there (${to})`);
	// A source that cannot be read is told, not compared.
	if (archiveTypeOf(source) === undefined) await readDocument(source, encoding);
	const [from, now] = [await documentHash(source), await documentHash(target)];
	if (accepts) record.setFile(target, { source, to, from, made: now });
	else if (made !== undefined && made.from !== from && made.made === now)
		return finding('stale', target, `${source} has changed since it was translated (${to})`);
	return refusedTexts({ source, target, to }, record);
}
